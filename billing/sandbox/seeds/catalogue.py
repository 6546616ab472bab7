"""What the demo site sells, and at what discounts. Prices in cents of a US dollar."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from billing.sandbox.body import Body
from billing.sandbox.seeds.instants import DAY
from billing.sandbox.seeds.provider import Provider, Step

FAMILY = "streaming"
OPENED = 540 * DAY
"""How long ago the site opened: before anybody subscribed."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan of one service with its monthly and yearly price."""

    id: str
    name: str
    description: str
    monthly: int
    yearly: int

    @property
    def prices(self) -> tuple[Body, Body]:
        """The two item prices as they are created."""
        return self._price("Monthly", "month", self.monthly), self._price("Yearly", "year", self.yearly)

    def _price(self, word: str, unit: str, cents: int) -> Body:
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


LEGACY = Plan("Minno", "Kids", "Cartoons and songs for children; no longer sold", 799, 7999)
PLANS = (
    Plan("faith-family-plan", "Faith & Family", "Films and series for the whole family", 699, 6999),
    Plan("gospel-tv-plan", "Gospel TV", "Concerts, choirs and sermons, live and on demand", 799, 7999),
    Plan("Minno-Plan", "Kids", "Cartoons and songs for children", 899, 8999),
    LEGACY,
)
# Fixed, so that a demonstration can be written down; what makes a code single-use is the set it belongs to.
SINGLE_USE_CODES = tuple(
    f"ONCE-{tail}" for tail in ("K7QM", "R2XD", "T9BF", "W4HN", "C8LJ", "P3VS", "D6GY", "M5ZR")
)


def steps(present: int) -> Iterator[Step]:
    """The site opens with its catalogue; a year later the legacy plan is taken off sale."""
    opened = present - OPENED
    yield Step(opened, _create_items)
    yield Step(opened + 1, lambda provider: _create_coupons(provider, present))
    yield Step(present - 120 * DAY, _retire_legacy)


def _create_items(provider: Provider) -> None:
    provider.post("/item_families", {"id": FAMILY, "name": "Streaming"})
    for plan in PLANS:
        provider.post("/items", _item(plan))
        for price in plan.prices:
            provider.post("/item_prices", price)


def _item(plan: Plan) -> Body:
    return {
        "id": plan.id,
        "name": plan.id,
        "external_name": plan.name,
        "description": plan.description,
        "type": "plan",
        "item_family_id": FAMILY,
    }


def _retire_legacy(provider: Provider) -> None:
    for price in LEGACY.prices:
        provider.post(f"/item_prices/{price['id']}", {"status": "archived"})
    provider.post(f"/items/{LEGACY.id}", {"status": "archived"})


def _create_coupons(provider: Provider, present: int) -> None:
    for coupon in _coupons(present):
        provider.post("/coupons/create_for_items", coupon)
    provider.post("/coupon_sets", {"id": "ONCE", "name": "Single-use codes", "coupon_id": "ONCE"})
    provider.post("/coupon_sets/ONCE/add_coupon_codes", {"code": list(SINGLE_USE_CODES)})


def _coupons(present: int) -> Iterator[Body]:
    yield _percentage(
        "BUNDLE-2", "Bundle of two", 10, apply_on="each_specified_item", duration_type="forever"
    )
    yield _percentage(
        "BUNDLE-3", "Bundle of three", 15, apply_on="each_specified_item", duration_type="forever"
    )
    yield _percentage("FREE-MONTH", "One month free", 100, item_constraints=_only(0))
    yield _percentage("SAVE20", "20 % off the next invoice", 20)
    yield _amount(
        "WELCOME5",
        "$5 off for three months",
        500,
        duration_type="limited_period",
        period=3,
        period_unit="month",
    )
    yield _percentage("EXPIRED10", "10 % off, last year's offer", 10, valid_till=present - 90 * DAY)
    yield _percentage("ANNUALONLY", "15 % off a yearly plan", 15, item_constraints=_only(1))
    yield _amount("ONCE", "$3 off, once", 300)


def _percentage(handle: str, name: str, percentage: int, **rules: object) -> Body:
    return {**_coupon(handle, name, "percentage", rules), "discount_percentage": percentage}


def _amount(handle: str, name: str, cents: int, **rules: object) -> Body:
    return {**_coupon(handle, name, "fixed_amount", rules), "discount_amount": cents, "currency_code": "USD"}


def _coupon(handle: str, name: str, discount_type: str, rules: dict[str, object]) -> Body:
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


def _only(period: int) -> list[Body]:
    """The constraint to monthly (0) or yearly (1) prices, legacy ones included."""
    prices = [plan.prices[period]["id"] for plan in PLANS]
    return [{"constraint": "specific", "item_type": "plan", "item_price_ids": json.dumps(prices)}]
