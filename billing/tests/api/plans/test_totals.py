"""Totals to the cent: bundles, pauses, cancellations, trials, mixed periods, coupons."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import Account
from billing.models import BundleRate, Subscription
from billing.queries.discounts import next_bill_amount
from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import (
    GOSPEL,
    KIDS,
    make_subscription,
    open_account,
    subscription_coupons,
    timestamp_at,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalog", "no_provider")]

TWO, THREE = subscription_coupons("BUNDLE-2"), subscription_coupons("BUNDLE-3")
NOTHING_OFF = {"bundleSavings": 0, "couponDiscount": 0, "otherTotal": None}


def read_totals(*subscriptions: dict[str, Any]) -> dict[str, Any]:
    """Return the totals of manage-plans for an account with these subscriptions."""
    body = Browser(open_account("alice", *subscriptions)).get("/api/account/manage-plans").json()
    return {name: body[name] for name in ("total", "bundleSavings", "couponDiscount", "periodUnit", "otherTotal")}


def monthly_totals(
    total: int, *, bundle: int = 0, coupon: int = 0, other: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Return the expected totals of a monthly account."""
    return {
        "total": total,
        "bundleSavings": bundle,
        "couponDiscount": coupon,
        "periodUnit": "month",
        "otherTotal": other,
    }


BY_HAND = {"id": "disc_1", "coupon_id": "disc_1", "duration_type": "forever", "apply_on": "invoice_amount"}
FIVE_OFF = {**BY_HAND, "type": "fixed_amount", "amount": 500}
OF_ITEM = {**BY_HAND, "type": "percentage", "percentage": 50.0, "apply_on": "specific_item_price"}


@pytest.mark.shows("money-2")
@pytest.mark.parametrize(
    ("discount", "off"),
    [
        (FIVE_OFF, 500),
        ({**OF_ITEM, "item_price_id": "faith-family-plan-USD-Monthly"}, 350),
        ({**OF_ITEM, "item_price_id": "faith-family-plan-USD-Yearly"}, 0),
        ({**FIVE_OFF, "apply_till": timestamp_at(10)}, 0),
        ({**FIVE_OFF, "type": "offer_quantity", "amount": None, "quantity": 1}, 0),
    ],
)
def test_a_discount_that_customer_service_gave_by_hand_comes_off(discount: dict[str, Any], off: int) -> None:
    assert read_totals(make_subscription("a", discounts=[discount])) == monthly_totals(699 - off, coupon=off)
    account = Account.objects.get()
    plan = Browser(account).get("/api/account").json()["plans"][0]
    assert not plan["hasUpcomingCoupon"]
    assert next_bill_amount(Subscription.objects.get()) == 699 - off


BUNDLES = {
    "one plan has no bundle": ([make_subscription("a")], monthly_totals(699)),
    "two save ten per cent each": (
        [make_subscription("a", coupons=TWO), make_subscription("b", GOSPEL, coupons=TWO)],
        monthly_totals(1348, bundle=150),
    ),
    "three save fifteen per cent each": (
        [
            make_subscription("a", coupons=THREE),
            make_subscription("b", GOSPEL, coupons=THREE),
            make_subscription("c", KIDS, coupons=THREE),
        ],
        monthly_totals(2037, bundle=360),
    ),
    "half a cent rounds up": (
        [make_subscription("a", coupons=TWO, amount=705)],
        monthly_totals(634, bundle=71),
    ),
}

STATES = {
    "a paused plan is not counted, the other keeps its rate": (
        [
            make_subscription("a", coupons=TWO),
            make_subscription(
                "b", GOSPEL, coupons=TWO, status="paused", next_billing_at=None, pause_date=timestamp_at(-3)
            ),
        ],
        monthly_totals(629, bundle=70),
    ),
    "a plan whose pause is scheduled still counts": (
        [make_subscription("a", next_billing_at=None, pause_date=timestamp_at(20))],
        monthly_totals(699),
    ),
    "a plan with a scheduled change counts at its present price": (
        [make_subscription("a", has_scheduled_changes=True)],
        monthly_totals(699),
    ),
    "a non-renewing plan is not counted": (
        [
            make_subscription("a", coupons=TWO),
            make_subscription("b", GOSPEL, status="non_renewing", next_billing_at=None, cancelled_at=timestamp_at(20)),
        ],
        monthly_totals(629, bundle=70),
    ),
    "a trial counts at what it will cost": (
        [make_subscription("a", status="in_trial", trial_end=timestamp_at(20))],
        monthly_totals(699),
    ),
    "a trial that was cancelled is not counted": (
        [
            make_subscription(
                "a",
                status="in_trial",
                trial_end=timestamp_at(20),
                cancelled_at=timestamp_at(20),
                next_billing_at=None,
            )
        ],
        monthly_totals(0),
    ),
    "a cancelled plan is not counted": (
        [make_subscription("a", status="cancelled", cancelled_at=timestamp_at(-1), next_billing_at=None)],
        monthly_totals(0),
    ),
    "nothing costs nothing": ([], monthly_totals(0)),
}

