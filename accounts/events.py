"""The activity of an account: what happened, in words for its owner."""

from __future__ import annotations

from datetime import datetime

from accounts.models import Account, AccountEvent


def record(account: Account, *, kind: str, text: str, actor: str, at: datetime) -> AccountEvent:
    """Add one event; call it in the transaction that makes it true.

    `actor` is `you`, `support:<user name>` or `system`. Nothing changes or deletes an event afterwards.
    """
    return AccountEvent.objects.create(account=account, kind=kind, text=text, actor=actor, at=at)
