"""The demo site's plans and coupons. Prices are in US cents."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from chargebee_sandbox.body import Body
from chargebee_sandbox.seeds.operation_caller import OperationCaller, SeedAction
from chargebee_sandbox.seeds.term_dates import DAY

ITEM_FAMILY = "streaming"
SITE_AGE = 540 * DAY
"""How long ago the site opened, in seconds: before the first subscription."""


@dataclass(frozen=True, slots=True)
class SeedPlan:
    """A plan with its monthly and yearly price."""

    id: str
    name: str
    description: str
    monthly: int
    yearly: int

    @property
    def prices(self) -> tuple[Body, Body]:
        """The parameters of its two item prices."""
        return self._price_params("Monthly", "month", self.monthly), self._price_params("Yearly", "year", self.yearly)

    def _price_params(self, word: str, unit: str, cents: int) -> Body:
        return {
            "id": f"{self.id}-USD-{word}",
            "name": f"{self.id} USD {word}",
            "external_name": f"{self.name}, {word.lower()}",
            "item_id": self.id,
            "pricing_model": "flat_fee",
            "price": cents,
            "currency_code": "USD",
            "period": 1,
            "period_unit": unit,
        }


LEGACY_PLAN = SeedPlan("Minno", "Kids", "Cartoons and songs for children; no longer sold", 799, 7999)
PLANS = (
    SeedPlan("faith-family-plan", "Faith & Family", "Films and series for the whole family", 699, 6999),
    SeedPlan("gospel-tv-plan", "Gospel TV", "Concerts, choirs and sermons, live and on demand", 799, 7999),
    SeedPlan("Minno-Plan", "Kids", "Cartoons and songs for children", 899, 8999),
    LEGACY_PLAN,
)
# An item that another team sells through the same site: the portal's catalog does not have it.
OTHER_ITEM = {"id": "sermon-library", "name": "sermon-library", "external_name": "Sermon Library"}
OTHER_PRICE: Body = {
    "id": "sermon-library-USD-Quarterly",
    "name": "sermon-library USD Quarterly",
    "external_name": "Sermon Library, every 3 months",
    "item_id": OTHER_ITEM["id"],
    "pricing_model": "flat_fee",
    "price": 1197,
    "currency_code": "USD",
    "period": 3,
    "period_unit": "month",
}
# Fixed, so that a written demonstration can use them.
SINGLE_USE_CODES = tuple(f"ONCE-{tail}" for tail in ("K7QM", "R2XD", "T9BF", "W4HN", "C8LJ", "P3VS", "D6GY", "M5ZR"))


def catalog_actions(present: int) -> Iterator[SeedAction]:
    """Return the actions that create the catalog, and archive the legacy plan a year later."""
    opened = present - SITE_AGE
    yield SeedAction(opened, _create_items)
    yield SeedAction(opened + 1, lambda provider: _create_coupons(provider, present))
    yield SeedAction(present - 120 * DAY, _retire_legacy)


def _create_items(provider: OperationCaller) -> None:
    provider.post("/item_families", {"id": ITEM_FAMILY, "name": "Streaming"})
    for plan in PLANS:
        provider.post("/items", _item_body(plan))
        for price in plan.prices:
            provider.post("/item_prices", price)
    provider.post("/items", {**OTHER_ITEM, "type": "plan", "item_family_id": ITEM_FAMILY})
    provider.post("/item_prices", OTHER_PRICE)


def _item_body(plan: SeedPlan) -> Body:
    return {
        "id": plan.id,
        "name": plan.id,
        "external_name": plan.name,
        "description": plan.description,
        "type": "plan",
        "item_family_id": ITEM_FAMILY,
    }


def _retire_legacy(provider: OperationCaller) -> None:
    for price in LEGACY_PLAN.prices:
        provider.post(f"/item_prices/{price['id']}", {"status": "archived"})
    provider.post(f"/items/{LEGACY_PLAN.id}", {"status": "archived"})


def _create_coupons(provider: OperationCaller, present: int) -> None:
    for coupon in _coupon_bodies(present):
        provider.post("/coupons/create_for_items", coupon)
    provider.post("/coupon_sets", {"id": "ONCE", "name": "Single-use codes", "coupon_id": "ONCE"})
    provider.post("/coupon_sets/ONCE/add_coupon_codes", {"code": list(SINGLE_USE_CODES)})


def _coupon_bodies(present: int) -> Iterator[Body]:
    yield _percentage_coupon("BUNDLE-2", "Bundle of two", 10, apply_on="each_specified_item", duration_type="forever")
    yield _percentage_coupon("BUNDLE-3", "Bundle of three", 15, apply_on="each_specified_item", duration_type="forever")
    yield _percentage_coupon("FREE-MONTH", "One month free", 100, item_constraints=_price_constraint(0))
    yield _percentage_coupon("SAVE20", "20 % off the next invoice", 20)
    yield _amount_coupon(
        "WELCOME5",
        "$5 off for three months",
        500,
        duration_type="limited_period",
        period=3,
        period_unit="month",
    )
    yield _percentage_coupon("EXPIRED10", "10 % off, last year's offer", 10, valid_till=present - 90 * DAY)
    yield _percentage_coupon("ANNUALONLY", "15 % off a yearly plan", 15, item_constraints=_price_constraint(1))
    yield _amount_coupon("ONCE", "$3 off, once", 300)


def _percentage_coupon(handle: str, name: str, percentage: int, **rules: object) -> Body:
    return {**_coupon_body(handle, name, "percentage", rules), "discount_percentage": percentage}


def _amount_coupon(handle: str, name: str, cents: int, **rules: object) -> Body:
    return {
        **_coupon_body(handle, name, "fixed_amount", rules),
        "discount_amount": cents,
        "currency_code": "USD",
    }


def _coupon_body(handle: str, name: str, discount_type: str, rules: dict[str, object]) -> Body:
    return {
        "id": handle,
        "name": name,
        "invoice_name": name,
        "discount_type": discount_type,
        "duration_type": "one_time",
        "apply_on": "invoice_amount",
        "item_constraints": [{"constraint": "all", "item_type": "plan"}],
        **rules,
    }


def _price_constraint(period: int) -> list[Body]:
    """Return the constraint to monthly (0) or yearly (1) prices, including legacy ones."""
    prices = [plan.prices[period]["id"] for plan in PLANS]
    return [{"constraint": "specific", "item_type": "plan", "item_price_ids": json.dumps(prices)}]
