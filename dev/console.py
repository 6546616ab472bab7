"""Output on the console, and commands that report to it."""

from __future__ import annotations

import shlex
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from dev.paths import ROOT, child_environment


class CannotContinue(Exception):
    """Something is missing that we may not install; the message says what to type."""


def print_line(text: str) -> None:
    """Print a line and flush it."""
    print(text, flush=True)


def run_command(
    what: str,
    command: Sequence[str | Path],
    *,
    env: Mapping[str, str] | None = None,
    quiet: bool = True,
) -> None:
    """Run a command and report its purpose and duration; if `quiet`, its output is shown only if it fails.

    Raises `CannotContinue` if it fails.
    """
    print_line(f"  {what} …")
    began = time.monotonic()
    result = subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        env={**child_environment(), **(env or {})},
        stdout=subprocess.PIPE if quiet else None,
        stderr=subprocess.STDOUT if quiet else None,
        text=True,
        check=False,
    )
    if result.returncode:
        output = (result.stdout or "").rstrip()
        command_line = shlex.join(str(part) for part in command)
        raise CannotContinue(f"{output}\n{what} failed (exit {result.returncode}): {command_line}".lstrip())
    print_line(f"  {what}: done in {time.monotonic() - began:.1f} s")
