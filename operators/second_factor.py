"""Enrolling, verifying and resetting the second factor of an operator.

An operator has at most one app and one set of written codes: ten recovery codes or, until an app is enrolled, one first
code.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django_otp.models import Device
from django_otp.plugins.otp_static.models import StaticDevice

from accounts.models import User
from operators import written_codes
from operators.models import Authenticator

RECOVERY_SET, FIRST_CODE_SET = "recovery codes", "first code"
RECOVERY_CODE_COUNT = 10
FIRST_CODE_LIFETIME = timedelta(days=1)
APP_DIGITS = 6


class WrongCode(Exception):
    """The code is not the new app's; nothing has changed."""


def verify_code(user: User, code: str) -> Device | None:
    """Return the user's device that the code is valid for, and use the code up; None if it is wrong.

    django-otp throttles after a wrong code, twice as long each time.
    """
    normalized = written_codes.normalize_code(code)
    with transaction.atomic():
        if _is_app_code(normalized):
            app = Authenticator.objects.select_for_update().filter(user=user, confirmed=True).first()
            return app if app is not None and app.verify_token(normalized) else None
        code_set = _valid_code_set(user)
        digest = written_codes.code_digest(normalized, user_id=user.pk)
        return code_set if code_set is not None and code_set.verify_token(digest) else None


def _is_app_code(code: str) -> bool:
    return len(code) == APP_DIGITS and code.isascii() and code.isdecimal()


def _valid_code_set(user: User) -> StaticDevice | None:
    """Return the user's valid code set. A first code expires, because it is sent to somebody."""
    code_sets = StaticDevice.objects.select_for_update().filter(user=user, confirmed=True)
    oldest_valid = timezone.now() - FIRST_CODE_LIFETIME
    return code_sets.exclude(name=FIRST_CODE_SET, created_at__lte=oldest_valid).first()


def enroll_app(user: User, *, key: str, code: str) -> tuple[Authenticator, list[str]]:
    """Replace the user's devices with an app with this key; return it and new recovery codes.

    Sessions of the previous app have to sign in again. Raises WrongCode.
    """
    with transaction.atomic():
        _delete_devices(user)
        app = Authenticator.objects.create(user=user, name="app", key=key)
        if not _is_app_code(written_codes.normalize_code(code)) or not app.verify_token(
            written_codes.normalize_code(code)
        ):
            raise WrongCode
        return app, _issue_codes(user, RECOVERY_SET, RECOVERY_CODE_COUNT)


def renew_recovery_codes(user: User) -> list[str]:
    """Replace the recovery codes and return the new ones."""
    with transaction.atomic():
        StaticDevice.objects.filter(user=user).delete()
        return _issue_codes(user, RECOVERY_SET, RECOVERY_CODE_COUNT)


def reset_second_factor(user: User) -> str:
    """Delete app and codes, which ends their sessions, and return a first code to enroll with."""
    with transaction.atomic():
        _delete_devices(user)
        return _issue_codes(user, FIRST_CODE_SET, 1)[0]


def _delete_devices(user: User) -> None:
    Authenticator.objects.filter(user=user).delete()
    StaticDevice.objects.filter(user=user).delete()


def _issue_codes(user: User, name: str, count: int) -> list[str]:
    codes = [written_codes.new_written_code() for _ in range(count)]
    code_set = StaticDevice.objects.create(user=user, name=name)
    for code in codes:
        code_set.token_set.create(token=written_codes.code_digest(code, user_id=user.pk))
    return codes


def is_enrolled(user: User) -> bool:
    """Return whether the user has an app."""
    return bool(Authenticator.objects.filter(user=user, confirmed=True).exists())


def recovery_codes_left(user: User) -> int:
    """Return how many recovery codes the user has not used."""
    code_sets = StaticDevice.objects.filter(user=user, name=RECOVERY_SET)
    return sum(code_set.token_set.count() for code_set in code_sets)


def reset_throttling(user: User) -> None:
    """Lift the throttling after wrong codes."""
    for device in _user_devices(user):
        device.throttle_reset()


def _user_devices(user: User) -> Iterator[Authenticator | StaticDevice]:
    yield from Authenticator.objects.filter(user=user)
    yield from StaticDevice.objects.filter(user=user)
