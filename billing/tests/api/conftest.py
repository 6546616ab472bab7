"""Fixtures of the API tests: Alice owns, Bob is a stranger, and only `shop` reaches a provider."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from billing.models import BundleRate
from billing.tests.api import mirror_factory
from billing.tests.api.synced_provider import UNREACHABLE_ENDPOINT, SyncedProvider
from billing.tests.support.live_provider import Provider


@pytest.fixture
def no_provider(settings: Settings) -> None:
    """Make every request to the provider fail."""
    settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT


@pytest.fixture
def catalog(db: None) -> None:
    """Mirror prices, coupons and bundle rates."""
    mirror_factory.apply_catalog()


@pytest.fixture
def bundles(db: None) -> None:
    """Set bundle rates: 10 % for two services, 15 % for three."""
    BundleRate.objects.create(size=2, percentage=10, coupon_id="BUNDLE-2")
    BundleRate.objects.create(size=3, percentage=15, coupon_id="BUNDLE-3")


@pytest.fixture
def shop(provider: Provider) -> SyncedProvider:
    """Return the live provider with our plans on sale."""
    return SyncedProvider(provider)
