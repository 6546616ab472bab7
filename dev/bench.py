"""`make bench`: how large what a browser fetches is, route by route, and against the libraries alone."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dev import prepare, system
from dev.console import CannotContinue, say
from dev.places import ROOT, child_environment, var_dir

MEASURE = ROOT / "frontend" / "bench" / "sizes.js"
PATHS = ROOT / "frontend" / "src" / "lib" / "paths.ts"
ROUTES = ROOT / "frontend" / "src" / "app" / "routes.tsx"
RESULT = "bench-sizes.json"
LANDING = "@/features/auth/LandingPage"
SCREEN = re.compile(r"path: paths\.(\w+),\s*load: \(\) => import\('([^']+)'\)")
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


def main() -> int:
    """Measure, print, and keep the figures; return the exit code."""
    try:
        system.node_version()
        prepare.ensure_node_packages()
        sizes = measured()
    except CannotContinue as error:
        say(f"\n{error}")
        return 1
    say(table(sizes, routes_of(ROUTES.read_text(), PATHS.read_text())))
    kept = var_dir() / RESULT
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(sizes, indent=2) + "\n")
    say(f"  Kept in {kept}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
