"""Mail for subscribers: put it into the outbox, and it is sent once what caused it is committed."""

from __future__ import annotations

from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from accounts import clock, outbox, tasks
from accounts.enqueue import enqueue
from accounts.models import Account, OutgoingMail


def queue(
    *,
    kind: str,
    to: str,
    context: dict[str, object],
    account: Account | None = None,
    dedupe_key: str | None = None,
    expires_at: datetime | None = None,
    category: str = "",
) -> OutgoingMail | None:
    """Put a mail into the outbox; call it in the transaction that makes the mail true.

    `kind` names the templates `mail/<kind>.subject.txt`, `.txt` and `.html`, rendered with `context` (JSON,
    nothing secret) when the mail is sent, in the brand that the account last signed in at; an `action_url` or one of
    `undo_links` may be a path of the portal's. A second mail with the same `dedupe_key` is not queued, and None is
    returned. After `expires_at` (real time) it is dropped and never sent. A `category` says that it is mail one may
    do without, and which: it is sent only to an account that wants that kind, with its way out.
    """
    fields = {
        "kind": kind,
        "to": to,
        "context": context,
        "account": account,
        "dedupe_key": dedupe_key,
        "brand_id": account.brand_id if account is not None else None,
        "next_attempt_at": clock.now(),
        "expires_at": expires_at,
        "category": category,
    }
    try:
        with transaction.atomic():
            mail = OutgoingMail.objects.create(**fields)
    except IntegrityError:
        if dedupe_key and OutgoingMail.objects.filter(dedupe_key=dedupe_key).exists():
            return None
        raise
    enqueue(tasks.send_mail, mail.pk)
    return mail


def prepare_with(kind: str, preparation: outbox.Preparation) -> None:
    """Have mails of a kind looked at again at the moment they are sent.

    `preparation` is given the mail's row and returns what its templates are rendered with, or None where it should not
    be sent any more: it is dropped then, and its `dedupe_key` is free again. Raises to have it tried later.
    """
    outbox.PREPARATIONS[kind] = preparation


def try_again(mails: QuerySet[OutgoingMail]) -> list[OutgoingMail]:
    """Have waiting and given-up mails tried again at once, and return these; the others stay as they are."""
    states = (OutgoingMail.State.PENDING, OutgoingMail.State.FAILED)
    chosen = list(mails.filter(state__in=states))
    OutgoingMail.objects.filter(pk__in=[mail.pk for mail in chosen], state__in=states).update(
        state=OutgoingMail.State.PENDING, next_attempt_at=clock.now(), attempts=0
    )
    for mail in chosen:
        enqueue(tasks.send_mail, mail.pk)
    return chosen
