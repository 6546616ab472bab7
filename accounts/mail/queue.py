"""Queueing mail: a mail is written to the outbox and sent after the transaction is committed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from accounts.mail import outbox
from accounts.models import Account, AccountEvent, Brand, OutgoingMail
from core import clock
from core.workers.leases import LEASE_DURATION
from core.workers.task_queue import enqueue_task


def queue_mail(  # noqa: PLR0913  (they are the columns of one row)
    *,
    kind: str,
    to: str,
    context: dict[str, object],
    account: Account | None = None,
    brand: Brand | None = None,
    dedupe_key: str | None = None,
    expires_at: datetime | None = None,
    category: str = "",
    event: AccountEvent | None = None,
    queue: outbox.Queue = outbox.Queue.MAIL,
) -> OutgoingMail | None:
    """Add a mail to the outbox and return it. Call this in the transaction that makes the mail's content true.

    `kind` names the templates `mail/<kind>.subject.txt`, `.txt` and `.html`. They are rendered when the mail is sent,
    with `context` (JSON without secrets) and the brand where the account last signed in, or `brand` without an account.
    `action_url` and `undo_links` in the context may be paths of the portal. A mail of an account goes to the address
    that the account has by then, a mail without one to `to`.

    A second mail with the same `dedupe_key` is not queued, and None is returned; a mail that is dropped frees its key.
    After `expires_at` (real time) the mail is dropped. A mail with a `category` is optional: it is sent only if the
    account wants the category. A mail about an `event` of the account's activity is kept as it was sent, and the
    subscriber can read it there. A mail whose preparation asks the provider belongs to the `queue` of jobs, which the
    next tick announces.
    """
    brand_id = brand.pk if brand else None
    mail = OutgoingMail(
        kind=kind,
        to=to,
        context=context,
        account=account,
        dedupe_key=dedupe_key,
        brand_id=brand_id if account is None else account.brand_id,
        next_attempt_at=clock.database_now(),
        expires_at=expires_at,
        category=category,
        event=event,
        queue=queue,
    )
    try:
        with transaction.atomic():
            mail.save()
    except IntegrityError:
        if dedupe_key and OutgoingMail.objects.filter(dedupe_key=dedupe_key).exists():
            return None
        raise
    _announce_mails([mail])
    return mail


def queue_mails(mails: Sequence[OutgoingMail]) -> None:
    """Add new mails to the outbox, all or none, as `queue_mail` adds one; their brands are set. Two queries, one task.

    Raises IntegrityError if the `dedupe_key` of one is taken.
    """
    now = clock.database_now()
    for mail in mails:
        mail.next_attempt_at = now
    OutgoingMail.objects.bulk_create(mails)
    _announce_mails(mails)


def delay_mail(mail: OutgoingMail, delay: timedelta) -> None:
    """Send a mail later, so that `merge_mail` can make it tell more; call this in the transaction that queued it."""
    OutgoingMail.objects.filter(pk=mail.pk).update(next_attempt_at=clock.database_now() + delay)


def merge_mail(mail: OutgoingMail, *, into: OutgoingMail, context: dict[str, object], send_now: bool = True) -> bool:
    """Let a mail that was not tried yet tell what another says as well, with a `context` that says both.

    Return False, and change nothing, if it was tried meanwhile: then both are sent. Call this in the transaction that
    queued `mail`, whose row stays with its `dedupe_key`: what it says is told once. With `send_now`, a delay ends.
    """
    changes = {"next_attempt_at": clock.database_now()} if send_now else {}
    untried = OutgoingMail.objects.unfinished().filter(pk=into.pk, attempts=0)
    if not untried.update(context=context, **changes):
        return False
    OutgoingMail.objects.filter(pk=mail.pk).update(
        state=OutgoingMail.State.DROPPED,
        last_error=f"{outbox.MERGED_REASON} {into.pk}",
        merged_into=into.pk,
        next_attempt_at=None,
    )
    if send_now:
        _announce_mails([into])
    return True


def register_preparation(kind: str, preparation: outbox.Preparation) -> None:
    """Call `preparation` each time a mail of this kind is about to be sent.

    It takes the mail's row and returns the context to render, or None if the mail should no longer be sent: the mail
    is then dropped and its `dedupe_key` is free again. If it raises, the mail is retried later;
    `outbox.NotSettled` says that this is no failure, `outbox.NeedsProvider` that a job is to send it.
    """
    outbox.PREPARATIONS[kind] = preparation


def register_sent_hook(kind: str, hook: Callable[[OutgoingMail], None]) -> None:
    """Call `hook` with the mail's row after the mail server has accepted a mail of this kind."""
    outbox.SENT_HOOKS[kind] = hook


def retry_mails(mails: QuerySet[OutgoingMail]) -> list[OutgoingMail]:
    """Retry the pending and failed ones of these mails now, and return them.

    One that a worker may be sending is left alone: its lease ends, or its next try comes, within half a minute.
    """
    states = (OutgoingMail.State.PENDING, OutgoingMail.State.FAILED)
    unsent = list(mails.filter(state__in=states))
    now = clock.database_now()
    soon = Q(state=OutgoingMail.State.PENDING, next_attempt_at__gt=now, next_attempt_at__lte=now + LEASE_DURATION)
    OutgoingMail.objects.filter(pk__in=[mail.pk for mail in unsent], state__in=states).exclude(soon).update(
        state=OutgoingMail.State.PENDING, next_attempt_at=now, attempts=0, given_up_at=None
    )
    for mail in unsent:
        _announce_mails([mail])
    return unsent


def _announce_mails(mails: Sequence[OutgoingMail]) -> None:
    """Enqueue a task that sends mails one after the other; jobs find theirs by their rows."""
    for mail_queue, task_queue in ((outbox.Queue.CODES, settings.CODES_QUEUE), (outbox.Queue.MAIL, None)):
        if mail_ids := [mail.pk for mail in mails if mail.queue == mail_queue]:
            enqueue_task("accounts.tasks.send_mail", *mail_ids, queue=task_queue)
