"""A subscriber's open sessions, and signing out everywhere else."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import Account, SessionToken
from accounts.profile import events


def open_sessions(account: Account) -> QuerySet[SessionToken]:
    """Return the sessions that have not expired, the last used first."""
    sessions: QuerySet[SessionToken] = SessionToken.objects.filter(
        user=account.user_id, expiry__gt=timezone.now()
    ).order_by("-last_used_at", "-created")
    return sessions


def sessions_export_part(account: Account) -> Mapping[str, object]:
    """Return where the account is signed in, for the subscriber's data export. One query."""
    return {
        "sessions": [
            {"created_at": session.created, "last_used_at": session.last_used_at, "agent": session.agent}
            for session in open_sessions(account)
        ]
    }


def end_other_sessions(account: Account, current: SessionToken) -> int:
    """End every session but the current one and return how many; their tokens are invalid at once."""
    with transaction.atomic():
        ended: int = SessionToken.objects.filter(user=account.user_id).exclude(pk=current.pk).delete()[0]
        if ended:
            events.record_event(
                account,
                kind="signed_out",
                text="You signed out everywhere else.",
                actor="you",
                at=timezone.now(),
            )
    return ended
