"""Shared set-up: Ava has an account, the browser is at the door, and the clock stands still."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
import time_machine
from rest_framework.test import APIClient

from accounts.models import Account
from accounts.tests.door import Door

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    """A clock that moves only when it is told to."""
    with time_machine.travel(NOON, tick=False) as coordinates:
        yield coordinates


@pytest.fixture
def ava(db: None) -> Account:
    """A subscriber that the portal knows."""
    return Account.objects.open(email="ava@example.com", first_name="Ava", last_name="Stone")


@pytest.fixture
def door() -> Door:
    """A browser."""
    return Door()


@pytest.fixture
def api() -> APIClient:
    """A client without a token."""
    return APIClient()
