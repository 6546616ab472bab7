"""`make bench`: what the portal costs, each row against the same thing done as plainly as can be.

It fails if a goal is missed; no test times anything, since times depend on the machine and on what else it does.
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

from dev.benches.support.measurements import Comparison, Figure, NotMeasured, figures_as_json, is_missed, parse_figures
from dev.benches.support.measurements import figure_table as compared
from dev.console import CannotContinue, print_line
from dev.paths import PYTHON, ROOT, child_environment, var_dir
from dev.setup import prepare

MEASURE = ROOT / "frontend" / "bench" / "sizes.js"
PATHS = ROOT / "frontend" / "src" / "lib" / "paths.ts"
ROUTES = ROOT / "frontend" / "src" / "app" / "routing" / "routes.tsx"
SIZES = "sizes"
# The rows that are programs, and the message while each runs.
PROGRAMS = {
    "hot_reads": "Asking for the hot reads, and a bare view in the same server",
    "outside_client": "Having wrk ask for the hot reads, and for a bare view in the same server",
    "peer": "Asking for the account home, and a page that asks the provider five times",
    "one_account": "Attacking the portal with one account, and using it with another",
    "code_delivery": "Sending sign-in codes while 20,000 notices wait",
    "sdk": "Calling the provider, through the gateway and by itself",
    "resumes": "Resuming what is due, and making the provider's calls alone",
    "site_mirror": "Importing a site of 10,000 customers, and counting requests for what happens there",
    "due_rows": "Dealing with due rows, and updating as many at once",
    "lighthouse": "Asking Lighthouse about two pages, on a phone and a desktop",
    "invoices": "Drawing an invoice, and its figures alone",
}
RESULT, SIZES_RESULT = "bench.json", "bench-sizes.json"
LANDING = "@/features/auth/LandingPage"
SCREEN = re.compile(r"defineScreen\(\s*paths\.(\w+),\s*\(\) =>\s*import\(\s*(?:/\*.*?\*/\s*)?'([^']+)'")
PATH = re.compile(r"^\s*(\w+): '(/[^']*)'", re.MULTILINE)

Sizes = dict[str, dict[str, int]]


def parse_routes(screens: str, paths: str) -> dict[str, list[str]]:
    """Parse the sources of the route table; return the addresses of each screen's file."""
    addresses = dict(PATH.findall(paths))
    drawn: dict[str, list[str]] = {}
    for name, file in SCREEN.findall(screens):
        drawn.setdefault(file, []).append(addresses[name])
    return drawn


def measure_sizes() -> dict[str, Any]:
    """Build the app, and its libraries alone; return the sizes. Raises `CannotContinue`."""
    print_line("  Building the app, and the libraries alone …")
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


def _add_sizes(left: Sizes, right: Sizes) -> Sizes:
    return {kind: {way: left[kind][way] + right[kind][way] for way in left[kind]} for kind in left}


def size_rows(sizes: dict[str, Any], drawn: dict[str, list[str]]) -> list[tuple[str, Sizes]]:
    """Return the lines of the table, each a name and its sizes."""
    parts: dict[str, Sizes] = sizes["parts"]
    landing = _add_sizes(sizes["initial"], parts[LANDING])
    rows = [
        ("the libraries alone", sizes["base"]),
        ("every page", sizes["initial"]),
        ("the landing page, all in all", landing),
    ]
    rows += [("+ " + " ".join(addresses), parts[file]) for file, addresses in drawn.items()]
    rows += [(f"+ {file}", part) for file, part in parts.items() if file not in drawn]
    return rows


def _size_line(name: str, sizes: Sizes) -> str:
    figures = (sizes[kind][way] / 1000 for kind in ("js", "css") for way in ("gzip", "brotli"))
    return f"  {name:<62}" + "".join(f"{figure:>9.1f}" for figure in figures)


def size_table(sizes: dict[str, Any], drawn: dict[str, list[str]]) -> str:
    """Return the sizes as a table in thousands of bytes."""
    rows = size_rows(sizes, drawn)
    landing, base = (rows[at][1]["js"] for at in (2, 0))
    ratios = ", ".join(f"{landing[way] / base[way]:.2f} ({way})" for way in ("gzip", "brotli"))
    head = f"  {'kB':<62}" + "".join(f"{name:>9}" for name in ("js gz", "js br", "css gz", "css br"))
    lines = [head, *(_size_line(*row) for row in rows)]
    return "\n".join([*lines, "", f"  The landing page's scripts, of the libraries alone: {ratios}"])


def _run_sizes_row() -> list[Figure]:
    """Measure what a browser downloads; print and save it. Raises `CannotContinue`."""
    prepare.prepare_frontend()
    sizes = measure_sizes()
    print_line(size_table(sizes, parse_routes(ROUTES.read_text(), PATHS.read_text())))
    _write_result(SIZES_RESULT, sizes)
    return [landing_page_row(sizes)]


def landing_page_row(sizes: dict[str, Any]) -> Figure:
    """Return the landing page's scripts against the libraries alone, as a single round."""
    landing = _add_sizes(sizes["initial"], sizes["parts"][LANDING])
    ours, other = ([size["js"]["gzip"] / 1000] for size in (landing, sizes["base"]))
    return Comparison("landing JavaScript, gzip", "the libraries alone", "kB", ours, other, "≤ 1.2")


def _run_program_row(name: str) -> list[Figure]:
    """Run a row's program; a failure is reported as not measured."""
    print_line(f"  {PROGRAMS[name]} …")
    command = [str(PYTHON), "-m", f"dev.benches.{name}"]
    result = subprocess.run(command, cwd=ROOT, env=child_environment(), capture_output=True, text=True, check=False)
    if result.returncode:
        print_line(result.stderr.rstrip())
        return [NotMeasured(name, f"its program failed (exit {result.returncode})")]
    return parse_figures(result.stdout)


def chosen_rows(requested: str) -> list[str]:
    """Return the requested rows, or all if none is. Raises `CannotContinue` for an unknown one."""
    known = [SIZES, *PROGRAMS]
    rows = requested.replace("-", "_").split()
    unknown = [row for row in rows if row not in known]
    if unknown:
        raise CannotContinue(f"There is no row {', '.join(unknown)}; there are {', '.join(known)}.")
    return rows or known


def _write_result(name: str, result: Any) -> None:
    file = var_dir() / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(result, indent=2) + "\n")
    print_line(f"  Kept in {file}")


def main() -> int:
    """Measure; print and save the figures; return the exit code."""
    figures: list[Figure] = []
    try:
        rows = chosen_rows(os.environ.get("ROWS", ""))
        if rows != [SIZES]:
            prepare.prepare_to_test()
        for row in rows:
            figures += _run_sizes_row() if row == SIZES else _run_program_row(row)
    except CannotContinue as error:
        print_line(f"\n{error}")
        return 1
    print_line(f"\n{compared(figures)}")
    _write_result(RESULT, figures_as_json(figures))
    return 1 if any(map(is_missed, figures)) else 0


if __name__ == "__main__":
    sys.exit(main())
