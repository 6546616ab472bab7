"""A bad network between the portal and the provider: a relay that can lose answers or cut them short."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from faults.relay import CutShort, Line, Relay


def ignore(_request: bytes) -> None:
    """Let a request pass."""


def is_estimate(request: bytes) -> bool:
    """Whether a request only asks what something would cost."""
    return b"estimate" in request.split(b" HTTP")[0]


def is_write(request: bytes) -> bool:
    """Whether a request changes something."""
    return request.startswith(b"POST") and not is_estimate(request)


class Cable(Relay):
    """Carries requests to a port of this machine, and answers back as its mode says.

    `good` carries everything; `lose_answers` lets a request through and cuts before its answer; `answer` puts other
    bytes in the answer's place, after the request was carried and answered. `on_answer` is called with the request when
    the provider has answered it and the portal has not heard yet.
    """

    def __init__(self, port: int) -> None:
        self.mode = "good"
        self.replacement = b""
        self.on_answer: Callable[[bytes], None] = ignore
        self._asked: dict[Line, bytes] = {}
        super().__init__(port)

    @property
    def endpoint(self) -> str:
        """The provider's address by way of this cable."""
        return f"http://127.0.0.1:{self.port}/api/v2"

    def listen(self) -> list[bytes]:
        """Carry everything; return a list that fills with what the provider is asked from now on."""
        requests: list[bytes] = []

        def note(request: bytes) -> None:
            if request:  # an answer may come in several parts
                requests.append(request)

        self.mode, self.on_answer = "good", note
        return requests

    def lose_answers(self) -> None:
        """From now on the provider hears us, and we do not hear it."""
        self.mode = "lose"

    def lose_write(self, number: int, replacement: bytes = b"") -> None:
        """Lose the answer of one write from now on, the first being 1, or put these bytes in its place."""
        writes = count(1)

        def lose(request: bytes) -> None:
            self.mode = "replace" if is_write(request) and next(writes) == number else "good"

        self.on_answer, self.replacement = lose, replacement

    def after_write(self, act: Callable[[], object]) -> None:
        """Do something once, when the next write was answered and the portal has not heard yet."""

        def meanwhile(request: bytes) -> None:
            if is_write(request):
                self.on_answer = ignore
                act()

        self.on_answer = meanwhile

    def after_estimate(self, act: Callable[[], object]) -> None:
        """Do something once, when the next estimate was answered and the portal has not heard yet."""

        def meanwhile(request: bytes) -> None:
            if is_estimate(request):
                self.on_answer = ignore
                act()

        self.on_answer = meanwhile

    def answer_with(self, raw: bytes) -> None:
        """From now on every answer is these bytes."""
        self.mode, self.replacement = "replace", raw

    def mend(self) -> None:
        """Carry everything again."""
        self.mode, self.on_answer = "good", ignore
        super().mend()

    def to_server(self, line: Line, data: bytes) -> bytes:
        """Return what the provider is to hear, and keep it: the head and the body of a request may come apart."""
        self._asked[line] = self._asked.get(line, b"") + data
        return super().to_server(line, data)

    def to_client(self, line: Line, data: bytes) -> bytes:
        """Return what the portal is to hear of an answer. Raises `CutShort`."""
        self.on_answer(self._asked.pop(line, b""))
        if self.mode == "lose":
            raise CutShort
        if self.mode == "replace":
            line.near.sendall(self.replacement)
            raise CutShort
        return super().to_client(line, data)
