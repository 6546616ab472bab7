"""Run several processes as one: they end gracefully, and all of them if one dies; what stands still is started anew.

Three needs rule out a library (decision 7): SIGTERM goes to a group's leader alone, since Celery's leader lets the task
in progress finish and a pool that ends with it would lose the task; processes end in the reverse order of their start;
and none is left if the runner itself is killed.
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
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from types import FrameType

from dev.paths import ROOT

GRACE_SECONDS = 10.0
# EX_TEMPFAIL: with it a worker ends that asks to be started anew (core/workers/standstill.py).
RESTART_EXIT_CODE = 75
PR_SET_PDEATHSIG = 1


class ChildDied(Exception):
    """One of the processes ended by itself."""


class Stopped(Exception):
    """The user or the system asked us to stop."""


def _end_with_parent(parent: int) -> Callable[[], None] | None:
    """Return what a child runs before its program: on Linux, it asks for a signal when the runner dies."""
    if not sys.platform.startswith("linux"):
        return None
    # Loaded before the fork: after it, only the simplest calls are safe.
    prctl = ctypes.CDLL(None).prctl

    def request_parent_death_signal() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)  # the runner died before the request

    return request_parent_death_signal


def _raise_stopped(number: int, frame: FrameType | None) -> None:
    raise Stopped


class Child:
    """A process that leads a session and process group of its own."""

    def __init__(self, name: str, command: Sequence[str | Path], environment: Mapping[str, str]) -> None:
        self.name, self.command = name, command
        self.process = subprocess.Popen(
            [str(part) for part in command],
            cwd=ROOT,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=_end_with_parent(os.getpid()),  # noqa: PLW1509  (nothing but two system calls happens in it)
        )
        self._reader = threading.Thread(target=self._relay_output, daemon=True)
        self._reader.start()

    def _relay_output(self) -> None:
        for line in self.process.stdout or ():
            print(f"{self.name:>8} | {line.decode(errors='replace').rstrip()}", flush=True)

    def ask_to_end(self) -> None:
        """Send SIGTERM to the leader alone."""
        if self.process.poll() is None:
            self.process.terminate()

    def end_by(self, deadline: float) -> None:
        """Wait until the deadline, then kill what is left of the group."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=max(0.0, deadline - time.monotonic()))
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._reader.join(timeout=1)


class Watchdog:
    """Tells when processes have stood still for too long: `is_working` was false for `patience` seconds on end."""

    def __init__(
        self, names: Collection[str], is_working: Callable[[], bool], *, patience: float, interval: float = 5.0
    ) -> None:
        self.names, self.patience = names, patience
        self._is_working, self._interval = is_working, interval
        self.begin()

    def begin(self) -> None:
        """Begin to wait: the processes were started just now."""
        self._worked_at = self._asked_at = time.monotonic()

    def is_overdue(self) -> bool:
        """Return whether the processes have stood still for too long; asks at most once in an interval."""
        now = time.monotonic()
        if now - self._asked_at < self._interval:
            return False
        if now - self._asked_at > 2 * self.patience:
            self._worked_at = now  # this machine slept, and they could not work
        self._asked_at = now
        if self._is_working():
            self._worked_at = now
        return now - self._worked_at >= self.patience


class Runner:
    """Start processes, watch them, and end them in the reverse order of their groups."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = environment
        self.groups: list[list[Child]] = []

    def __enter__(self) -> Runner:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _raise_stopped)
        return self

    def __exit__(self, *reason: object) -> None:
        self.stop_groups()

    def start_group(self, commands: Mapping[str, Sequence[str | Path]]) -> None:
        """Start processes that end together."""
        group: list[Child] = []
        self.groups.append(group)
        for name, command in commands.items():
            group.append(Child(name, command, self.environment))

    def check_children(self) -> None:
        """Raise `ChildDied` if a process has ended."""
        for child in (child for group in self.groups for child in group):
            code = child.process.poll()
            if code is not None:
                raise ChildDied(f"{child.name} ended by itself (exit {code})")

    def wait_for(self, is_ready: Callable[[], bool], *, name: str, seconds: float) -> None:
        """Wait until `is_ready`. Raises `ChildDied` if a process ends first or the time is over."""
        deadline = time.monotonic() + seconds
        while not is_ready():
            self.check_children()
            if time.monotonic() > deadline:
                raise ChildDied(f"{name} did not answer within {seconds:.0f} s")
            time.sleep(0.05)

    def watch_children(self, watchdog: Watchdog | None = None) -> None:
        """Watch until a process ends (`ChildDied`) or we are asked to stop (`Stopped`).

        The processes of the watchdog are started anew each time that they stand still for too long, and one of them
        that ends because its pool does is started anew alone.
        """
        while True:
            if watchdog is not None:
                self._replace_ended(watchdog.names)
            self.check_children()
            if watchdog is not None and watchdog.is_overdue():
                print(
                    f"  Nothing was done for {watchdog.patience:.0f} s. Starting anew: {', '.join(watchdog.names)}",
                    flush=True,
                )
                self._start_anew(watchdog.names)
                watchdog.begin()
            time.sleep(0.2)

    def _replace_ended(self, names: Collection[str]) -> None:
        asked = {
            child.name
            for group in self.groups
            for child in group
            if child.name in names and child.process.poll() == RESTART_EXIT_CODE
        }
        if asked:
            print(f"  Starting anew: {', '.join(sorted(asked))}", flush=True)
            self._start_anew(asked)

    def _start_anew(self, names: Collection[str]) -> None:
        for group in self.groups:
            for position, child in enumerate(group):
                if child.name in names:
                    child.ask_to_end()
                    child.end_by(time.monotonic() + GRACE_SECONDS)
                    group[position] = Child(child.name, child.command, self.environment)

    def stop_groups(self) -> None:
        """End all groups, the last started first; each has ten seconds to finish its work."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        for group in reversed(self.groups):
            for child in group:
                child.ask_to_end()
            deadline = time.monotonic() + GRACE_SECONDS
            for child in group:
                child.end_by(deadline)
        self.groups.clear()
