"""Output on the console, and commands that report to it."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from dev.paths import ROOT, child_environment

# An installer may clean up for so long when it is asked to end.
GRACE_SECONDS = 2.0

_running: set[subprocess.Popen[str]] = set()


class CannotContinue(Exception):
    """Something is missing that we may not install; the message says what to type."""


def print_line(text: str) -> None:
    """Print a line and flush it."""
    print(text, flush=True)


def run_command(what: str, command: Sequence[str | Path], *, env: Mapping[str, str] | None = None) -> None:
    """Run a command and report its purpose and duration; its output is shown only if it fails.

    Raises `CannotContinue` if it fails. If this is interrupted, the command and its children end at once.
    """
    print_line(f"  {what} …")
    began = time.monotonic()
    process = subprocess.Popen(
        [str(part) for part in command],
        cwd=ROOT,
        env={**child_environment(), **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # Installers start processes of their own, which a signal to the first alone leaves behind.
        start_new_session=True,
    )
    _running.add(process)
    try:
        output, _ = process.communicate()
    except BaseException:
        end_commands()
        raise
    finally:
        _running.discard(process)
    if process.returncode:
        command_line = shlex.join(str(part) for part in command)
        raise CannotContinue(f"{output.rstrip()}\n{what} failed (exit {process.returncode}): {command_line}".lstrip())
    print_line(f"  {what}: done in {time.monotonic() - began:.1f} s")


def end_commands() -> None:
    """End all commands that other threads run, with their children; `run_command` raises there."""
    running = list(_running)
    for number in (signal.SIGTERM, signal.SIGKILL):
        for process in running:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, number)
        deadline = time.monotonic() + GRACE_SECONDS
        while any(process.poll() is None for process in running) and time.monotonic() < deadline:
            time.sleep(0.02)
