"""Faults of webhooks: an event is lost, doubled, delayed, or overtaken by a later one.

A delayed event waits in its row, by the site's clock, so that it blocks no thread and survives a restart.
"""

from __future__ import annotations

from collections.abc import Iterable

from chargebee_sandbox import clock
from chargebee_sandbox.engine.write_lock import hold_write_lock
from chargebee_sandbox.faults import fault_queue, strike_log
from chargebee_sandbox.faults.strike_log import Strike
from chargebee_sandbox.models import Event

_LOST_REASON = "Lost on purpose"


class DeliveryFaults:
    """The events that faults have struck; a fault strikes an event once at most, at its first attempt."""

    def __init__(self) -> None:
        self._struck: set[int] = set()
        self._to_be_overtaken: set[int] = set()

    def copies_to_send(self, event: Event) -> int:
        """Return how often to send a due event; for 0 the fault has updated the event's row."""
        if event.webhook_attempts or event.seq in self._struck:
            return 1
        fault = fault_queue.take_for_event(event.event_type)
        if fault is None:
            return 1
        self._struck.add(event.seq)
        strike = strike_log.record_strike(
            Strike(fault.kind, event.event_type, _event_trail(event.seq), event=event.handle)
        )
        match fault.kind:
            case "double_webhook":
                strike.answered = "sent twice"
                return 2
            case "lose_webhook":
                strike.answered = "not sent"
                _update_delivery(event, "failed", None, _LOST_REASON)
                return 0
            case "reorder_webhook":
                self._to_be_overtaken.add(event.seq)
        strike.answered = "kept back"
        _update_delivery(event, "re_scheduled", clock.now_seconds() + fault.seconds, "")
        return 0

    def release_overtaken(self, sent: Iterable[int]) -> None:
        """Make those due that waited for a later event to be sent first."""
        newest = max(sent, default=0)
        released = {seq for seq in self._to_be_overtaken if seq < newest}
        if released:
            waiting = Event.objects.filter(seq__in=released, webhook_status="re_scheduled", webhook_attempts=0)
            waiting.update(next_attempt_at=clock.now_seconds())
            self._to_be_overtaken -= released


def record_attempt(seq: int, failure: str) -> None:
    """Record how an attempt ended, if a fault has struck the event."""
    strike_log.record_sequel(_event_trail(seq), f"sent: {failure or 'taken'}")


def _event_trail(seq: int) -> str:
    return f"event {seq}"


def _update_delivery(event: Event, status: str, next_at: int | None, reason: str) -> None:
    with hold_write_lock():
        Event.objects.filter(seq=event.seq).update(
            webhook_status=status, next_attempt_at=next_at, webhook_failure_reason=reason
        )
