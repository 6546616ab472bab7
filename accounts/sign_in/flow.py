"""Signing in and out."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.db import transaction
from django.utils import timezone

from accounts import signals
from accounts.models import Account, Brand, SessionToken, SignInEvent, User
from accounts.profile import events
from accounts.sign_in import challenges, new_sign_in
from accounts.sign_in.log import record_refusal, record_sign_in_event
from accounts.sign_in.sessions import sign_out_everywhere
from core.limits import Throttled
from core.network import Origin


@dataclass(frozen=True, slots=True)
class NewSession:
    """A new session. The token is returned here only; the database holds its digest."""

    token: str
    expires_at: datetime
    account: Account


def sign_in_with_code(
    *, email: str, code: str, challenge_id: uuid.UUID | None, origin: Origin, brand: Brand, known_browser: str = ""
) -> NewSession:
    """Exchange the right code for a new session, and log the attempt in every case.

    `brand`, where the subscriber signs in, is stored with the account for its mails. `known_browser` is the id of a
    browser that has signed in to the address before.

    Raises `challenges.InvalidOtp`, `challenges.TooManyTries`, `guessing.ClosedToNewBrowsers` or `Throttled`.
    """
    try:
        challenge = challenges.verify_code(
            email=email, code=code, challenge_id=challenge_id, origin=origin, known_browser=known_browser
        )
        with transaction.atomic():
            return _open_session(challenges.redeem_challenge(challenge), origin, brand)
    except Throttled:
        record_refusal(email, origin)
        raise
    except challenges.InvalidOtp:
        record_sign_in_event(SignInEvent.Kind.FAILED, email, origin)
        raise


def end_session(session: SessionToken) -> None:
    """End one session; its token is invalid at once."""
    session.delete()


def sign_out_by_operator(account: Account, *, actor: str, reason: str) -> int:
    """End every session of an account, record it in the activity, and return how many there were.

    `reason` is why the operator did it.
    """
    with transaction.atomic():
        events.record_event(
            account,
            kind="signed_out",
            text="You were signed out everywhere.",
            actor=actor,
            reason=reason,
            at=timezone.now(),
        )
        return sign_out_everywhere(account)


def deactivate_account(account: Account) -> None:
    """Prevent the account from signing in and end its sessions."""
    with transaction.atomic():
        User.objects.filter(pk=account.user_id).update(is_active=False)
        sign_out_everywhere(account)


def reactivate_account(account: Account) -> None:
    """Allow the account to sign in again."""
    User.objects.filter(pk=account.user_id).update(is_active=True)


def _open_session(account: Account, origin: Origin, brand: Brand) -> NewSession:
    _remember_brand(account, brand)
    session, token = SessionToken.objects.create(user=account.user, agent=origin.agent)
    new_sign_in.notify_new_sign_in(account, origin, session.created)
    record_sign_in_event(SignInEvent.Kind.OK, account.email, origin, account)
    transaction.on_commit(partial(signals.announce_sign_in, account))
    return NewSession(token=token, expires_at=session.expiry, account=account)


def _remember_brand(account: Account, brand: Brand) -> None:
    """Store the brand where the account signs in, or None if the site has no brands."""
    if account.brand_id != brand.pk:
        account.brand = brand if brand.pk else None
        account.save(update_fields=["brand"])
