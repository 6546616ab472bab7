"""What goes wrong while something is done: faults of the provider, a process that dies, somebody else's act meanwhile.

All of it happens at a place that is counted off, in the story's own thread: the same numbers lead to the same story.
What other threads do meanwhile has no place in it that is always the same; what befalls them befalls all they ask.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import httpx
from django.db import connection

from billing.gateway.http import transport
from conftest import NO_AUTHORITIES, Sandbox

# An act by its name and what it takes.
Act = tuple[Any, ...]
# What undoes a dead process's transaction: the database does it, whoever died.
UNDOING = ("ROLLBACK", "RELEASE")
# More requests than any act makes.
EVERY = 1000


class ProcessDied(BaseException):
    """A process was killed. No handler of errors may see it, as none sees a power cut."""


@dataclass(frozen=True)
class Fault:
    """The provider, or the way there, fails the requests of one act: after `skip` of them, `count` times."""

    kind: str
    method: str = "*"
    path: str = "*"
    skip: int = 0
    count: int = 1
    status: int = 500
    code: str = ""

    def on_everything(self) -> Fault:
        """Return the same fault for every request that it may strike, in whatever order they come."""
        return replace(self, skip=0, count=EVERY)


@dataclass(frozen=True)
class DeathAt:
    """The process is killed: before its next statement or after its next exchange, `moment` of them later."""

    moment: int


@dataclass(frozen=True)
class Meanwhile:
    """Somebody else does something just after the provider answered this exchange, the first being 0."""

    exchange: int
    act: Act


Trouble = Fault | DeathAt | Meanwhile | None


@dataclass
class TroubleMaker:
    """Lets troubles come over what is done.

    `struck` says whether the last death or the last act of somebody else's came about. `within` counts the requests to
    the provider that were made inside a transaction, of which there must be none.
    """

    sandbox: Sandbox
    within: int = 0
    struck: bool = False
    _after_exchange: Callable[[], None] | None = None
    _thread: int = field(default_factory=threading.get_ident)

    def __post_init__(self) -> None:
        _trouble_makers.append(self)

    def stop_faults(self) -> None:
        """Let go of the exchanges."""
        _trouble_makers.remove(self)

    def note_exchange(self) -> None:
        """Note that the provider was asked something, and answered or not."""
        self.within += connection.in_atomic_block
        if self._after_exchange is not None and threading.get_ident() == self._thread:
            self._after_exchange()

    @contextmanager
    def inject_trouble(self, trouble: Trouble, do: Callable[[Act], None]) -> Iterator[None]:
        """Let a trouble come over what is done within; `do` does what somebody else does meanwhile.

        What is done within ends there where the process dies.
        """
        self.struck = False
        match trouble:
            case Fault():
                with self._inject_fault(trouble):
                    yield
            case DeathAt(moment):
                with self._inject_death(moment):
                    yield
            case Meanwhile(exchange, act):
                with self._inject_act(exchange, lambda: do(act)):
                    yield
            case _:
                yield

    @contextmanager
    def _inject_fault(self, fault: Fault) -> Iterator[None]:
        order = {
            "kind": fault.kind,
            "method": fault.method,
            "path": fault.path,
            "skip": fault.skip,
            "count": fault.count,
            # How long is not what matters here: a second is longer than nothing, and ends in the same cut.
            **({"seconds": 1} if fault.kind in ("delay", "time_out_before", "time_out_after") else {}),
            **({"status": fault.status, "retry_after": 0} if fault.kind == "error" else {}),
            **({"api_error_code": fault.code} if fault.code else {}),
        }
        self._request_faults("POST", data=order)
        try:
            yield
        finally:
            self._request_faults("DELETE")

    def _request_faults(self, method: str, **content: Any) -> None:
        address, key = f"{self.sandbox.url}/faults", (self.sandbox.api_key, "")
        httpx.request(method, address, auth=key, verify=NO_AUTHORITIES, **content).raise_for_status()

    @contextmanager
    def _inject_death(self, moment: int) -> Iterator[None]:
        left = moment

        def tick() -> None:
            nonlocal left
            if left == 0:
                self.struck = True
                raise ProcessDied
            left -= 1

        def statement(execute: Any, sql: str, *rest: Any) -> Any:
            if not sql.startswith(UNDOING):
                tick()
            return execute(sql, *rest)

        self._after_exchange = tick
        try:
            with connection.execute_wrapper(statement):
                yield
        except ProcessDied:
            pass
        finally:
            self._after_exchange = None

    @contextmanager
    def _inject_act(self, exchange: int, act: Callable[[], None]) -> Iterator[None]:
        left = exchange
        failures: list[Exception] = []

        def count() -> None:
            nonlocal left
            if left == 0:
                self._after_exchange = None
                try:
                    act()
                except Exception as error:  # noqa: BLE001  (it is raised below: here the portal would take it for its own)
                    failures.append(error)
                # Only now: the act was in no trouble of its own, and said so.
                self.struck = True
            left -= 1

        self._after_exchange = count
        try:
            yield
        finally:
            self._after_exchange = None
        if failures:
            raise failures[0]


_trouble_makers: list[TroubleMaker] = []


def _tell_trouble_makers(_exchange: transport.Exchange) -> None:
    for weather in _trouble_makers:
        weather.note_exchange()


transport.add_watcher(_tell_trouble_makers)
