"""Sign-in by code (contract, rule 13): asking for one, and trying one."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from typing import Literal

from django.db import transaction
from django.db.models import F, QuerySet

from accounts import clock, codes, limits, login_code, tasks
from accounts.enqueue import enqueue
from accounts.models import Account, Brand, LoginChallenge, OutgoingMail
from accounts.models.sign_in import TRIES
from accounts.network import Origin
from accounts.sign_in_log import note_limited
from portal.errors import PortalError

LIFETIME = timedelta(minutes=10)
RESEND_AFTER = limits.SEND_GAP.window
OPEN_AT_ONCE = 3


class InvalidOtp(PortalError):
    """The code is wrong, spent, expired, or belongs to another challenge: the four look the same."""

    code = "invalid_otp"
    status = 400
    message = "That code is not right or is no longer valid. Check it, or ask for a new one."


class TooManyTries(limits.Throttled):
    """The challenge has had its five tries; even the right code is refused from now on."""

    message = "That was too many tries with this code. Please ask for a new one."


def ask(*, email: str, origin: Origin, brand: Brand, instead_of: uuid.UUID | None = None) -> LoginChallenge:
    """Open a challenge for an address and queue the mail with its code.

    Nothing here looks at who has the address, so that known and unknown ones cost the same; the mail task
    does. `instead_of` is the browser's own earlier challenge, which this one replaces. Raises
    `limits.Throttled`.
    """
    try:
        with transaction.atomic():
            limits.take(
                (limits.SEND_GAP, email), (limits.SEND_ADDRESS, email), (limits.SEND_NETWORK, origin.network)
            )
            challenge = _open(email, origin, brand, instead_of)
            enqueue(tasks.send_login_code, str(challenge.pk))
    except limits.Throttled:
        note_limited(email, origin)
        raise
    return challenge


def check(*, email: str, code: str, challenge_id: uuid.UUID | None, origin: Origin) -> LoginChallenge:
    """Count a try and give the challenge that the code is right for.

    Without an id the newest open challenge of the address counts. Raises `InvalidOtp`, `TooManyTries` or
    `limits.Throttled`.
    """
    challenge = _find(email, challenge_id)
    if challenge is None or challenge_id is None:
        # Whoever names an open challenge is limited by its five tries alone. Everybody else shares these
        # counters, so that a stranger who fills them locks out strangers, and never the browser that asked.
        limits.take((limits.TRY_ADDRESS, email), (limits.TRY_NETWORK, origin.network))
    if challenge is None:
        codes.matches(code, challenge="", code_hash="")  # takes as long as with a challenge
        raise InvalidOtp
    _count_try(challenge, "blind_tries" if challenge_id is None else "tries")
    if not codes.matches(code, challenge=str(challenge.pk), code_hash=challenge.code_hash):
        raise InvalidOtp
    return challenge


def spend(challenge: LoginChallenge) -> Account:
    """Use a challenge up and give the account of its address. Raises `InvalidOtp`.

    One UPDATE decides between parallel right codes: only the first finds the challenge unused.
    """
    account = Account.objects.of_address(challenge.email)
    if account is None or not account.user.is_active or not _unspent(challenge).update(used_at=clock.now()):
        raise InvalidOtp
    return account


def _open(email: str, origin: Origin, brand: Brand, instead_of: uuid.UUID | None) -> LoginChallenge:
    now = clock.now()
    still_open = _open_ones(email)
    if instead_of is not None:
        still_open.filter(pk=instead_of).update(lapsed_at=now)
    _make_room(list(still_open.order_by("created_at")), origin, now)
    mail = OutgoingMail.objects.create(
        kind=login_code.KIND,
        to=email,
        brand=brand if brand.pk else None,
        next_attempt_at=now,
        expires_at=now + LIFETIME,
    )
    return LoginChallenge.objects.create(
        email=email,
        mail=mail,
        network=origin.address,
        agent=origin.agent,
        created_at=now,
        expires_at=now + LIFETIME,
    )


def _make_room(standing: list[LoginChallenge], origin: Origin, now: datetime) -> None:
    """Let the oldest lapse until there is room for one more.

    The oldest that came from the same address goes first, so that somebody who keeps asking for a stranger's
    codes pushes out their own before the owner's.
    """
    excess = len(standing) - OPEN_AT_ONCE + 1
    if excess <= 0:
        return
    own_first = sorted(standing, key=lambda one: (one.network != origin.address, one.created_at))
    LoginChallenge.objects.filter(pk__in=[one.pk for one in own_first[:excess]]).update(lapsed_at=now)


def _find(email: str, challenge_id: uuid.UUID | None) -> LoginChallenge | None:
    found = _open_ones(email)
    if challenge_id is not None:
        return found.filter(pk=challenge_id).first()
    return found.order_by("-created_at").first()


def _open_ones(email: str) -> QuerySet[LoginChallenge]:
    return LoginChallenge.objects.filter(
        email=email, used_at=None, lapsed_at=None, expires_at__gt=clock.now()
    )


def _unspent(challenge: LoginChallenge) -> QuerySet[LoginChallenge]:
    return _open_ones(challenge.email).filter(pk=challenge.pk)


def _count_try(challenge: LoginChallenge, counter: Literal["tries", "blind_tries"]) -> None:
    """Take one of the five tries by a conditional UPDATE, so that parallel ones never get a sixth."""
    left = _unspent(challenge).filter(**{f"{counter}__lt": TRIES})
    if left.update(**{counter: F(counter) + 1}):
        return
    if _unspent(challenge).exists():
        raise TooManyTries(retry_after=limits.seconds_until(challenge.expires_at, clock.now()))
    raise InvalidOtp
