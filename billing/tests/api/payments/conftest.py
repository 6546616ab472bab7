"""Subscribers with payment methods, and the payer who fills in the provider's card fields."""

from __future__ import annotations

import pytest

from billing.tests.api.browser import Browser
from billing.tests.api.synced_provider import DECLINING_CARD, SyncedProvider
from billing.tests.support.live_provider import FAITH
from chargebee_sandbox.tests.support.hosted_fields import Payer


@pytest.fixture
def payer(shop: SyncedProvider) -> Payer:
    """Return a payer, who fills in the provider's card fields."""
    return Payer(shop.provider.sandbox.url)


@pytest.fixture
def ava(shop: SyncedProvider) -> Browser:
    """Return Ava's browser; she has a plan and a Visa card."""
    account = shop.customer("ava")
    shop.subscribe("ava", FAITH)
    return Browser(account)


@pytest.fixture
def finn(shop: SyncedProvider) -> Browser:
    """Return Finn's browser; his card declined a renewal, and $6.99 is due."""
    account = shop.customer("finn")
    subscription = shop.subscribe("finn", FAITH)
    shop.provider.add_card("finn", DECLINING_CARD)
    shop.pass_term_end("finn", subscription, days=1)
    return Browser(account)
