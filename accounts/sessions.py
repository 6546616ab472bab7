"""Where a subscriber is signed in, and signing out everywhere else."""

from __future__ import annotations

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts import events
from accounts.models import Account, SessionToken


def open_sessions(account: Account) -> QuerySet[SessionToken]:
    """Give the sessions whose token is still accepted, the last used first."""
    found: QuerySet[SessionToken] = SessionToken.objects.filter(
        user=account.user_id, expiry__gt=timezone.now()
    ).order_by("-last_used_at", "-created")
    return found


def end_others(account: Account, kept: SessionToken) -> int:
    """End every session but one, and say how many; their tokens are dead at once."""
    with transaction.atomic():
        ended: int = SessionToken.objects.filter(user=account.user_id).exclude(pk=kept.pk).delete()[0]
        if ended:
            events.record(
                account,
                kind="signed_out",
                text="You signed out everywhere else.",
                actor="you",
                at=timezone.now(),
            )
    return ended
