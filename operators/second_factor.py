"""The second factor of an operator: given, checked, taken away.

Each has at most one app, and one set of codes: the ten that recover, or, until an app is enrolled, the one that
lets its owner in to do so.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django_otp.models import Device
from django_otp.plugins.otp_static.models import StaticDevice

from accounts.models import User
from operators import codes
from operators.models import Authenticator

RECOVERY, FIRST = "recovery codes", "first code"
RECOVERY_CODES = 10
FIRST_CODE_LIFE = timedelta(days=1)
APP_DIGITS = 6


class WrongCode(Exception):
    """The app that is to be enrolled shows another code; nothing has changed."""


def verify(user: User, code: str) -> Device | None:
    """Give what the code proves the user has, and spend the code; nothing where it proves nothing.

    A wrong code makes the next one wait, twice as long each time.
    """
    wanted = codes.plain(code)
    with transaction.atomic():
        if _is_of_app(wanted):
            app = Authenticator.objects.select_for_update().filter(user=user, confirmed=True).first()
            return app if app is not None and app.verify_token(wanted) else None
        written = _written(user)
        stored = codes.as_stored(wanted, user_id=user.pk)
        return written if written is not None and written.verify_token(stored) else None


def _is_of_app(code: str) -> bool:
    return len(code) == APP_DIGITS and code.isascii() and code.isdecimal()


def _written(user: User) -> StaticDevice | None:
    """Give the codes that are in force: a first one lapses, since it has to be sent to somebody."""
    sets = StaticDevice.objects.select_for_update().filter(user=user, confirmed=True)
    lapsed = timezone.now() - FIRST_CODE_LIFE
    return sets.exclude(name=FIRST, created_at__lte=lapsed).first()


def enrol(user: User, *, key: str, code: str) -> tuple[Authenticator, list[str]]:
    """Make the app with this key the user's own, instead of what there was; give it, and new recovery codes.

    Every session that the old one opened has to sign in again. Raises WrongCode.
    """
    with transaction.atomic():
        _forget(user)
        app = Authenticator.objects.create(user=user, name="app", key=key)
        if not _is_of_app(codes.plain(code)) or not app.verify_token(codes.plain(code)):
            raise WrongCode
        return app, _write_down(user, RECOVERY, RECOVERY_CODES)


def renew_recovery_codes(user: User) -> list[str]:
    """Give new recovery codes; the old ones are void."""
    with transaction.atomic():
        StaticDevice.objects.filter(user=user).delete()
        return _write_down(user, RECOVERY, RECOVERY_CODES)


def start_anew(user: User) -> str:
    """Take app and codes away, which ends the sessions they opened, and give the code to enrol with."""
    with transaction.atomic():
        _forget(user)
        return _write_down(user, FIRST, 1)[0]


def _forget(user: User) -> None:
    Authenticator.objects.filter(user=user).delete()
    StaticDevice.objects.filter(user=user).delete()


def _write_down(user: User, name: str, count: int) -> list[str]:
    made = [codes.new_code() for _ in range(count)]
    written = StaticDevice.objects.create(user=user, name=name)
    for code in made:
        written.token_set.create(token=codes.as_stored(code, user_id=user.pk))
    return made


def is_enrolled(user: User) -> bool:
    """Whether the user has an app."""
    return bool(Authenticator.objects.filter(user=user, confirmed=True).exists())


def recovery_codes_left(user: User) -> int:
    """Give how many recovery codes the user has not spent."""
    return sum(written.token_set.count() for written in StaticDevice.objects.filter(user=user, name=RECOVERY))


def wait_no_longer(user: User) -> None:
    """Let the user try a code at once, however often they were wrong."""
    for device in _devices(user):
        device.throttle_reset()


def _devices(user: User) -> Iterator[Authenticator | StaticDevice]:
    yield from Authenticator.objects.filter(user=user)
    yield from StaticDevice.objects.filter(user=user)
