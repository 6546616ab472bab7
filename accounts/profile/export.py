"""The data export: everything the portal holds on one subscriber, as `GET /api/account/export` returns it.

Each application registers its part. A part runs a fixed number of queries and contains no secret: no code, no token,
no digest of either, no operator's name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict

from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.models import Account, AccountEvent, OutgoingMail, SignInEvent
from accounts.profile.activity import ActivityEntry
from accounts.profile.erasure import previous_address_prefix
from accounts.profile.profile import Profile
from accounts.profile.sent_mails import readable_mail_ids

# Returns top-level keys of the exported JSON.
ExportPart = Callable[[Account], Mapping[str, object]]

_export_parts: dict[str, ExportPart] = {}


def register_export_part(name: str, part: ExportPart) -> None:
    """Add a part to every export, replacing one of the same name."""
    _export_parts[name] = part


def export_account(account: Account) -> dict[str, object]:
    """Return all parts of an account's export, with the time of the export."""
    export: dict[str, object] = {"exported_at": timezone.now()}
    for part in _export_parts.values():
        export.update(part(account))
    return export


def profile_export_part(account: Account) -> Mapping[str, object]:
    """Return the profile, sign-ins, activity and mails of an account."""
    return {
        "profile": _profile_fields(account),
        "sign_in_events": list(SignInEvent.objects.filter(account=account).values("at", "kind", "network", "agent")),
        "activity": _activity(account),
        "mails": [_mail_summary(mail) for mail in _mails(account)],
    }


def _profile_fields(account: Account) -> dict[str, object]:
    profile = Profile.from_account(account)
    return {
        "email": account.email,
        "first_name": profile.first_name,
        "last_name": profile.last_name,
        "bmonth": profile.birth_month,
        "bday": profile.birth_day,
        "brand": account.brand.code if account.brand else None,
        "created_at": account.created_at,
    }


def _activity(account: Account) -> list[dict[str, object]]:
    account_events = list(AccountEvent.objects.filter(account=account))
    mails = readable_mail_ids([event.pk for event in account_events])
    return [asdict(ActivityEntry.from_event(event, mails.get(event.pk))) for event in account_events]


def _mails(account: Account) -> QuerySet[OutgoingMail]:
    """Return the mails of the account, also those to the addresses that it had before, which name no account."""
    to_previous_address = Q(dedupe_key__startswith=previous_address_prefix(account))
    return OutgoingMail.objects.filter(Q(account=account) | to_previous_address)


def _mail_summary(mail: OutgoingMail) -> dict[str, object]:
    return {
        "id": mail.pk,
        "kind": mail.kind,
        "about": mail.context.get("title"),
        "queued_at": mail.created_at,
        "sent_at": mail.sent_at,
        "text": mail.sent_as and mail.sent_as["text"],
    }
