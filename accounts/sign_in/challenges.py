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
from accounts.sign_in import limits, login_code_mail, otp
from accounts.sign_in.log import record_refusal
from core import clock
from core.errors import PortalError
from core.limits import Throttled, consume_limits, seconds_until
from core.network import Origin
from core.task_queue import enqueue_task

CHALLENGE_LIFETIME = timedelta(minutes=10)
RESEND_AFTER = limits.SEND_GAP.window
MAX_OPEN_CHALLENGES = 3


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

    message = "Too many tries with this code. Request a new one."


def open_challenge(
    *, email: str, typed_email: str, origin: Origin, brand: Brand, instead_of: uuid.UUID | None = None
) -> LoginChallenge:
    """Open a challenge for a normalized address and queue the mail with its code. Raises `Throttled`.

    `typed_email` is the address as it was typed, `instead_of` the browser's previous challenge, which this one
    replaces. Nothing here looks up the account, so that the response time is the same for known and unknown addresses;
    the mail task does.
    """
    try:
        with transaction.atomic():
            consume_limits(
                (limits.SEND_GAP, email), (limits.SEND_ADDRESS, email), (limits.SEND_NETWORK, origin.network)
            )
            challenge = _create_challenge(email, typed_email, origin, brand, instead_of)
            enqueue_task("accounts.tasks.send_login_code", str(challenge.pk))
    except Throttled:
        record_refusal(email, origin)
        raise
    return challenge


def verify_code(*, email: str, code: str, challenge_id: uuid.UUID | None, origin: Origin) -> LoginChallenge:
    """Count a try and return the challenge if the code is right for it.

    Without an id, the newest open challenge of the address is meant. Raises `InvalidOtp`, `TooManyTries` or
    `Throttled`.
    """
    challenge = _find_challenge(email, challenge_id)
    if challenge is None or challenge_id is None:
        # A client that names an open challenge is limited by its five tries alone. All others share these limits,
        # so that a stranger who uses them up never locks out the browser that requested the code.
        consume_limits((limits.TRY_ADDRESS, email), (limits.TRY_NETWORK, origin.network))
    if challenge is None:
        otp.is_code_correct(code, challenge="", code_hash="")  # keeps the response time constant
        raise InvalidOtp
    _count_try(challenge, "blind_tries" if challenge_id is None else "tries")
    if not otp.is_code_correct(code, challenge=str(challenge.pk), code_hash=challenge.code_hash):
        raise InvalidOtp
    return challenge


def redeem_challenge(challenge: LoginChallenge) -> Account:
    """Mark a challenge as used and return its account, in the caller's transaction. Raises `InvalidOtp`.

    A conditional UPDATE ensures that of concurrent requests only the first succeeds. The account is locked: a change of
    its address either ends this challenge, or waits and ends the session that the challenge opens.
    """
    accounts = Account.objects.select_related("user").select_for_update(no_key=True, of=("self",))
    account = accounts.filter(login_challenges=challenge, email=challenge.email).first()
    if (
        account is None
        or not account.user.is_active
        or not _unspent_challenge(challenge).update(used_at=clock.database_now())
    ):
        raise InvalidOtp
    return account


def _create_challenge(
    email: str, typed_email: str, origin: Origin, brand: Brand, instead_of: uuid.UUID | None
) -> LoginChallenge:
    now = clock.database_now()
    open_challenges = _open_challenges(email)
    if instead_of is not None:
        open_challenges.filter(pk=instead_of).update(lapsed_at=now)
    _lapse_excess_challenges(list(open_challenges.order_by("created_at")), origin, now)
    mail = OutgoingMail.objects.create(
        kind=login_code_mail.MAIL_KIND,
        to=email,
        brand=brand if brand.pk else None,
        next_attempt_at=now,
        expires_at=now + CHALLENGE_LIFETIME,
    )
    return LoginChallenge.objects.create(
        email=email,
        typed_email=typed_email,
        mail=mail,
        network=origin.address,
        agent=origin.agent,
        created_at=now,
        expires_at=now + CHALLENGE_LIFETIME,
    )


def _lapse_excess_challenges(challenges: list[LoginChallenge], origin: Origin, now: datetime) -> None:
    """Lapse the oldest of the open challenges until there is room for one more.

    Those from the same network address go first, so that an attacker who requests codes for somebody else's address
    displaces their own challenges before the owner's.
    """
    excess = len(challenges) - MAX_OPEN_CHALLENGES + 1
    if excess <= 0:
        return
    by_priority = sorted(challenges, key=lambda challenge: (challenge.network != origin.address, challenge.created_at))
    lapsing = [challenge.pk for challenge in by_priority[:excess]]
    LoginChallenge.objects.filter(pk__in=lapsing).update(lapsed_at=now)


def _find_challenge(email: str, challenge_id: uuid.UUID | None) -> LoginChallenge | None:
    challenges = _open_challenges(email)
    if challenge_id is not None:
        return challenges.filter(pk=challenge_id).first()
    return challenges.order_by("-created_at").first()


def _open_challenges(email: str) -> QuerySet[LoginChallenge]:
    return LoginChallenge.objects.filter(email=email, used_at=None, lapsed_at=None, expires_at__gt=clock.database_now())


def _unspent_challenge(challenge: LoginChallenge) -> QuerySet[LoginChallenge]:
    return _open_challenges(challenge.email).filter(pk=challenge.pk)


def _count_try(challenge: LoginChallenge, counter: Literal["tries", "blind_tries"]) -> None:
    """Use one of the five tries with a conditional UPDATE, so that concurrent requests never get a sixth."""
    with_tries_left = _unspent_challenge(challenge).filter(**{f"{counter}__lt": MAX_TRIES})
    if with_tries_left.update(**{counter: F(counter) + 1}):
        return
    if _unspent_challenge(challenge).exists():
        raise TooManyTries(retry_after=seconds_until(challenge.expires_at, clock.database_now()))
    raise InvalidOtp
