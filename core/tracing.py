"""Traces: which work belongs to which request, for a collector that an installation may have.

The applications open spans here, and portal installs what sends them; until then a span does nothing. A span never
holds what may be personal or secret: names of kinds, ids of rows and states only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from enum import StrEnum
from typing import Protocol

Attributes = Mapping[str, str | int]

# A `traceparent` (W3C Trace Context): version, trace, span and flags.
TRACE_LENGTH = 55


class SpanKind(StrEnum):
    """The side of an exchange that a span is of."""

    INTERNAL = "internal"
    SERVER = "server"
    CLIENT = "client"
    CONSUMER = "consumer"


class Span(Protocol):
    """What is being done, while it is being done."""

    def set_attribute(self, key: str, value: str | int) -> None:
        """Add what is known by now."""

    def update_name(self, name: str) -> None:
        """Rename it."""


class Tracer(Protocol):
    """What sends spans."""

    def open_span(
        self, name: str, *, kind: SpanKind, trace: str, attributes: Attributes
    ) -> AbstractContextManager[Span]:
        """See `open_span` below."""

    def record_span(self, name: str, *, kind: SpanKind, seconds: float, attributes: Attributes) -> None:
        """See `record_span` below."""

    def current_trace(self) -> str:
        """See `current_trace` below."""


class _NoSpan:
    def set_attribute(self, key: str, value: str | int) -> None:
        pass

    def update_name(self, name: str) -> None:
        pass


NO_SPAN = _NoSpan()


class _NoTracer:
    @contextmanager
    def open_span(self, name: str, *, kind: SpanKind, trace: str, attributes: Attributes) -> Iterator[Span]:
        yield NO_SPAN

    def record_span(self, name: str, *, kind: SpanKind, seconds: float, attributes: Attributes) -> None:
        pass

    def current_trace(self) -> str:
        return ""


_tracer: Tracer = _NoTracer()


def install_tracer(tracer: Tracer) -> None:
    """Send spans by this tracer from now on."""
    global _tracer  # noqa: PLW0603  (a process has one)
    _tracer = tracer


def open_span(
    name: str, *, kind: SpanKind = SpanKind.INTERNAL, trace: str = "", attributes: Attributes | None = None
) -> AbstractContextManager[Span]:
    """Open a span for the block, below the one that is open here.

    `trace` is where the work began, as `current_trace` returned it then. If that is another trace than the one here,
    the span belongs to that one and links to this one: what recovery continues stays with the request that began it.
    """
    return _tracer.open_span(name, kind=kind, trace=trace, attributes=attributes or {})


def record_span(name: str, *, kind: SpanKind, seconds: float, attributes: Attributes) -> None:
    """Record a span that took so many seconds and ends now, below the one that is open here."""
    _tracer.record_span(name, kind=kind, seconds=seconds, attributes=attributes)


def current_trace() -> str:
    """Return the place in the open trace, to be stored with work that is done later; empty without one."""
    return _tracer.current_trace()
