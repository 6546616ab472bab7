"""Everything the portal holds on one subscriber, for themselves (contract, `GET /api/account/export`).

Each application adds its part, so that this one needs to know none of them. A part makes the same number of queries
whatever the account holds, and gives away no secret: no code, no token, no digest of either, no operator's name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict

from django.utils import timezone

from accounts.activity import Entry
from accounts.models import Account, AccountEvent, OutgoingMail, SignInEvent
from accounts.profile import Profile
from accounts.sessions import open_sessions

# What an application holds on an account, by the names that a subscriber reads it under.
Part = Callable[[Account], Mapping[str, object]]

_parts: dict[str, Part] = {}


def contribute(application: str, part: Part) -> None:
    """Add what an application holds, in place of what it added before."""
    _parts[application] = part


def everything(account: Account) -> dict[str, object]:
    """Give what all applications hold on an account, with the moment it was put together."""
    held: dict[str, object] = {"exported_at": timezone.now()}
    for part in _parts.values():
        held.update(part(account))
    return held


def _own_part(account: Account) -> Mapping[str, object]:
    return {
        "profile": _profile(account),
        "sessions": [
            {"created_at": one.created, "last_used_at": one.last_used_at, "agent": one.agent}
            for one in open_sessions(account)
        ],
        "sign_in_events": list(
            SignInEvent.objects.filter(account=account).values("at", "kind", "network", "agent")
        ),
        "activity": [asdict(Entry.of(one)) for one in AccountEvent.objects.filter(account=account)],
        "mails": [_mail(one) for one in OutgoingMail.objects.filter(account=account)],
    }


def _profile(account: Account) -> dict[str, object]:
    profile = Profile.of(account)
    return {
        "email": account.email,
        "first_name": profile.first_name,
        "last_name": profile.last_name,
        "bmonth": profile.birth_month,
        "bday": profile.birth_day,
        "brand": account.brand.code if account.brand else None,
        "created_at": account.created_at,
    }


def _mail(mail: OutgoingMail) -> dict[str, object]:
    return {
        "kind": mail.kind,
        "about": mail.context.get("title"),
        "queued_at": mail.created_at,
        "sent_at": mail.sent_at,
    }


contribute("accounts", _own_part)
