"""Mail for subscribers: put it into the outbox, and it is sent once what caused it is committed."""

from __future__ import annotations

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts import tasks
from accounts.enqueue import enqueue
from accounts.models import Account, Brand, OutgoingMail


def queue(
    *,
    kind: str,
    to: str,
    context: dict[str, object],
    account: Account | None = None,
    dedupe_key: str | None = None,
    brand: Brand | None = None,
) -> OutgoingMail | None:
    """Put a mail into the outbox; call it in the transaction that makes the mail true.

    `kind` names the templates `mail/<kind>.subject.txt`, `.txt` and `.html`, rendered with `context` (JSON,
    nothing secret) when the mail is sent. A second mail with the same `dedupe_key` is not queued, and None is
    returned.
    """
    fields = {
        "kind": kind,
        "to": to,
        "context": context,
        "account": account,
        "dedupe_key": dedupe_key,
        "brand": brand if brand is not None and brand.pk else None,
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


def try_again(mails: QuerySet[OutgoingMail]) -> int:
    """Have waiting and given-up mails tried again at once, and say how many; the others stay as they are."""
    states = (OutgoingMail.State.PENDING, OutgoingMail.State.FAILED)
    chosen = list(mails.filter(state__in=states).values_list("pk", flat=True))
    OutgoingMail.objects.filter(pk__in=chosen, state__in=states).update(
        state=OutgoingMail.State.PENDING, next_attempt_at=timezone.now(), attempts=0
    )
    for mail_id in chosen:
        enqueue(tasks.send_mail, mail_id)
    return len(chosen)
