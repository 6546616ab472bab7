"""When a subscription was paused, according to the provider's events."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from billing.tests.support.live_provider import billed_ids
from billing.tests.support.webhook_delivery import Event


@dataclass
class PausePeriod:
    """A pause according to the provider's events, in seconds; `ours` says that the portal scheduled it."""

    began_at: int
    ours: bool
    ended_at: int | None = None
    resumed_at: int | None = None

    def covers_instant(self, instant: int) -> bool:
        """Return whether the pause was in effect at an instant and just after it."""
        return self.began_at <= instant and (self.ended_at is None or instant < self.ended_at)


def pause_periods(story: Iterable[Event], ours: Collection[str]) -> list[PausePeriod]:
    """Return the pauses of a subscription that began, from its events in order."""
    found: list[PausePeriod] = []
    is_ours = False
    for event in story:
        raw = event["content"]["subscription"]
        open_period = found[-1] if found and found[-1].ended_at is None else None
        is_ours = (is_ours or event["id"] in ours) and "pause_date" in raw
        if raw["status"] == "paused" and open_period is None:
            found.append(PausePeriod(began_at=event["occurred_at"], ours=is_ours))
        elif raw["status"] != "paused" and open_period is not None:
            open_period.ended_at = event["occurred_at"]
            open_period.resumed_at = None if raw["status"] == "cancelled" else event["occurred_at"]
    return found


def is_placed_by_portal(story: Iterable[Event], ours: Collection[str]) -> bool:
    """Return whether the portal scheduled the current or scheduled pause of a subscription."""
    placed = False
    for event in story:
        placed = (placed or event["id"] in ours) and "pause_date" in event["content"]["subscription"]
    return placed


def assert_never_billed_while_paused(story: Iterable[Event]) -> None:
    """Assert that no invoice bills a subscription that was paused at its date, from all events in order."""
    stories: dict[str, list[Event]] = {}
    invoices = []
    for event in story:
        if "subscription" in event["content"]:
            stories.setdefault(event["content"]["subscription"]["id"], []).append(event)
        if event["event_type"] == "invoice_generated":
            invoices.append(event["content"]["invoice"])
    pauses = {identifier: pause_periods(events, ()) for identifier, events in stories.items()}
    for invoice in invoices:
        within = [
            pause
            for identifier in billed_ids(invoice)
            for pause in pauses.get(identifier, ())
            if pause.covers_instant(invoice["date"])
        ]
        assert not within, f"invoice {invoice['id']} bills a paused subscription"
