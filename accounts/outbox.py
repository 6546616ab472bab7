"""Sending what is in the outbox, at least once, and never what has lost its meaning."""

from __future__ import annotations

import logging
import random
import smtplib
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.db.models import F, Min

from accounts import clock, login_code, optional_mail
from accounts.letters import compose
from accounts.models import OutgoingMail
from portal import kill_points

logger = logging.getLogger(__name__)

# Nobody else tries a mail that is being sent; longer than the mail server's time-out and a provider look-up
# together.
LEASE = timedelta(minutes=2)
FIRST_WAIT = timedelta(seconds=20)
LONGEST_WAIT = timedelta(hours=2)
MAX_ATTEMPTS = 20  # more than a day of a mail server being down
SWEEP_BATCH = 500
TOO_LATE = "too late to be of use"

# What a kind still needs when it is sent: the context to render with, or None for "there is nobody to send it
# to".
Preparation = Callable[[OutgoingMail], dict[str, object] | None]
PREPARATIONS: dict[str, Preparation] = {login_code.KIND: login_code.prepare}


@dataclass(frozen=True)
class Health:
    """How the outbox stands, for operators: `lapsed` and `given_up` count the mails of the last day."""

    waiting: int
    oldest: datetime | None
    lapsed: int
    given_up: int


def health() -> Health:
    """Tell how many mails wait and since when, and how many of the last day's never left."""
    waiting = OutgoingMail.objects.filter(state=OutgoingMail.State.PENDING)
    lately = OutgoingMail.objects.filter(created_at__gt=clock.now() - timedelta(days=1))
    return Health(
        waiting=waiting.count(),
        oldest=waiting.aggregate(at=Min("created_at"))["at"],
        lapsed=lately.filter(state=OutgoingMail.State.DROPPED, last_error=TOO_LATE).count(),
        given_up=lately.filter(state=OutgoingMail.State.FAILED).count(),
    )


def due() -> list[int]:
    """Give the ids of waiting mails whose time has come, oldest first; those past their use are dropped."""
    now = clock.now()
    waiting = OutgoingMail.objects.filter(state=OutgoingMail.State.PENDING)
    lapsed = waiting.filter(expires_at__lte=now).update(state=OutgoingMail.State.DROPPED, last_error=TOO_LATE)
    if lapsed:
        logger.error("%s mails were not sent in time and are dropped: does the mail server answer?", lapsed)
    found = waiting.filter(next_attempt_at__lte=now).order_by("next_attempt_at")
    return list(found.values_list("pk", flat=True)[:SWEEP_BATCH])


def deliver(mail_id: int) -> None:
    """Send one mail if it is due and nobody else has it in hand.

    The lease is taken by one conditional UPDATE, so that two workers never send together; a worker that dies
    leaves a lease that runs out. A failure is noted with the time of the next try and never raised.
    """
    now = clock.now()
    mail = _claim(mail_id, now)
    if mail is None:
        return
    kill_points.reached("mail claimed")
    if mail.expires_at is not None and mail.expires_at <= now:
        _finish(mail, OutgoingMail.State.DROPPED, TOO_LATE)
        return
    try:
        _send(mail)
    except Exception as error:  # noqa: BLE001  (whatever it is, it is a reason to try again later)
        _postpone(mail, error)


def _claim(mail_id: int, now: datetime) -> OutgoingMail | None:
    taken = OutgoingMail.objects.filter(
        pk=mail_id, state=OutgoingMail.State.PENDING, next_attempt_at__lte=now
    ).update(next_attempt_at=now + LEASE, attempts=F("attempts") + 1)
    return OutgoingMail.objects.select_related("account", "brand").get(pk=mail_id) if taken else None


def _send(mail: OutgoingMail) -> None:
    if optional_mail.is_unwanted(mail):
        _drop(mail)
        return
    prepare = PREPARATIONS.get(mail.kind)
    context = prepare(mail) if prepare else mail.context
    if context is None:
        _drop(mail)
        return
    compose(mail, context).send()
    kill_points.reached("mail sent")
    _finish(mail, OutgoingMail.State.SENT)
    if mail.kind == login_code.KIND:
        login_code.note_sent(mail)


def _drop(mail: OutgoingMail) -> None:
    """Leave a mail unsent that is not wanted now; should it be wanted again, it may be queued again."""
    _finish(mail, OutgoingMail.State.DROPPED, "nobody to send it to, or no longer wanted")
    OutgoingMail.objects.filter(pk=mail.pk).update(dedupe_key=None)


def _finish(mail: OutgoingMail, state: OutgoingMail.State, why: str = "") -> None:
    sent_at = clock.now() if state == OutgoingMail.State.SENT else None
    OutgoingMail.objects.filter(pk=mail.pk).update(state=state, sent_at=sent_at, last_error=why)


def _postpone(mail: OutgoingMail, error: Exception) -> None:
    """Note the failure by its class and place alone, since its text could hold what the mail said, or to whom."""
    if _is_final(error) or mail.attempts >= MAX_ATTEMPTS:
        logger.error("Mail %s (%s) was given up: %s", mail.pk, mail.kind, _told(error))
        _finish(mail, OutgoingMail.State.FAILED, _told(error))
        return
    logger.warning("Mail %s (%s) could not be sent: %s", mail.pk, mail.kind, _told(error))
    OutgoingMail.objects.filter(pk=mail.pk).update(
        next_attempt_at=clock.now() + _wait(mail.attempts), last_error=_told(error)
    )


def _told(error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {Path(frame.filename).name}, line {frame.lineno}"


def _is_final(error: Exception) -> bool:
    """Whether the mail server refused this address for good (RFC 5321, section 4.2.1: a 5yz reply)."""
    return isinstance(error, smtplib.SMTPRecipientsRefused) and all(
        code >= 500 for code, _text in error.recipients.values()
    )


def _wait(attempts: int) -> timedelta:
    """Double from `FIRST_WAIT` to `LONGEST_WAIT`, with a fifth of jitter."""
    doublings: int = 2 ** min(attempts - 1, 12)
    wait = min(FIRST_WAIT * doublings, LONGEST_WAIT)
    return wait * random.uniform(0.9, 1.1)  # noqa: S311  (spreads retries, keeps no secret)
