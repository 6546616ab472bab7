"""The activity list that a subscriber sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from accounts.models import Account, AccountEvent

DEFAULT_LIMIT = 50
YOU, SUPPORT, SYSTEM = "you", "support", "system"
ACTORS = (YOU, SUPPORT, SYSTEM)


@dataclass(frozen=True, slots=True)
class ActivityEntry:
    """An event of the account without the operator's name."""

    at: datetime
    kind: str
    text: str
    actor: str

    @classmethod
    def from_event(cls, event: AccountEvent) -> ActivityEntry:
        """Return the entry for an event."""
        return cls(at=event.at, kind=event.kind, text=event.text, actor=public_actor(event.actor))


def activity_entries(account: Account, *, limit: int = DEFAULT_LIMIT, offset: int = 0) -> Sequence[ActivityEntry]:
    """Return a slice of the account's activity, newest first, in one query."""
    events = AccountEvent.objects.filter(account=account).order_by("-at", "-id")
    return [ActivityEntry.from_event(event) for event in events[offset : offset + limit]]


def public_actor(actor: str) -> str:
    """Return the actor as one of `ACTORS`, which leaves out an operator's name."""
    kind = actor.partition(":")[0]
    return kind if kind in ACTORS else SYSTEM
