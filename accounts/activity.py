"""What an account's owner reads of its activity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from accounts.models import Account, AccountEvent

NEWEST = 50
YOU, SUPPORT, SYSTEM = "you", "support", "system"
ACTORS = (YOU, SUPPORT, SYSTEM)


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that was done to the account, and by whom: an operator is never named."""

    at: datetime
    kind: str
    text: str
    actor: str

    @classmethod
    def of(cls, event: AccountEvent) -> Entry:
        """Give the entry of an event."""
        return cls(at=event.at, kind=event.kind, text=event.text, actor=who(event.actor))


def entries(account: Account, *, limit: int = NEWEST, offset: int = 0) -> Sequence[Entry]:
    """Give a slice of what was done to an account, newest first, in one query."""
    found = AccountEvent.objects.filter(account=account).order_by("-at", "-id")
    return [Entry.of(event) for event in found[offset : offset + limit]]


def who(actor: str) -> str:
    """Say who acted, as subscribers read it: one of `ACTORS`, an operator without a name."""
    kind = actor.partition(":")[0]
    return kind if kind in ACTORS else SYSTEM
