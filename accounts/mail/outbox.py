"""Sending what is in the outbox, at least once, and never what has lost its meaning."""

from __future__ import annotations

import logging
import random
import smtplib
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from django.db.models import Count, Min, QuerySet

from accounts.mail import preferences
from accounts.mail.rendering import compose_message
from accounts.mail.smtp_connection import send_message
from accounts.models import OutgoingMail
from accounts.signals import MailOutcome, announce_settled_mails
from core import clock
from core.tracing import SpanKind, open_span
from core.workers import shutdown
from core.workers.leases import LEASE_DURATION, LeaseLost, keep_leases

logger = logging.getLogger(__name__)


class NotSettled(Exception):
    """What a mail says is not decided yet: a preparation raises this to be asked again a little later."""


class NeedsProvider(Exception):
    """What a mail says must be asked from the provider: a preparation raises this to be asked again by a job.

    Jobs keep a pace, which leaves room for subscribers' requests.
    """


Queue = OutgoingMail.Queue

FIRST_RETRY_DELAY = timedelta(seconds=20)
UNSETTLED_DELAY = timedelta(seconds=30)
MAX_RETRY_DELAY = timedelta(hours=2)
MAX_ATTEMPTS = 20  # more than a day of a mail server being down
SWEEP_BATCH = 500
# After so many failures in a row a slice ends: the mail server is down, and each try may take as long as its time-out.
FAILURES_PER_SLICE = 3
TOO_LATE_REASON = "too late to be of use"
UNWANTED_REASON = "nobody to send it to, or no longer wanted"
MERGED_REASON = "told in mail"

# What a kind still needs when it is sent: the context to render with, or None for "there is nobody to send it
# to".
Preparation = Callable[[OutgoingMail], dict[str, object] | None]
PREPARATIONS: dict[str, Preparation] = {}
# What a kind has done once the mail server took a mail.
SENT_HOOKS: dict[str, Callable[[OutgoingMail], None]] = {}


@dataclass(frozen=True)
class OutboxHealth:
    """How the outbox stands, for operators: `lapsed` and `given_up` count the mails of the last day."""

    waiting: int
    oldest: datetime | None
    lapsed: int
    given_up: int


@dataclass(frozen=True)
class QueueHealth:
    """How many mails of a queue wait, and since when the oldest of them does."""

    waiting: int
    oldest: datetime | None


def queue_health(queue: Queue) -> QueueHealth:
    """Tell how many mails of a queue wait and since when."""
    mails = OutgoingMail.objects.filter(state=OutgoingMail.State.PENDING, queue=queue)
    return QueueHealth(**mails.aggregate(waiting=Count("pk"), oldest=Min("created_at")))


def outbox_health() -> OutboxHealth:
    """Tell how many mails wait and since when, and how many of the last day's never left."""
    waiting = OutgoingMail.objects.filter(state=OutgoingMail.State.PENDING)
    # Not by when they were queued: a mail is tried for a day, and a notice waits for days.
    lately = OutgoingMail.objects.filter(given_up_at__gt=clock.database_now() - timedelta(days=1))
    return OutboxHealth(
        waiting=waiting.count(),
        oldest=waiting.aggregate(at=Min("created_at"))["at"],
        lapsed=lately.filter(state=OutgoingMail.State.DROPPED).count(),
        given_up=lately.filter(state=OutgoingMail.State.FAILED).count(),
    )


def drop_expired_mails() -> None:
    """Drop the waiting mails that are past their use."""
    lapsed = OutgoingMail.objects.unfinished().filter(expires_at__lte=clock.database_now())
    dropped = sum(map(partial(_drop_lapsed, lapsed), lapsed.order_by().values_list("kind", flat=True).distinct()))
    if dropped:
        logger.error("%s mails expired before they were sent and were dropped; check the mail server", dropped)


def _drop_lapsed(lapsed: QuerySet[OutgoingMail], kind: str) -> int:
    dropped = lapsed.filter(kind=kind).update(**_too_late())
    announce_settled_mails(kind, MailOutcome.TOO_LATE, count=dropped)
    return dropped


def _too_late() -> dict[str, object]:
    """Return what a mail that is past its use is saved with."""
    dropped = {"state": OutgoingMail.State.DROPPED, "last_error": TOO_LATE_REASON}
    return {**dropped, "given_up_at": clock.database_now()}


def due_mail_ids(queue: Queue | None = None) -> list[int]:
    """Return the ids of waiting mails of a queue, or of all, whose time has come, oldest first."""
    due = OutgoingMail.objects.due().order_by("next_attempt_at", "pk")
    if queue is not None:
        due = due.filter(queue=queue)
    return list(due.values_list("pk", flat=True)[:SWEEP_BATCH])


def has_due_mail(queue: Queue) -> bool:
    """Return whether a mail of a queue waits whose time has come."""
    return OutgoingMail.objects.due().filter(queue=queue).exists()


def deliver_due_mails(queue: Queue, *, until: float) -> int:
    """Send the due mails of a queue as `deliver_mails`; return how many were handled."""
    return deliver_mails(due_mail_ids(queue), until=until)


def deliver_mails(mail_ids: Iterable[int], *, until: float) -> int:
    """Send those mails that are due until a time of the monotonic clock, one at least; return how many were handled.

    Stops when several fail in a row: the next slice tries others.
    """
    handled = failed = 0
    for mail_id in mail_ids:
        failed = 0 if deliver_mail(mail_id) else failed + 1
        handled += 1
        if shutdown.is_time_up(until) or failed == FAILURES_PER_SLICE:
            break
    return handled


