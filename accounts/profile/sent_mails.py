"""Mails that the subscriber can read again in the portal, as they were sent."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q

from accounts.models import Account, OutgoingMail
from core.errors import NotFound

logger = logging.getLogger(__name__)

State = OutgoingMail.State
_READABLE: dict[str, Any] = {"state": State.SENT, "sent_as__isnull": False}


@dataclass(frozen=True, slots=True)
class MailFact:
    """A line of a mail's table."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class MailLink:
    """A link of a mail to a path of the portal."""

    text: str
    path: str


@dataclass(frozen=True, slots=True)
class SentMail:
    """A mail as it was sent: when (UTC) and to which address, and its parts in their order."""

    sent_at: datetime
    sent_to: str
    title: str
    lines: tuple[str, ...]
    facts: tuple[MailFact, ...]
    note: str
    links: tuple[MailLink, ...]


def find_sent_mail(account: Account, mail_id: str) -> SentMail:
    """Return a mail of the account that its activity names. One query. Raises NotFound for any other."""
    readable = OutgoingMail.objects.filter(account=account, event__isnull=False, **_READABLE)
    row = readable.filter(pk=int(mail_id)).first() if mail_id.isdecimal() else None
    if row is None or row.sent_at is None or row.sent_as is None:
        logger.warning("Account %s named a mail that is not its own", account.pk)
        raise NotFound
    sent: Mapping[str, Any] = row.sent_as
    return SentMail(
        sent_at=row.sent_at,
        sent_to=row.to,
        title=sent["title"],
        lines=tuple(sent.get("lines") or ()),
        facts=tuple(MailFact(name, value) for name, value in sent.get("facts") or ()),
        note=sent.get("undo_text") or "",
        links=_links_of(sent),
    )


def readable_mail_ids(event_ids: Collection[int]) -> dict[int, int]:
    """Return the mail of each of these events that can be read, by the event's key. One query.

    What one mail says for several events was sent as that mail.
    """
    is_readable, is_told = Q(**_READABLE), Q(merged_into__state=State.SENT, merged_into__sent_as__isnull=False)
    mails = OutgoingMail.objects.filter(is_readable | is_told, event__in=event_ids)
    return {event: merged or mail for event, mail, merged in mails.values_list("event", "pk", "merged_into")}


def _links_of(sent: Mapping[str, Any]) -> tuple[MailLink, ...]:
    """Return the links that lead to a path of the portal, the button's first."""
    links = [(sent.get("action_label"), sent.get("action_url")), *(sent.get("undo_links") or ())]
    return tuple(MailLink(text, path) for text, path in links if text and str(path or "").startswith("/"))
