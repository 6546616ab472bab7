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

from dev.check_list import (
    BIN,
    OPENAPI,
    TYPES,
    Check,
    all_checks,
    openapi_command,
    types_command,
)
from dev.console import CannotContinue, print_line, run_command
from dev.paths import ROOT, child_environment
from dev.setup import prepare
from dev.setup.system_packages import OLDEST_PYTHON

COMPILE: list[str | Path] = [
    BIN / "uv",
    "pip",
    "compile",
    "--quiet",
    "--generate-hashes",
    # For every system and every Python from the oldest supported one on.
    "--universal",
    "--python-version",
    ".".join(map(str, OLDEST_PYTHON)),
    "--custom-compile-command",
    "make lock",
]
LOCKS = ("requirements", "requirements-dev", "requirements-node")


def _check_outcome(check: Check) -> tuple[str, str]:
    """Run a check; return its outcome, and its output if it failed."""
    result = subprocess.run(
        [str(part) for part in check.command],
        cwd=ROOT,
        env={**child_environment(), **check.env},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if result.returncode:
        return "FAILED", result.stdout.rstrip() or f"exit {result.returncode}"
    if check.fresh and not _is_same_text(*check.fresh):
        return "FAILED", f"{check.fresh[0].relative_to(ROOT)} is stale: `make generate` writes it anew."
    return "ok", ""


def _run_timed(check: Check) -> tuple[str, str, float]:
    began = time.monotonic()
    outcome, output = _check_outcome(check)
    return outcome, output, time.monotonic() - began


def _is_same_text(committed: Path, generated: Path) -> bool:
    return committed.is_file() and committed.read_text() == generated.read_text()


def run_checks() -> int:
    """Run all checks, even after a failure; return the exit code."""
    failed = []
    with (
        tempfile.TemporaryDirectory(prefix="portal-check-") as scratch,
        ThreadPoolExecutor(os.cpu_count()) as pool,
    ):
        checks = all_checks(Path(scratch))
        for check, (outcome, output, seconds) in zip(checks, pool.map(_run_timed, checks), strict=True):
            print_line(f"{outcome:>8}  {check.name} ({seconds:.1f} s)")
            if output:
                print_line(output)
            if outcome == "FAILED":
                failed.append(check.name)
    print_line(f"\nmake check: {'failed: ' + ', '.join(failed) if failed else 'everything holds'}")
    return 1 if failed else 0


def format_sources() -> int:
    """Fix and format what tools can; return the exit code."""
    run_command("Mending Python", [BIN / "ruff", "check", "--fix", "--exit-zero", "--quiet", "."])
    run_command("Formatting Python", [BIN / "ruff", "format", "."])
    run_command("Formatting the frontend", ["npm", "run", "--silent", "format"])
    return 0


def generate_files() -> int:
    """Write the generated files that are committed; return the exit code."""
    run_command("Writing docs/openapi.json", openapi_command(OPENAPI))
    run_command("Writing the app's types", types_command(TYPES))
    return 0


def compile_locks() -> int:
    """Compile the lock files, the second constrained by the first; return the exit code."""
    for name in LOCKS:
        run_command(f"Compiling {name}.txt", [*COMPILE, "--output-file", f"{name}.txt", f"{name}.in"])
    return 0


ACTIONS = {"check": run_checks, "fmt": format_sources, "generate": generate_files, "lock": compile_locks}


def main(action: str) -> int:
    """Install the tools and run an action; return the exit code."""
    try:
        prepare.prepare_tools()
        return ACTIONS[action]()
    except CannotContinue as error:
        print_line(f"\n{error}")
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "check"))
