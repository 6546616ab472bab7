"""Alice owns, Bob is a stranger; the provider is out of reach unless a test asks for the sandbox."""

from __future__ import annotations

import pytest
from chargebee import Chargebee
from pytest_django import Settings

from billing.tests.api import mirrored
from billing.tests.api.shop import NOBODY, Shop


@pytest.fixture
def no_provider(settings: Settings) -> None:
    """Nobody answers where the provider should be: whatever asks it fails."""
    settings.CHARGEBEE_ENDPOINT = NOBODY


@pytest.fixture
def catalogue(db: None) -> None:
    """Prices, coupons and bundle rates are mirrored."""
    mirrored.sell_everything()


@pytest.fixture
def shop(db: None, chargebee_client: Chargebee) -> Shop:
    """The sandbox with the demo's catalogue, and the portal's clock set by it."""
    shop = Shop(chargebee_client)
    shop.open()
    return shop