def deliver_mail(mail_id: int) -> bool:
    """Send one mail if it is due and nobody else has it in hand; return False if it could not be sent.

    A failure is stored with the time of the next try and never raised.
    """
    mail = OutgoingMail.objects.select_related("account", "brand").claim_one(mail_id, lease=LEASE_DURATION)
    if mail is None:
        return True
    described = {"mail.id": mail.pk, "mail.attempt": mail.attempts}
    with open_span(f"mail {mail.kind}", trace=mail.trace, attributes=described) as span:
        is_handled = _deliver_claimed_mail(mail)
        span.set_attribute("mail.state", mail.state)
        return is_handled


def _deliver_claimed_mail(mail: OutgoingMail) -> bool:
    # It may have been made to tell more between being read and claimed.
    mail.refresh_from_db(fields=["context"])
    if mail.expires_at is not None and mail.expires_at <= clock.database_now():
        _settle_mail(mail, MailOutcome.TOO_LATE, **_too_late())
        return True
    try:
        with keep_leases([mail]):
            sent_as = _send_mail(mail)
    except NotSettled:
        # Not counted, so that a mail that waited long still has all its tries when the mail server fails.
        mail.retry_later(UNSETTLED_DELAY, attempts=mail.attempts - 1)
    except NeedsProvider:
        mail.retry_later(timedelta(0), attempts=mail.attempts - 1, queue=Queue.JOBS)
    except LeaseLost:
        logger.info("Mail %s is sent by another worker", mail.pk)
    except Exception as error:  # noqa: BLE001  (whatever it is, it is a reason to try again later)
        _postpone_mail(mail, error)
        return False
    else:
        _finish_mail(mail, sent_as)
    return True


def _finish_mail(mail: OutgoingMail, sent_as: dict[str, object] | None) -> None:
    if sent_as is None:
        # Should it be wanted again, it may be queued again: its key is free.
        dropped = {"state": OutgoingMail.State.DROPPED, "last_error": UNWANTED_REASON}
        _settle_mail(mail, MailOutcome.UNWANTED, **dropped, dedupe_key=None)
        return
    kept = sent_as if mail.event_id is not None else None
    sent = {"state": OutgoingMail.State.SENT, "last_error": ""}
    _settle_mail(mail, MailOutcome.SENT, **sent, sent_at=clock.database_now(), sent_as=kept)
    if on_sent := SENT_HOOKS.get(mail.kind):
        on_sent(mail)


def _settle_mail(mail: OutgoingMail, outcome: MailOutcome, **changes: object) -> None:
    """Save how a mail left the outbox, and announce it unless another worker has settled it."""
    if mail.finish(**changes):
        announce_settled_mails(mail.kind, outcome, waited=(mail.sent_at or clock.database_now()) - mail.created_at)


def _send_mail(mail: OutgoingMail) -> dict[str, object] | None:
    """Hand a mail to the mail server and return what it said.

    Return None where nobody wants it any more, or its account lost its address.
    """
    if preferences.is_unwanted(mail):
        return None
    prepare = PREPARATIONS.get(mail.kind)
    context = prepare(mail) if prepare else mail.context
    if context is None:
        return None
    if prepare:
        # It may have waited for the provider, and this process may have been suspended for longer than a lease lasts.
        mail.renew_lease(LEASE_DURATION)
    _follow_account(mail)
    if not mail.to:
        return None
    message = compose_message(mail, context)
    with open_span("SMTP", kind=SpanKind.CLIENT):
        send_message(message)
    return {**context, "subject": message.subject, "text": message.body}


def _follow_account(mail: OutgoingMail) -> None:
    """Send an account's mail to the address that the account has now, which may not be the one it was queued for."""
    if mail.account is not None and mail.to != mail.account.email:
        mail.to = mail.account.email
        mail.save(update_fields=["to"])


def _postpone_mail(mail: OutgoingMail, error: Exception) -> None:
    """Note the failure by its class and place alone, since its text could hold what the mail said, or to whom."""
    if _is_final_refusal(error) or mail.attempts >= MAX_ATTEMPTS:
        logger.error("Mail %s (%s) failed for good: %s", mail.pk, mail.kind, _describe_error(error))
        failed = {"state": OutgoingMail.State.FAILED, "last_error": _describe_error(error)}
        _settle_mail(mail, MailOutcome.REFUSED, **failed, given_up_at=clock.database_now())
        return
    logger.warning("Mail %s (%s) could not be sent: %s", mail.pk, mail.kind, _describe_error(error))
    mail.retry_later(_retry_delay(mail.attempts), last_error=_describe_error(error))


def _describe_error(error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {Path(frame.filename).name}, line {frame.lineno}"


def _is_final_refusal(error: Exception) -> bool:
    """Whether the mail server refused this address for good (RFC 5321, section 4.2.1: a 5yz reply)."""
    return isinstance(error, smtplib.SMTPRecipientsRefused) and all(
        code >= 500 for code, _text in error.recipients.values()
    )


def _retry_delay(attempts: int) -> timedelta:
    """Double from `FIRST_RETRY_DELAY` to `MAX_RETRY_DELAY`, with a fifth of jitter."""
    doublings: int = 2 ** min(attempts - 1, 12)
    wait = min(FIRST_RETRY_DELAY * doublings, MAX_RETRY_DELAY)
    return wait * random.uniform(0.9, 1.1)  # noqa: S311  (spreads retries, keeps no secret)
