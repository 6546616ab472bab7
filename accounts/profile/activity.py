"""The activity list that a subscriber sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from accounts.models import Account, AccountEvent
from accounts.profile.sent_mails import readable_mail_ids

DEFAULT_LIMIT = 50
YOU, SUPPORT, SYSTEM = "you", "support", "system"
ACTORS = (YOU, SUPPORT, SYSTEM)


@dataclass(frozen=True, slots=True)
class ActivityEntry:
    """An event of the account without the operator's name. `mail_id` is the mail about it, if one was sent."""

    at: datetime
    kind: str
    text: str
    actor: str
    mail_id: int | None

    @classmethod
    def from_event(cls, event: AccountEvent, mail_id: int | None) -> ActivityEntry:
        """Return the entry for an event and its mail."""
        return cls(at=event.at, kind=event.kind, text=event.text, actor=public_actor(event.actor), mail_id=mail_id)


def activity_entries(account: Account, *, limit: int = DEFAULT_LIMIT, offset: int = 0) -> Sequence[ActivityEntry]:
    """Return a slice of the account's activity, newest first, in two queries."""
    events = AccountEvent.objects.filter(account=account).order_by("-at", "-id")[offset : offset + limit]
    mails = readable_mail_ids([event.pk for event in events])
    return [ActivityEntry.from_event(event, mails.get(event.pk)) for event in events]


def public_actor(actor: str) -> str:
    """Return the actor as one of `ACTORS`, which leaves out an operator's name."""
    kind = actor.partition(":")[0]
    return kind if kind in ACTORS else SYSTEM
