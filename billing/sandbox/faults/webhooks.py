"""What a fault does to the delivery of an event: it is lost, doubled, late or overtaken by another.

An event that waits does so in its row, by the site's clock, so that no thread is held and a restart loses none.
"""

from __future__ import annotations

from collections.abc import Iterable

from billing.sandbox import clock
from billing.sandbox.engine.lock import writing
from billing.sandbox.faults import journal, queue
from billing.sandbox.faults.journal import Strike
from billing.sandbox.models import Event

_LOST = "Lost on purpose"


class Detours:
    """The courier's memory of the events that met a fault; each meets one at most, at its first try."""

    def __init__(self) -> None:
        self._met: set[int] = set()
        self._to_be_overtaken: set[int] = set()

    def copies(self, event: Event) -> int:
        """How often to send an event that is due; 0 where a fault keeps it back, which its row tells then."""
        if event.webhook_attempts or event.seq in self._met:
            return 1
        fault = queue.take_for_event(event.event_type)
        if fault is None:
            return 1
        self._met.add(event.seq)
        strike = journal.note(Strike(fault.kind, event.event_type, _trail(event.seq), event=event.handle))
        match fault.kind:
            case "double_webhook":
                strike.answered = "sent twice"
                return 2
            case "lose_webhook":
                strike.answered = "not sent"
                _write(event, "failed", None, _LOST)
                return 0
            case "reorder_webhook":
                self._to_be_overtaken.add(event.seq)
        strike.answered = "kept back"
        _write(event, "re_scheduled", clock.now() + fault.seconds, "")
        return 0

    def overtaken_by(self, sent: Iterable[int]) -> None:
        """Let those go that waited for a later event to be sent first."""
        newest = max(sent, default=0)
        released = {seq for seq in self._to_be_overtaken if seq < newest}
        if released:
            waits = Event.objects.filter(seq__in=released, webhook_status="re_scheduled", webhook_attempts=0)
            waits.update(next_attempt_at=clock.now())
            self._to_be_overtaken -= released


def sent(seq: int, failure: str) -> None:
    """Write down how a try ended, where the event had met a fault."""
    journal.follow(_trail(seq), f"sent: {failure or 'taken'}")


def _trail(seq: int) -> str:
    return f"event {seq}"


def _write(event: Event, status: str, next_at: int | None, reason: str) -> None:
    with writing():
        Event.objects.filter(seq=event.seq).update(
            webhook_status=status, next_attempt_at=next_at, webhook_failure_reason=reason
        )
