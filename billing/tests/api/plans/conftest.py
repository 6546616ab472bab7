"""What the tests of plans share."""

from __future__ import annotations

import pytest

from accounts.models import Account
from billing.tests.api.mirror_factory import FAITH, GOSPEL, KIDS
from billing.tests.api.synced_provider import SyncedProvider


@pytest.fixture
def bundle_of_three(shop: SyncedProvider, ava: Account) -> list[str]:
    """Return the ids of a monthly bundle of three."""
    return [shop.subscribe("ava", plan, coupon_ids=["BUNDLE-3"]) for plan in (FAITH, GOSPEL, KIDS)]
