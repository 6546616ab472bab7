"""Recording the activity of an account."""

from __future__ import annotations

from datetime import datetime

from accounts.models import Account, AccountEvent


def record_event(account: Account, *, kind: str, text: str, actor: str, at: datetime, reason: str = "") -> AccountEvent:
    """Add an entry to the account's activity. Call this in the transaction that makes it true.

    `actor` is `you`, `support:<user name>` or `system`; `reason` is why an operator did it.
    """
    return AccountEvent.objects.create(account=account, kind=kind, text=text, actor=actor, reason=reason, at=at)
