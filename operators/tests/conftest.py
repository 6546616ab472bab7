"""Operators of an installation that requires a second factor, with their authenticator apps."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine
from django.test import Client
from django_otp.oath import TOTP
from pytest_django import Settings

from accounts.models import User
from operators import second_factor
from operators.models import Authenticator

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
PASSWORD = "correct horse battery staple"
KEY = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Operator:
    """An operator with a password, an authenticator app and a browser."""

    user: User
    browser: Client
    key: str = KEY

    @property
    def code(self) -> str:
        """Return the app's current code."""
        totp = TOTP(Authenticator(user=self.user, key=self.key).bin_key)
        totp.time = time.time()
        return f"{totp.token():06d}"

    def enroll_app(self) -> list[str]:
        """Enroll the app a minute ago, so that its current code is unused; return the recovery codes."""
        with time_machine.travel(time.time() - 60, tick=False):
            return second_factor.enroll_app(self.user, key=self.key, code=self.code)[1]

    def sign_in(self, password: str = PASSWORD, code: str | None = None, **extra: Any) -> Any:
        """Submit the sign-in form, by default with the app's current code."""
        form = {
            "username": self.user.get_username(),
            "password": password,
            "code": self.code if code is None else code,
            "next": "/admin/",
        }
        return self.browser.post("/admin/login/", form, **extra)

    def is_in(self) -> bool:
        """Return whether the browser can open the admin."""
        return self.browser.get("/admin/").status_code == 200


@pytest.fixture
def clock() -> Any:
    """Freeze time at noon until the test moves it."""
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


@pytest.fixture
def second_factor_wanted(settings: Settings) -> None:
    settings.SECOND_FACTOR = True


@pytest.fixture
def olga(db: None, clock: Any, second_factor_wanted: None) -> Operator:
    return Operator(User.objects.create_superuser("olga", password=PASSWORD), Client())


@pytest.fixture
def petra(db: None, clock: Any, second_factor_wanted: None) -> Operator:
    user = User.objects.create_user("petra", password=PASSWORD, is_staff=True)
    return Operator(user, Client(), key="f" * 40)
