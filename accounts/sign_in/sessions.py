"""A subscriber's open sessions: ending them, and continuing them in another account of the same address."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.models import Account, SessionToken
from accounts.profile import events


def open_sessions(account: Account) -> QuerySet[SessionToken]:
    """Return the sessions that have not expired, also those in another account of the address, the last used first."""
    unexpired = _sessions_of_address(account).filter(expiry__gt=timezone.now())
    return unexpired.order_by("-last_used_at", "-created")


def sessions_export_part(account: Account) -> Mapping[str, object]:
    """Return where the subscriber is signed in, for the data export. One query."""
    return {
        "sessions": [
            {"created_at": session.created, "last_used_at": session.last_used_at, "agent": session.agent}
            for session in open_sessions(account)
        ]
    }


def end_other_sessions(account: Account, current: SessionToken) -> int:
    """End every session but the current one and return how many; their tokens are invalid at once."""
    with transaction.atomic():
        ended: int = _sessions_of_address(account).exclude(pk=current.pk).delete()[0]
        if ended:
            events.record_event(
                account,
                kind="signed_out",
                text="You signed out everywhere else.",
                actor="you",
                at=timezone.now(),
            )
    return ended


def sign_out_everywhere(account: Account) -> int:
    """End every session of an account, also those in another one of its address; return how many there were."""
    ended: int = _sessions_of_address(account).delete()[0]
    return ended


def switch_sessions(sessions: QuerySet[SessionToken], *, origin: Account, target: Account) -> bool:
    """Let sessions of an account continue, with their tokens, in another account of the same address.

    Return whether they do. They do not if the address of either account has changed, or the other may not sign in.
    """
    with transaction.atomic():
        # Locked, because a change of address ends the sessions of its account.
        accounts = Account.objects.select_for_update(no_key=True, of=("self",)).select_related("user")
        locked = {account.pk: account for account in accounts.filter(pk__in=(origin.pk, target.pk)).order_by("pk")}
        here, there = locked.get(origin.pk), locked.get(target.pk)
        if here is None or there is None or not there.email or there.email != here.email or not there.user.is_active:
            return False
        sessions.filter(user=here.user_id).update(user=there.user_id)
    return True


def _sessions_of_address(account: Account) -> QuerySet[SessionToken]:
    """Return the sessions of an account and of the others of its address, which could continue in it."""
    users = Account.objects.exclude(email="").filter(email=account.email).values("user")
    sessions: QuerySet[SessionToken] = SessionToken.objects.filter(Q(user=account.user_id) | Q(user__in=users))
    return sessions
