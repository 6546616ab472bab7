"""`make check`, `make fmt`, `make generate`, `make lock`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dev import prepare
from dev.checks import (
    BIN,
    LEFT_OUT,
    OPENAPI,
    SHOWN,
    TYPES,
    Check,
    checks,
    openapi_command,
    shown_command,
    types_command,
)
from dev.console import CannotContinue, run, say
from dev.places import ROOT, child_environment

COMPILE: list[str | Path] = [
    BIN / "pip-compile",
    "--quiet",
    "--generate-hashes",
    "--strip-extras",
    "--allow-unsafe",
    # What the machine that compiles happens to install from is nobody else's business.
    "--no-emit-index-url",
    "--no-emit-find-links",
]


def _outcome(check: Check) -> tuple[str, str]:
    """Run one check; return how it ended, and what it has to say unless it holds."""
    result = subprocess.run(
        [str(part) for part in check.command],
        cwd=ROOT,
        env={**child_environment(), **check.env},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if result.returncode == LEFT_OUT:
        return "left out", result.stdout.rstrip()
    if result.returncode:
        return "FAILED", result.stdout.rstrip() or f"exit {result.returncode}"
    if check.fresh and not _same(*check.fresh):
        return "FAILED", f"{check.fresh[0].relative_to(ROOT)} is stale: `make generate` writes it anew."
    return "ok", ""


def _timed(check: Check) -> tuple[str, str, float]:
    began = time.monotonic()
    outcome, words = _outcome(check)
    return outcome, words, time.monotonic() - began


def _same(committed: Path, generated: Path) -> bool:
    return committed.is_file() and committed.read_text() == generated.read_text()


def check() -> int:
    """Run every check to its end, so that one run shows everything; return the exit code."""
    failed = []
    with (
        tempfile.TemporaryDirectory(prefix="portal-check-") as scratch,
        ThreadPoolExecutor(os.cpu_count()) as pool,
    ):
        chosen = checks(Path(scratch))
        for one, (outcome, words, seconds) in zip(chosen, pool.map(_timed, chosen), strict=True):
            say(f"{outcome:>8}  {one.name} ({seconds:.1f} s)")
            if words:
                say(words)
            if outcome == "FAILED":
                failed.append(one.name)
    say(f"\nmake check: {'failed: ' + ', '.join(failed) if failed else 'everything holds'}")
    return 1 if failed else 0


def fmt() -> int:
    """Format and mend; return the exit code."""
    run("Mending Python", [BIN / "ruff", "check", "--fix", "--exit-zero", "--quiet", "."])
    run("Formatting Python", [BIN / "ruff", "format", "."])
    run("Formatting the frontend", ["npm", "run", "--silent", "format"])
    return 0


def generate() -> int:
    """Write what is generated and committed; return the exit code."""
    run("Writing docs/openapi.json", openapi_command(OPENAPI))
    run("Writing the app's types", types_command(TYPES))
    for page in SHOWN:
        run(f"Writing docs/{page.name}", shown_command(page, page))
    return 0


def lock() -> int:
    """Compile the lock files, the second inside the versions of the first; return the exit code."""
    for name in ("requirements", "requirements-dev"):
        command: list[str | Path] = [*COMPILE, "--output-file", f"{name}.txt", f"{name}.in"]
        run(f"Compiling {name}.txt", command, env={"CUSTOM_COMPILE_COMMAND": "make lock"})
    return 0


ACTIONS = {"check": check, "fmt": fmt, "generate": generate, "lock": lock}


def main(action: str) -> int:
    """Bring along what the action needs and run it; return the exit code."""
    try:
        prepare.prepare_tools()
        return ACTIONS[action]()
    except CannotContinue as error:
        say(f"\n{error}")
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "check"))
