"""What we say on the console, and how a command is run there."""

from __future__ import annotations

import shlex
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from dev.places import ROOT, child_environment


class CannotContinue(Exception):
    """Something is missing that we may not bring along; the message says what to type."""


def say(text: str) -> None:
    """Print one line at once."""
    print(text, flush=True)


def run(
    what: str,
    command: Sequence[str | Path],
    *,
    env: Mapping[str, str] | None = None,
    quiet: bool = True,
) -> None:
    """Run a command, saying what for; its own words are shown only when it fails (or when not `quiet`).

    Raises `CannotContinue` when it fails.
    """
    say(f"  {what} …")
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
        shown = (result.stdout or "").rstrip()
        typed = shlex.join(str(part) for part in command)
        raise CannotContinue(f"{shown}\n{what} failed (exit {result.returncode}): {typed}".lstrip())
    say(f"  {what}: done in {time.monotonic() - began:.1f} s")
