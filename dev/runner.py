"""Runs several processes as one: ends them gently, and all of them when one dies.

Written out rather than taken from a library because of three things that ours need: the end signal goes to a process's
leader alone (Celery's leader lets the task in flight finish; ending its pool at the same time would lose it), they end
in the reverse order of their start, and nothing is left when the runner itself is killed.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import FrameType

from dev.places import ROOT

GRACE_SECONDS = 10.0
PR_SET_PDEATHSIG = 1


class ChildDied(Exception):
    """One of the processes ended by itself."""


class Stopped(Exception):
    """Somebody asked us to stop."""


def _end_with(parent: int) -> Callable[[], None] | None:
    """Return what a child does before it becomes its program: on Linux, ask to be told when the runner is gone."""
    if not sys.platform.startswith("linux"):
        return None
    # Loaded before the fork: after it, only the simplest calls are safe.
    prctl = ctypes.CDLL(None).prctl

    def in_the_child() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)  # it was gone before we asked

    return in_the_child


class Child:
    """One process, the leader of a session and a process group of its own."""

    def __init__(self, name: str, command: Sequence[str | Path], environment: Mapping[str, str]) -> None:
        self.name = name
        self.process = subprocess.Popen(
            [str(part) for part in command],
            cwd=ROOT,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=_end_with(os.getpid()),  # noqa: PLW1509  (nothing but two system calls happens in it)
        )
        self._reader = threading.Thread(target=self._relay, daemon=True)
        self._reader.start()

    def _relay(self) -> None:
        for line in self.process.stdout or ():
            print(f"{self.name:>8} | {line.decode(errors='replace').rstrip()}", flush=True)

    def ask_to_end(self) -> None:
        """Tell the leader, and only the leader."""
        if self.process.poll() is None:
            self.process.terminate()

    def make_sure(self, deadline: float) -> None:
        """Wait until the deadline, then end whatever is left of the group."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=max(0.0, deadline - time.monotonic()))
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._reader.join(timeout=1)


class Runner:
    """Starts processes, watches them, and ends them in the reverse order of their groups."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = environment
        self.groups: list[list[Child]] = []

    def __enter__(self) -> Runner:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._stop)
        return self

    def __exit__(self, *reason: object) -> None:
        self.stop()

    def _stop(self, number: int, frame: FrameType | None) -> None:
        raise Stopped

    def start(self, commands: Mapping[str, Sequence[str | Path]]) -> None:
        """Start processes that end together."""
        group: list[Child] = []
        self.groups.append(group)
        for name, command in commands.items():
            group.append(Child(name, command, self.environment))

    def check(self) -> None:
        """Raise `ChildDied` when a process has ended."""
        for child in (child for group in self.groups for child in group):
            code = child.process.poll()
            if code is not None:
                raise ChildDied(f"{child.name} ended by itself (exit {code})")

    def wait_for(self, what: Callable[[], bool], *, name: str, seconds: float) -> None:
        """Wait until something holds. Raises `ChildDied` when a process ends first, or the time is over."""
        deadline = time.monotonic() + seconds
        while not what():
            self.check()
            if time.monotonic() > deadline:
                raise ChildDied(f"{name} did not answer within {seconds:.0f} s")
            time.sleep(0.05)

    def watch(self) -> None:
        """Watch until a process ends (`ChildDied`) or somebody asks us to stop (`Stopped`)."""
        while True:
            self.check()
            time.sleep(0.2)

    def stop(self) -> None:
        """End everything: a group at a time, the last started first, each with ten seconds to finish its work."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        for group in reversed(self.groups):
            for child in group:
                child.ask_to_end()
            deadline = time.monotonic() + GRACE_SECONDS
            for child in group:
                child.make_sure(deadline)
        self.groups.clear()
