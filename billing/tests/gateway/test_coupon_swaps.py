"""A coupon swap is several writes, one of which deletes a scheduled change; a retry must make all of them."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django import Settings

from billing.gateway import changes
from billing.gateway.errors import Refused, Unconfirmed
from billing.tests.support.faulty_proxy import FaultyProxy
from billing.tests.support.live_provider import FAITH, Provider

pytestmark = pytest.mark.django_db(transaction=True)

MONTHLY = f"{FAITH}-USD-Monthly"


@pytest.fixture
def downgrading(provider: Provider) -> str:
    """A yearly subscription scheduled to become monthly, with a coupon to swap."""
    alice = provider.subscriber("alice", FAITH, unit="Yearly", coupon_ids=["BUNDLE-3"])
    subscription_id = str(provider.subscription(alice).id)
    changes.change_price_at_term_end(subscription_id, key="downgrade", price=MONTHLY)
    return subscription_id


def coupons_and_schedule(provider: Provider, subscription_id: str) -> tuple[list[str], bool]:
    found: Any = provider.sdk.Subscription.retrieve(subscription_id).subscription
    return [row.coupon_id for row in found.coupons or []], found.has_scheduled_changes


def swap_coupons(subscription_id: str) -> None:
    changes.swap_coupons(subscription_id, key="swap", add=["BUNDLE-2"], remove=["BUNDLE-3"], changing_to=MONTHLY)


def test_an_interrupted_swap_is_finished_with_the_same_key(
    provider: Provider, faulty_proxy: FaultyProxy, settings: Settings, downgrading: str
) -> None:
    def disconnect_after_update(request: bytes) -> None:
        if b"/update_for_items HTTP" in request:
            settings.CHARGEBEE_ENDPOINT = "http://127.0.0.1:9/api/v2"

    faulty_proxy.on_answer = disconnect_after_update
    with pytest.raises(Unconfirmed):
        swap_coupons(downgrading)
    assert coupons_and_schedule(provider, downgrading) == (["BUNDLE-3", "BUNDLE-2"], False)

    settings.CHARGEBEE_ENDPOINT = faulty_proxy.endpoint
    faulty_proxy.on_answer = lambda _: None
    swap_coupons(downgrading)

    assert coupons_and_schedule(provider, downgrading) == (["BUNDLE-2"], True)


def test_a_refused_addition_leaves_the_present_coupon(provider: Provider, downgrading: str) -> None:
    with pytest.raises(Refused):
        changes.swap_coupons(downgrading, key="swap", add=["GONE"], remove=["BUNDLE-3"], changing_to=MONTHLY)

    assert coupons_and_schedule(provider, downgrading) == (["BUNDLE-3"], True)
