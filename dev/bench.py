"""`make bench`: what the portal costs, each row against the same thing done as plainly as can be.

It fails nothing and no test times anything: absolute times depend on the machine and on what else it does.
`make bench ROWS="sdk invoices"` measures some rows only.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dev import prepare, system
from dev.benches.figures import Comparison, Figure, LeftOut, document, received
from dev.benches.figures import table as compared
from dev.console import CannotContinue, say
from dev.places import PYTHON, ROOT, child_environment, var_dir

MEASURE = ROOT / "frontend" / "bench" / "sizes.js"
PATHS = ROOT / "frontend" / "src" / "lib" / "paths.ts"
ROUTES = ROOT / "frontend" / "src" / "app" / "routes.tsx"
SIZES = "sizes"
# A row that is a program, and what is said while it runs.
PROGRAMS = {
    "hot_reads": "Asking for the hot reads, and a bare view in the same server",
    "peer": "Asking for the account home, and a page that asks the provider five times",
    "sdk": "Calling the provider, through the gateway and by itself",
    "resumes": "Resuming what is due, and making the provider's calls alone",
    "due_rows": "Dealing with due rows, and updating as many at once",
    "lighthouse": "Asking Lighthouse about two pages, on a phone and a desktop",
    "invoices": "Drawing an invoice, and its figures alone",
}
RESULT, SIZES_RESULT = "bench.json", "bench-sizes.json"
LANDING = "@/features/auth/LandingPage"
SCREEN = re.compile(r"aScreen\(\s*paths\.(\w+),\s*\(\) =>\s*import\(\s*(?:/\*.*?\*/\s*)?'([^']+)'")
PATH = re.compile(r"^\s*(\w+): '(/[^']*)'", re.MULTILINE)

Sizes = dict[str, dict[str, int]]


def routes_of(screens: str, paths: str) -> dict[str, list[str]]:
    """Read the sources of the route table; return the addresses by the file that draws them."""
    addresses = dict(PATH.findall(paths))
    drawn: dict[str, list[str]] = {}
    for name, file in SCREEN.findall(screens):
        drawn.setdefault(file, []).append(addresses[name])
    return drawn


def measured() -> dict[str, Any]:
    """Build the app and the libraries alone, in one run; return the sizes. Raises `CannotContinue`."""
    say("  Building the app, and the libraries alone …")
    result = subprocess.run(
        ["node", str(MEASURE)],
        cwd=ROOT,
        env=child_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        raise CannotContinue(f"{result.stderr.rstrip()}\nThe bundle cannot be measured.")
    sizes: dict[str, Any] = json.loads(result.stdout)
    return sizes


def _added(one: Sizes, other: Sizes) -> Sizes:
    return {kind: {way: one[kind][way] + other[kind][way] for way in one[kind]} for kind in one}


def rows_of(sizes: dict[str, Any], drawn: dict[str, list[str]]) -> list[tuple[str, Sizes]]:
    """Return what the table shows: a name and its sizes, a line each."""
    parts: dict[str, Sizes] = sizes["parts"]
    landing = _added(sizes["initial"], parts[LANDING])
    rows = [
        ("the libraries alone", sizes["base"]),
        ("every page", sizes["initial"]),
        ("the landing page, all in all", landing),
    ]
    rows += [("+ " + " ".join(addresses), parts[file]) for file, addresses in drawn.items()]
    rows += [(f"+ {file}", part) for file, part in parts.items() if file not in drawn]
    return rows


def _line(name: str, one: Sizes) -> str:
    figures = (one[kind][way] / 1000 for kind in ("js", "css") for way in ("gzip", "brotli"))
    return f"  {name:<62}" + "".join(f"{figure:>9.1f}" for figure in figures)


def table(sizes: dict[str, Any], drawn: dict[str, list[str]]) -> str:
    """Return the sizes as text, in thousands of bytes."""
    rows = rows_of(sizes, drawn)
    landing, base = (rows[at][1]["js"] for at in (2, 0))
    ratios = ", ".join(f"{landing[way] / base[way]:.2f} ({way})" for way in ("gzip", "brotli"))
    head = f"  {'kB':<62}" + "".join(f"{name:>9}" for name in ("js gz", "js br", "css gz", "css br"))
    lines = [head, *(_line(*row) for row in rows)]
    return "\n".join([*lines, "", f"  The landing page's scripts, of the libraries alone: {ratios}"])


def _sizes_row() -> list[Figure]:
    """Measure what a browser fetches, print and keep it. Raises `CannotContinue`."""
    system.node_version()
    prepare.ensure_node_packages()
    sizes = measured()
    say(table(sizes, routes_of(ROUTES.read_text(), PATHS.read_text())))
    _keep(SIZES_RESULT, sizes)
    return [landing_row(sizes)]


def landing_row(sizes: dict[str, Any]) -> Figure:
    """Return the landing page's scripts against the libraries alone; sizes are the same in every round."""
    landing = _added(sizes["initial"], sizes["parts"][LANDING])
    ours, other = ([one["js"]["gzip"] / 1000] for one in (landing, sizes["base"]))
    return Comparison("landing JavaScript, gzip", "the libraries alone", "kB", ours, other, "≤ 1.2")


def _program_row(name: str) -> list[Figure]:
    """Run a row's program; where it fails the others still count."""
    say(f"  {PROGRAMS[name]} …")
    command = [str(PYTHON), "-m", f"dev.benches.{name}"]
    result = subprocess.run(
        command, cwd=ROOT, env=child_environment(), capture_output=True, text=True, check=False
    )
    if result.returncode:
        say(result.stderr.rstrip())
        return [LeftOut(name, f"its program failed (exit {result.returncode})")]
    return received(result.stdout)


def wanted(asked: str) -> list[str]:
    """Return the rows to measure: those asked for, all if none is. Raises `CannotContinue` for one there is not."""
    known = [SIZES, *PROGRAMS]
    rows = asked.replace("-", "_").split()
    unknown = [row for row in rows if row not in known]
    if unknown:
        raise CannotContinue(f"There is no row {', '.join(unknown)}; there are {', '.join(known)}.")
    return rows or known


def _keep(name: str, told: Any) -> None:
    kept = var_dir() / name
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(told, indent=2) + "\n")
    say(f"  Kept in {kept}")


def main() -> int:
    """Measure, print, and keep the figures; return the exit code."""
    figures: list[Figure] = []
    try:
        rows = wanted(os.environ.get("ROWS", ""))
        if rows != [SIZES]:
            prepare.prepare_to_test()
        for row in rows:
            figures += _sizes_row() if row == SIZES else _program_row(row)
    except CannotContinue as error:
        say(f"\n{error}")
        return 1
    say(f"\n{compared(figures)}")
    _keep(RESULT, document(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
