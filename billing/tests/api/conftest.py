"""Alice owns, Bob is a stranger; the provider is out of reach unless a test asks for the sandbox."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from billing.models import BundleRate
from billing.tests.api import mirrored
from billing.tests.api.shop import NOBODY, Shop
from billing.tests.live import Provider


@pytest.fixture
def no_provider(settings: Settings) -> None:
    """Nobody answers where the provider should be: whatever asks it fails."""
    settings.CHARGEBEE_ENDPOINT = NOBODY


@pytest.fixture
def catalogue(db: None) -> None:
    """Prices, coupons and bundle rates are mirrored."""
    mirrored.sell_everything()


@pytest.fixture
def bundles(db: None) -> None:
    """Two services are 10 % off each, three 15 %."""
    BundleRate.objects.create(size=2, percentage=10, coupon_id="BUNDLE-2")
    BundleRate.objects.create(size=3, percentage=15, coupon_id="BUNDLE-3")


@pytest.fixture
def shop(provider: Provider) -> Shop:
    """The live provider, with our plans on sale."""
    return Shop(provider)
