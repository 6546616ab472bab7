"""Signing in and out."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.db import transaction
from django.utils import timezone

from accounts import challenges, events, hooks, limits, new_sign_in
from accounts.models import Account, Brand, SessionToken, SignInEvent, User
from accounts.network import Origin
from accounts.sign_in_log import note, note_limited


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A new session; `token` is told here and never again."""

    token: str
    expires_at: datetime
    account: Account


def sign_in(
    *, email: str, code: str, challenge_id: uuid.UUID | None, origin: Origin, brand: Brand
) -> SignedIn:
    """Exchange the right code for a new session, and leave an event however it ends.

    The account keeps `brand`, the one it signs in at, for its mails.

    Raises `challenges.InvalidOtp`, `challenges.TooManyTries` or `limits.Throttled`.
    """
    try:
        challenge = challenges.check(email=email, code=code, challenge_id=challenge_id, origin=origin)
        with transaction.atomic():
            return _open_session(challenges.spend(challenge), origin, brand)
    except limits.Throttled:
        note_limited(email, origin)
        raise
    except challenges.InvalidOtp:
        note(SignInEvent.Kind.FAILED, email, origin)
        raise


def sign_out(session: SessionToken) -> None:
    """End one session; its token is dead at once."""
    session.delete()


def sign_out_everywhere(account: Account) -> int:
    """End every session of an account and say how many there were."""
    ended: int = SessionToken.objects.filter(user=account.user).delete()[0]
    return ended


def end_sessions_for(account: Account, *, actor: str) -> int:
    """End every session of an account for its owner, whose activity tells it; say how many there were."""
    with transaction.atomic():
        events.record(
            account,
            kind="signed_out",
            text="You were signed out everywhere.",
            actor=actor,
            at=timezone.now(),
        )
        return sign_out_everywhere(account)


def switch_off(account: Account) -> None:
    """Refuse the account from now on; its tokens are dead at once."""
    with transaction.atomic():
        User.objects.filter(pk=account.user_id).update(is_active=False)
        sign_out_everywhere(account)


def switch_on(account: Account) -> None:
    """Let the account sign in again."""
    User.objects.filter(pk=account.user_id).update(is_active=True)


def _open_session(account: Account, origin: Origin, brand: Brand) -> SignedIn:
    _remember(account, brand)
    session, token = SessionToken.objects.create(user=account.user, agent=origin.agent)
    new_sign_in.tell(account, origin, session.created)
    note(SignInEvent.Kind.OK, account.email, origin, account)
    transaction.on_commit(partial(hooks.announce_sign_in, account))
    return SignedIn(token=token, expires_at=session.expiry, account=account)


def _remember(account: Account, brand: Brand) -> None:
    """Keep the brand that an account signs in at; a site without brands has none to keep."""
    if account.brand_id != brand.pk:
        account.brand = brand if brand.pk else None
        account.save(update_fields=["brand"])
