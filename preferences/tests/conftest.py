"""Shared set-up: Ava has an account and a browser of her own."""

from __future__ import annotations

import pytest

from accounts.models import Account
from accounts.tests.door import Door


@pytest.fixture
def ava(db: None) -> Account:
    """A subscriber."""
    return Account.objects.open(email="ava@example.com", first_name="Ava", last_name="Stone")


@pytest.fixture
def signed_in(ava: Account) -> Door:
    """Ava's browser."""
    door = Door()
    door.sign_in()
    return door