PERIODS = {
    "the first billing plan says the period, the rest is told apart": (
        [make_subscription("a", coupons=TWO), make_subscription("b", GOSPEL, unit="year", coupons=TWO)],
        monthly_totals(
            629,
            bundle=70,
            other={
                "periodUnit": "year",
                "period": 1,
                "currencyCode": "USD",
                "total": 7199,
                "bundleSavings": 800,
                "couponDiscount": 0,
            },
        ),
    ),
    "a yearly account has a yearly total": (
        [make_subscription("a", unit="year")],
        {**NOTHING_OFF, "total": 6999, "periodUnit": "year"},
    ),
    "a paused first plan does not say the period": (
        [
            make_subscription("a", status="paused", next_billing_at=None),
            make_subscription("b", GOSPEL, unit="year"),
        ],
        {**NOTHING_OFF, "total": 7999, "periodUnit": "year"},
    ),
    "where nothing bills the first plan held says the period": (
        [make_subscription("a", unit="year", status="paused", next_billing_at=None)],
        {**NOTHING_OFF, "total": 0, "periodUnit": "year"},
    ),
}

COUPONS = {
    "a bundle coupon that is not mirrored yet is worth its rate": (
        [make_subscription("a", coupons=subscription_coupons("BUNDLE-NEW"))],
        monthly_totals(559, bundle=140),
    ),
    "a coupon that nobody knows takes nothing off": (
        [make_subscription("a", coupons=subscription_coupons("MYSTERY"))],
        monthly_totals(699),
    ),
    "a percentage is taken off what the bundle left": (
        [make_subscription("a", coupons=subscription_coupons("SAVE20", "BUNDLE-2"))],
        monthly_totals(503, bundle=70, coupon=126),
    ),
    "fixed amounts go before percentages": (
        [make_subscription("a", coupons=subscription_coupons("SAVE20", "WELCOME5", "BUNDLE-2"))],
        monthly_totals(103, bundle=70, coupon=526),
    ),
    "no bill goes below nothing": (
        [make_subscription("a", coupons=subscription_coupons("TENNER"))],
        monthly_totals(0, coupon=699),
    ),
    "what one plan has too much off helps no other": (
        [make_subscription("a", coupons=subscription_coupons("TENNER")), make_subscription("b", GOSPEL)],
        monthly_totals(799, coupon=699),
    ),
    "the free month takes the rest": (
        [make_subscription("a", coupons=subscription_coupons("BUNDLE-2", "FREE-MONTH"))],
        monthly_totals(0, bundle=70, coupon=629),
    ),
    "a coupon that ends with this term takes nothing off the next": (
        [make_subscription("a", coupons=subscription_coupons("WELCOME5", apply_till=timestamp_at(20)))],
        monthly_totals(699),
    ),
    "a coupon that outlives this term takes its part off the next": (
        [make_subscription("a", coupons=subscription_coupons("WELCOME5", apply_till=timestamp_at(21)))],
        monthly_totals(199, coupon=500),
    ),
    "a coupon for yearly prices takes nothing off a monthly one": (
        [make_subscription("a", coupons=subscription_coupons("ANNUALONLY"))],
        monthly_totals(699),
    ),
    "a coupon for yearly prices is taken off a yearly one": (
        [make_subscription("a", unit="year", coupons=subscription_coupons("ANNUALONLY"))],
        {"total": 5949, "bundleSavings": 0, "couponDiscount": 1050, "periodUnit": "year", "otherTotal": None},
    ),
}

CASES = {**BUNDLES, **STATES, **PERIODS, **COUPONS}


@pytest.mark.shows("money-2")
@pytest.mark.parametrize(("subscriptions", "expected"), CASES.values(), ids=CASES.keys())
def test_the_totals_are_exact(subscriptions: list[dict[str, Any]], expected: dict[str, Any]) -> None:
    BundleRate.objects.create(size=9, percentage=20, coupon_id="BUNDLE-NEW")
    assert read_totals(*subscriptions) == expected
