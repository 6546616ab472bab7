"""A proxy between the portal and the provider that can lose or replace responses."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from faults.support.tcp_relay import ConnectionCut, RelayedConnection, TcpRelay


def ignore_request(_request: bytes) -> None:
    """Do nothing with a request."""


def is_estimate_request(request: bytes) -> bool:
    """Return whether a request is an estimate."""
    return b"estimate" in request.split(b" HTTP")[0]


def is_write_request(request: bytes) -> bool:
    """Return whether a request writes."""
    return request.startswith(b"POST") and not is_estimate_request(request)


class FaultyProxy(TcpRelay):
    """Relays requests to a local port, and the responses as its mode says.

    `good` relays responses; `lose` cuts the connection instead of relaying the response; `replace` sends other bytes
    instead. `on_answer` is called with the request when the provider has responded and before the portal sees it.
    """

    def __init__(self, port: int) -> None:
        self.mode = "good"
        self.replacement = b""
        self.on_answer: Callable[[bytes], None] = ignore_request
        self._asked: dict[RelayedConnection, bytes] = {}
        super().__init__(port)

    @property
    def endpoint(self) -> str:
        """The provider's URL through this proxy."""
        return f"http://127.0.0.1:{self.port}/api/v2"

    def record_requests(self) -> list[bytes]:
        """Relay everything; return a list to which each further request is appended."""
        requests: list[bytes] = []

        def record_request(request: bytes) -> None:
            if request:  # a response may arrive in several parts
                requests.append(request)

        self.mode, self.on_answer = "good", record_request
        return requests

    def lose_answers(self) -> None:
        """Lose every response from now on."""
        self.mode = "lose"

    def lose_write(self, number: int, replacement: bytes = b"") -> None:
        """Lose or replace the response of the write with this number, counted from 1 from now on."""
        writes = count(1)

        def lose_matching(request: bytes) -> None:
            self.mode = "replace" if is_write_request(request) and next(writes) == number else "good"

        self.on_answer, self.replacement = lose_matching, replacement

    def run_after_write(self, act: Callable[[], object]) -> None:
        """Call `act` when the provider has responded to the next write, before the portal sees the response."""

        def run_once(request: bytes) -> None:
            if is_write_request(request):
                self.on_answer = ignore_request
                act()

        self.on_answer = run_once

    def run_after_estimate(self, act: Callable[[], object]) -> None:
        """Call `act` when the provider has responded to the next estimate, before the portal sees the response."""

        def run_once(request: bytes) -> None:
            if is_estimate_request(request):
                self.on_answer = ignore_request
                act()

        self.on_answer = run_once

    def answer_with(self, raw: bytes) -> None:
        """Replace every response from now on by these bytes."""
        self.mode, self.replacement = "replace", raw

    def restore(self) -> None:
        """Relay everything again."""
        self.mode, self.on_answer = "good", ignore_request
        super().restore()

    def to_server(self, line: RelayedConnection, data: bytes) -> bytes:
        """Return what to relay to the provider, and record it: headers and body of a request may arrive separately."""
        self._asked[line] = self._asked.get(line, b"") + data
        return super().to_server(line, data)

    def to_client(self, line: RelayedConnection, data: bytes) -> bytes:
        """Return what to relay of a response. Raises ConnectionCut."""
        self.on_answer(self._asked.pop(line, b""))
        if self.mode == "lose":
            raise ConnectionCut
        if self.mode == "replace":
            line.client.sendall(self.replacement)
            raise ConnectionCut
        return super().to_client(line, data)
