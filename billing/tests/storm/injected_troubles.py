"""Troubles during an act: faults of the provider, a killed process, somebody else's act meanwhile.

Each trouble strikes at a counted statement or exchange of the test's own thread, so the same numbers reproduce the same
sequence. The order of other threads' requests is not reproducible, so a fault for them strikes all their requests.
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

# The name of an act, and its arguments.
Act = tuple[Any, ...]
# The database itself rolls back the transaction of a killed process.
ROLLBACK_STATEMENTS = ("ROLLBACK", "RELEASE")
# More than the requests of any act.
ALL_REQUESTS = 1000


class ProcessDied(BaseException):
    """A process was killed. It is a BaseException so that no error handler catches it."""


@dataclass(frozen=True)
class Fault:
    """The provider or the network fails requests of an act: `count` of them, after the first `skip`."""

    kind: str
    method: str = "*"
    path: str = "*"
    skip: int = 0
    count: int = 1
    status: int = 500
    code: str = ""

    def for_all_requests(self) -> Fault:
        """Return the same fault for all requests that it matches."""
        return replace(self, skip=0, count=ALL_REQUESTS)


@dataclass(frozen=True)
class DeathAt:
    """The process is killed before a statement or after an exchange, after `moment` of them."""

    moment: int


@dataclass(frozen=True)
class Meanwhile:
    """Somebody else performs an act just after this exchange, counted from 0."""

    exchange: int
    act: Act


Trouble = Fault | DeathAt | Meanwhile | None


@dataclass
class TroubleMaker:
    """Injects troubles into acts.

    `struck` says whether the last kill or the last act of somebody else happened. `requests_in_transaction` counts the
    requests to the provider inside a transaction, of which there must be none.
    """

    sandbox: Sandbox
    requests_in_transaction: int = 0
    struck: bool = False
    _after_exchange: Callable[[], None] | None = None
    _thread: int = field(default_factory=threading.get_ident)

    def __post_init__(self) -> None:
        _trouble_makers.append(self)

    def stop_faults(self) -> None:
        """Stop observing exchanges."""
        _trouble_makers.remove(self)

    def record_exchange(self) -> None:
        """Record an exchange with the provider, answered or not."""
        self.requests_in_transaction += connection.in_atomic_block
        if self._after_exchange is not None and threading.get_ident() == self._thread:
            self._after_exchange()

    @contextmanager
    def inject_trouble(self, trouble: Trouble, perform_act: Callable[[Act], None]) -> Iterator[None]:
        """Inject a trouble into the block; `perform_act` performs the act of somebody else.

        A killed process ends the block without an exception.
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
                with self._inject_act(exchange, lambda: perform_act(act)):
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
            # The length does not matter: after a second the connection is cut as after a minute.
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

        def tick_and_execute(execute: Any, sql: str, *rest: Any) -> Any:
            if not sql.startswith(ROLLBACK_STATEMENTS):
                tick()
            return execute(sql, *rest)

        self._after_exchange = tick
        try:
            with connection.execute_wrapper(tick_and_execute):
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
                except Exception as error:  # noqa: BLE001  (raised below: here the portal would handle it)
                    failures.append(error)
                # Set last, because the act resets it when it injects its own trouble, which is none.
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


def _notify_trouble_makers(_exchange: transport.Exchange) -> None:
    for trouble_maker in _trouble_makers:
        trouble_maker.record_exchange()


transport.add_watcher(_notify_trouble_makers)
