"""The free month and coupons of every kind: one-time, limited, forever; percentage, fixed amount; yearly plans only."""

from __future__ import annotations

import json
from typing import Any

from billing.tests.support.live_provider import MONTHLY, Provider

FREE_MONTH = "FREE-MONTH"
CODES = ("SAVE20", "WELCOME5", "HALF", "ANNUALONLY")


def sell_codes(provider: Provider) -> None:
    """Define the free month and the codes at the provider."""
    _create_coupon(provider, FREE_MONTH, discount_percentage=100, item_constraints=_only_plans("month"))
    _create_coupon(provider, "SAVE20", discount_percentage=20)
    _create_coupon(provider, "ANNUALONLY", discount_percentage=15, item_constraints=_only_plans("year"))
    _create_coupon(provider, "HALF", discount_percentage=50, duration_type="forever")
    _create_coupon(
        provider,
        "WELCOME5",
        discount_type="fixed_amount",
        discount_amount=500,
        currency_code="USD",
        duration_type="limited_period",
        period=3,
        period_unit="month",
    )


def _create_coupon(provider: Provider, coupon_id: str, **rules: Any) -> None:
    every = {
        "id": coupon_id,
        "name": coupon_id,
        "discount_type": "percentage",
        "duration_type": "one_time",
        "apply_on": "invoice_amount",
        "item_constraints": [{"item_type": "plan", "constraint": "all"}],
    }
    provider.sdk.Coupon.create_for_items({**every, **rules})


def _only_plans(unit: str) -> list[dict[str, Any]]:
    word = {"month": "Monthly", "year": "Yearly"}[unit]
    ids = json.dumps([f"{plan}-USD-{word}" for plan in MONTHLY])
    return [{"item_type": "plan", "constraint": "specific", "item_price_ids": ids}]
