"""Totals to the cent: bundles, pauses, cancellations, trials, mixed periods, coupons (contract, section 1)."""

from __future__ import annotations

from typing import Any

import pytest

from billing.models import BundleRate
from billing.tests.api.browser import Browser
from billing.tests.api.mirrored import GOSPEL, KIDS, at, coupons, open_account, subscription

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalogue", "no_provider")]

TWO, THREE = coupons("BUNDLE-2"), coupons("BUNDLE-3")
NOTHING_OFF = {"bundleSavings": 0, "couponDiscount": 0, "otherTotal": None}


def totals(*subscriptions: dict[str, Any]) -> dict[str, Any]:
    """The totals that manage-plans answers for an account with these subscriptions."""
    answer = Browser(open_account("alice", *subscriptions)).get("/api/account/manage-plans").json()
    return {
        name: answer[name]
        for name in ("total", "bundleSavings", "couponDiscount", "periodUnit", "otherTotal")
    }


def month(
    total: int, *, bundle: int = 0, coupon: int = 0, other: dict[str, Any] | None = None
) -> dict[str, Any]:
    """What a monthly account's totals should be."""
    return {
        "total": total,
        "bundleSavings": bundle,
        "couponDiscount": coupon,
        "periodUnit": "month",
        "otherTotal": other,
    }


BUNDLES = {
    "one plan has no bundle": ([subscription("a")], month(699)),
    "two save ten per cent each": (
        [subscription("a", coupons=TWO), subscription("b", GOSPEL, coupons=TWO)],
        month(1348, bundle=150),
    ),
    "three save fifteen per cent each": (
        [
            subscription("a", coupons=THREE),
            subscription("b", GOSPEL, coupons=THREE),
            subscription("c", KIDS, coupons=THREE),
        ],
        month(2037, bundle=360),
    ),
    "half a cent rounds up": ([subscription("a", coupons=TWO, amount=705)], month(634, bundle=71)),
}

STATES = {
    "a paused plan is not counted, the other keeps its rate": (
        [
            subscription("a", coupons=TWO),
            subscription("b", GOSPEL, coupons=TWO, status="paused", next_billing_at=None, pause_date=at(-3)),
        ],
        month(629, bundle=70),
    ),
    "a plan whose pause is scheduled still counts": (
        [subscription("a", next_billing_at=None, pause_date=at(20))],
        month(699),
    ),
    "a plan with a scheduled change counts at its present price": (
        [subscription("a", has_scheduled_changes=True)],
        month(699),
    ),
    "a non-renewing plan is not counted": (
        [
            subscription("a", coupons=TWO),
            subscription("b", GOSPEL, status="non_renewing", next_billing_at=None, cancelled_at=at(20)),
        ],
        month(629, bundle=70),
    ),
    "a trial counts at what it will cost": (
        [subscription("a", status="in_trial", trial_end=at(20))],
        month(699),
    ),
    "a trial that was cancelled is not counted": (
        [subscription("a", status="in_trial", trial_end=at(20), cancelled_at=at(20), next_billing_at=None)],
        month(0),
    ),
    "a cancelled plan is not counted": (
        [subscription("a", status="cancelled", cancelled_at=at(-1), next_billing_at=None)],
        month(0),
    ),
    "nothing costs nothing": ([], month(0)),
}

PERIODS = {
    "the first billing plan says the period, the rest is told apart": (
        [subscription("a", coupons=TWO), subscription("b", GOSPEL, unit="year", coupons=TWO)],
        month(
            629,
            bundle=70,
            other={"periodUnit": "year", "total": 7199, "bundleSavings": 800, "couponDiscount": 0},
        ),
    ),
    "a yearly account has a yearly total": (
        [subscription("a", unit="year")],
        {**NOTHING_OFF, "total": 6999, "periodUnit": "year"},
    ),
    "a paused first plan does not say the period": (
        [
            subscription("a", status="paused", next_billing_at=None),
            subscription("b", GOSPEL, unit="year"),
        ],
        {**NOTHING_OFF, "total": 7999, "periodUnit": "year"},
    ),
    "where nothing bills the first plan held says the period": (
        [subscription("a", unit="year", status="paused", next_billing_at=None)],
        {**NOTHING_OFF, "total": 0, "periodUnit": "year"},
    ),
}

COUPONS = {
    "a bundle coupon that is not mirrored yet is worth its rate": (
        [subscription("a", coupons=coupons("BUNDLE-NEW"))],
        month(559, bundle=140),
    ),
    "a coupon that nobody knows takes nothing off": (
        [subscription("a", coupons=coupons("MYSTERY"))],
        month(699),
    ),
    "a percentage is taken off what the bundle left": (
        [subscription("a", coupons=coupons("SAVE20", "BUNDLE-2"))],
        month(503, bundle=70, coupon=126),
    ),
    "fixed amounts go before percentages": (
        [subscription("a", coupons=coupons("SAVE20", "WELCOME5", "BUNDLE-2"))],
        month(103, bundle=70, coupon=526),
    ),
    "no bill goes below nothing": (
        [subscription("a", coupons=coupons("TENNER"))],
        month(0, coupon=699),
    ),
    "what one plan has too much off helps no other": (
        [subscription("a", coupons=coupons("TENNER")), subscription("b", GOSPEL)],
        month(799, coupon=699),
    ),
    "the free month takes the rest": (
        [subscription("a", coupons=coupons("BUNDLE-2", "FREE-MONTH"))],
        month(0, bundle=70, coupon=629),
    ),
    "a coupon that ends with this term takes nothing off the next": (
        [subscription("a", coupons=coupons("WELCOME5", apply_till=at(20)))],
        month(699),
    ),
    "a coupon that outlives this term takes its part off the next": (
        [subscription("a", coupons=coupons("WELCOME5", apply_till=at(21)))],
        month(199, coupon=500),
    ),
    "a coupon for yearly prices takes nothing off a monthly one": (
        [subscription("a", coupons=coupons("ANNUALONLY"))],
        month(699),
    ),
    "a coupon for yearly prices is taken off a yearly one": (
        [subscription("a", unit="year", coupons=coupons("ANNUALONLY"))],
        {"total": 5949, "bundleSavings": 0, "couponDiscount": 1050, "periodUnit": "year", "otherTotal": None},
    ),
}

CASES = {**BUNDLES, **STATES, **PERIODS, **COUPONS}


@pytest.mark.parametrize(("held", "expected"), CASES.values(), ids=CASES.keys())
def test_it_totals(held: list[dict[str, Any]], expected: dict[str, Any]) -> None:
    BundleRate.objects.create(size=9, percentage=20, coupon_id="BUNDLE-NEW")
    assert totals(*held) == expected
