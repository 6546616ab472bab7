"""Sign-in challenges: requesting a code and verifying it (docs/rules.md, rule 13)."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from django.db import transaction
from django.db.models import F, QuerySet

from accounts.models import Account, Brand, LoginChallenge, OutgoingMail
from accounts.models.sign_in import MAX_TRIES
from accounts.sign_in import guessing, limits, login_code_mail, otp
from accounts.sign_in.log import record_refusal
from core import clock
from core.errors import PortalError
from core.limits import Throttled, consume_limits, seconds_until
from core.network import Origin
from core.workers.task_queue import enqueue_task

CHALLENGE_LIFETIME = timedelta(minutes=10)
RESEND_AFTER = limits.SEND_GAP.window
MAX_OPEN_CHALLENGES = 3  # of one known browser, or of one network's strangers


@dataclass(frozen=True, slots=True)
class SentCode:
    """The answer to a request for a code, the same whether or not the address has an account. Times in seconds."""

    challenge_id: uuid.UUID
    message: str = "If an account has this address, a code is on its way. It can take a minute."
    expires_in: int = int(CHALLENGE_LIFETIME.total_seconds())
    resend_in: int = int(RESEND_AFTER.total_seconds())


class InvalidOtp(PortalError):
    """The code is wrong, used, expired, or of another challenge; the error does not tell which."""

    code = "invalid_otp"
    status = 400
    message = "That code is wrong or has expired. Check it or request a new one."


class TooManyTries(Throttled):
    """The challenge has used up its tries; even the right code is refused."""

    message = "This code can't be tried again. Request a new one."


def open_challenge(
    *,
    email: str,
    typed_email: str,
    origin: Origin,
    brand: Brand,
    known_browser: str = "",
    instead_of: uuid.UUID | None = None,
) -> LoginChallenge:
    """Open a challenge for a normalized address and queue the mail with its code. Raises `Throttled`.

    `typed_email` is the address as it was typed, `known_browser` the id of a browser that has signed in to it before,
    `instead_of` the browser's previous challenge, which this one replaces. Nothing here looks up the account, so that
    the response time is the same for known and unknown addresses; the mail task does.
    """
    try:
        with transaction.atomic():
            _consume_send_limits(email, origin, known_browser)
            shared = None if known_browser else _code_to_share(email)
            challenge = LoginChallenge(
                email=email,
                typed_email=typed_email,
                known_browser=known_browser,
                network=origin.address,
                agent=origin.agent,
                shares_code_of=shared,
            )
            _create_challenge(challenge, brand, instead_of)
            if shared is None:
                enqueue_task("accounts.tasks.send_login_code", str(challenge.pk))
    except Throttled:
        record_refusal(email, origin)
        raise
    return challenge


def verify_code(
    *, email: str, code: str, challenge_id: uuid.UUID | None, origin: Origin, known_browser: str = ""
) -> LoginChallenge:
    """Count a try and return the challenge if the code is right for it.

    Without an id, the newest open challenge of the address is meant. Raises `InvalidOtp`, `TooManyTries`,
    `guessing.ClosedToNewBrowsers` or `Throttled`.
    """
    challenge = _find_challenge(email, challenge_id)
    if challenge is None or challenge_id is None:
        # A client that names an open challenge is limited by its five tries. Others have these limits, too: they need
        # not request a code first.
        _consume_try_limits(email, origin, known_browser)
    if challenge is None:
        otp.is_code_correct(code, challenge="", code_hash="")  # keeps the response time constant
        raise InvalidOtp
    # First, because it ends a spent challenge: what is not compared is no wrong code.
    _count_try(challenge, "blind_tries" if challenge_id is None else "tries")
    left = guessing.count_failure(email, known_browser)
    holder = challenge.code_holder
    if not otp.is_code_correct(code, challenge=str(holder.pk), code_hash=holder.code_hash):
        guessing.tell_owner_of_last_failure(email, known_browser, left=left)
        raise InvalidOtp
    guessing.forget_failures(email, known_browser)
    return challenge


def redeem_challenge(challenge: LoginChallenge) -> Account:
    """Mark a challenge as used and return its account, in the caller's transaction. Raises `InvalidOtp`.

    Conditional UPDATEs ensure that of concurrent requests only the first succeeds, also of those that share a code. The
    account is locked: a change of its address either ends this challenge, or waits and ends the session that the
    challenge opens.
    """
    accounts = Account.objects.select_related("user").select_for_update(no_key=True, of=("self",))
    account = accounts.filter(login_challenges=challenge.code_holder, email=challenge.email).first()
    if account is None or not account.user.is_active or not _spend_challenge(challenge):
        raise InvalidOtp
    return account


def _consume_send_limits(email: str, origin: Origin, known_browser: str) -> None:
    subject = limits.requester_subject(email, origin.network, known_browser)
    consume_limits((limits.SEND_GAP, subject), (limits.SEND_ADDRESS, subject))
    if not known_browser:
        consume_limits((limits.SEND_NETWORK, origin.network))


def _consume_try_limits(email: str, origin: Origin, known_browser: str) -> None:
    consume_limits((limits.TRY_ADDRESS, limits.requester_subject(email, origin.network, known_browser)))
    if not known_browser:
        consume_limits((limits.TRY_NETWORK, origin.network))


def _code_to_share(email: str) -> LoginChallenge | None:
    """Return the challenge with the code that was mailed last, if strangers may send no more mail to the address."""
    for limit in (limits.MAILBOX, limits.MAILBOX_AT_LEAST):
        try:
            consume_limits((limit, email))
        except Throttled:
            continue
        return None
    mailed = LoginChallenge.objects.filter(email=email, known_browser="", used_at=None, mail__isnull=False)
    return mailed.filter(expires_at__gt=clock.database_now()).order_by("-created_at").first()


def _create_challenge(challenge: LoginChallenge, brand: Brand, instead_of: uuid.UUID | None) -> None:
    now = clock.database_now()
    if instead_of is not None:
        _open_challenges(challenge.email).filter(pk=instead_of).update(lapsed_at=now)
    _lapse_excess_challenges(challenge, now)
    challenge.created_at, challenge.expires_at = now, now + CHALLENGE_LIFETIME
    if challenge.shares_code_of is None:
        challenge.mail = OutgoingMail.objects.create(
            kind=login_code_mail.MAIL_KIND,
            to=challenge.email,
            brand=brand if brand.pk else None,
            next_attempt_at=now,
            expires_at=challenge.expires_at,
            queue=OutgoingMail.Queue.CODES,
        )
    else:
        challenge.expires_at = challenge.shares_code_of.expires_at
    challenge.save(force_insert=True)


def _lapse_excess_challenges(challenge: LoginChallenge, now: datetime) -> None:
    """Lapse the oldest open challenges of the same requester until there is room for one more.

    Those of others stay: nobody can end a challenge by requesting codes for the same address.
    """
    same_requester = {"known_browser": challenge.known_browser}
    if not challenge.known_browser:
        same_requester["network"] = challenge.network
    opened = _open_challenges(challenge.email).filter(**same_requester).order_by("-created_at")
    lapsing = list(opened.values_list("pk", flat=True)[MAX_OPEN_CHALLENGES - 1 :])
    if lapsing:
        LoginChallenge.objects.filter(pk__in=lapsing).update(lapsed_at=now)


def _find_challenge(email: str, challenge_id: uuid.UUID | None) -> LoginChallenge | None:
    challenges = _open_challenges(email).select_related("shares_code_of")
    if challenge_id is not None:
        return challenges.filter(pk=challenge_id).first()
    return challenges.order_by("-created_at").first()


def _open_challenges(email: str) -> QuerySet[LoginChallenge]:
    return LoginChallenge.objects.filter(email=email, used_at=None, lapsed_at=None, expires_at__gt=clock.database_now())


def _unspent_challenge(challenge: LoginChallenge) -> QuerySet[LoginChallenge]:
    return _open_challenges(challenge.email).filter(pk=challenge.pk)


def _spend_challenge(challenge: LoginChallenge) -> bool:
    """Mark a challenge and the one whose code it shares as used; return False if either was used before."""
    now = clock.database_now()
    if not _unspent_challenge(challenge).update(used_at=now):
        return False
    shared = challenge.shares_code_of
    return shared is None or bool(LoginChallenge.objects.filter(pk=shared.pk, used_at=None).update(used_at=now))


def _count_try(challenge: LoginChallenge, counter: Literal["tries", "blind_tries"]) -> None:
    """Use one of the five tries with a conditional UPDATE, so that concurrent requests never get a sixth."""
    with_tries_left = _unspent_challenge(challenge).filter(**{f"{counter}__lt": MAX_TRIES})
    if with_tries_left.update(**{counter: F(counter) + 1}):
        return
    if _unspent_challenge(challenge).exists():
        raise TooManyTries(retry_after=seconds_until(challenge.expires_at, clock.database_now()))
    raise InvalidOtp
