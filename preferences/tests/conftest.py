"""Shared fixtures: Ava's account and her browser."""

from __future__ import annotations

import pytest

from accounts.models import Account, SessionToken
from accounts.tests.sign_in.sign_in_client import SignInClient


@pytest.fixture
def ava(db: None) -> Account:
    """Return a subscriber's account."""
    return Account.objects.open_account(email="ava@example.com", first_name="Ava", last_name="Stone")


@pytest.fixture
def signed_in(ava: Account) -> SignInClient:
    """Return Ava's browser, signed in."""
    sign_in_client = SignInClient()
    _, token = SessionToken.objects.create(user=ava.user)
    sign_in_client.carry_token(token)
    return sign_in_client
