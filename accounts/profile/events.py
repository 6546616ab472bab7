"""Recording the activity of an account."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from accounts.models import Account, AccountEvent
from accounts.models.events import MAX_TEXT_LENGTH


def record_event(account: Account, *, kind: str, text: str, actor: str, at: datetime, reason: str = "") -> AccountEvent:
    """Add an entry to the account's activity. Call this in the transaction that makes it true.

    `actor` is `you`, `support:<user name>` or `system`; `reason` is why an operator did it.
    """
    [event] = record_events([AccountEvent(account=account, kind=kind, text=text, actor=actor, reason=reason, at=at)])
    return event


def record_events(events: Sequence[AccountEvent]) -> list[AccountEvent]:
    """Add new entries, each to the activity of its account, as `record_event` adds one. One query.

    A longer text than an entry holds is cut: the change that it tells of has been made, whatever its plans are called.
    """
    for event in events:
        # Django's Truncator does not count combining marks, and the column does.
        if len(event.text) > MAX_TEXT_LENGTH:
            event.text = f"{event.text[: MAX_TEXT_LENGTH - 1]}…"
    return AccountEvent.objects.bulk_create(events)
