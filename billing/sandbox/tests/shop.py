"""A small catalogue and a few verbs, so that a test says only what it is about."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from chargebee import APIError, Chargebee

GOOD = "4111111111111111"
DECLINES = "4005519200000004"
REFUSED = "4119862760338320"


@dataclass
class Shop:
    """The sandbox with one family sold by the month and by the year: 699 and 6999 cents, 799 and 7999 cents."""

    client: Any
    sandbox: Any

    @classmethod
    def opened(cls, client: Chargebee, sandbox: Any) -> Shop:
        """Fill the catalogue of an empty site."""
        # By one kept-alive connection: the SDK opens a new one for each call, which every test would pay for.
        with httpx.Client(base_url=sandbox.endpoint, auth=(sandbox.api_key, ""), trust_env=False) as http:
            for path, form in _catalogue():
                http.post(path, data=form).raise_for_status()
        return cls(client, sandbox)

    def price(self, item: str, unit: str, cents: int, **more: Any) -> str:
        """Sell an item at a price; returns the id, ``<item>-<unit>`` unless given."""
        sold = {"id": f"{item}-{unit}", "name": item, "item_id": item, "price": cents, **more}
        terms = {"period": 1, "period_unit": unit, "currency_code": "USD", "pricing_model": "flat_fee"}
        return str(self.client.ItemPrice.create({**terms, **sold}).item_price.id)

    def addon(self, item: str, unit: str, cents: int) -> str:
        """Sell an addon at a price; returns the price's id."""
        self.client.Item.create({"id": item, "name": item, "type": "addon", "item_family_id": "streaming"})
        return self.price(item, unit, cents)

    def customer(self, handle: str = "ava", card: str | None = GOOD) -> str:
        """A customer, with a card unless told otherwise."""
        self.client.Customer.create({"id": handle, "first_name": handle, "email": f"{handle}@example.com"})
        if card:
            self.add_card(handle, card)
        return handle

    def add_card(self, customer: str, number: str, **more: Any) -> Any:
        """Put a card into the vault."""
        card = {"number": number, "expiry_month": 12, "expiry_year": 2034, "cvv": "100"}
        return self.client.PaymentSource.create_card(
            {"customer_id": customer, "card": card, **more}
        ).payment_source

    def subscribe(self, customer: str, price: str = "faith-month", **more: Any) -> Any:
        """A new subscription."""
        items = [{"item_price_id": price}]
        return self.client.Subscription.create_with_items(
            customer, {"subscription_items": items, **more}
        ).subscription

    def update(self, handle: str, **asked: Any) -> Any:
        """Change a subscription; the whole answer."""
        return self.client.Subscription.update_for_items(handle, asked)

    def change(self, handle: str, price: str, **more: Any) -> Any:
        """Change a subscription to a price, or add an addon's; the whole answer."""
        return self.update(handle, subscription_items=[{"item_price_id": price}], **more)

    def estimate(self, handle: str, price: str, **more: Any) -> Any:
        """What that change would lead to."""
        asked = {"subscription": {"id": handle}, "subscription_items": [{"item_price_id": price}], **more}
        return self.client.Estimate.update_subscription_for_items(asked).estimate

    def subscription(self, handle: str) -> Any:
        """A subscription as it is now."""
        return self.client.Subscription.retrieve(handle).subscription

    def invoices(self, subscription: str) -> list[Any]:
        """A subscription's invoices, oldest first."""
        asked = {"subscription_id": {"is": subscription}, "limit": 100, "sort_by": {"asc": "date"}}
        return [entry.invoice for entry in self.client.Invoice.list(asked).list]

    def events(self) -> list[Any]:
        """All events so far (up to a hundred), in the order they happened."""
        asked = {"limit": 100, "sort_by": {"asc": "occurred_at"}}
        return [entry.event for entry in self.client.Event.list(asked).list]

    def coupon(self, handle: str, **more: Any) -> str:
        """A coupon: by default ten per cent off each plan, for ever."""
        item_level = {"apply_on": "each_specified_item", "duration_type": "forever"}
        fixed = "discount_amount" in more
        kind = (
            {"discount_type": "fixed_amount", "currency_code": "USD"}
            if fixed
            else {"discount_percentage": 10}
        )
        plans = {"item_constraints": [{"item_type": "plan", "constraint": "all"}]}
        wanted = {"id": handle, "name": handle, **item_level, **kind, **plans, **more}
        return str(self.client.Coupon.create_for_items(wanted).coupon.id)

    def single_use(self, coupon: str, code: str, **more: Any) -> str:
        """A coupon that is given out by a single-use code; returns the code."""
        self.coupon(coupon, **more)
        self.client.CouponSet.create({"id": coupon, "name": coupon, "coupon_id": coupon})
        self.client.CouponSet.add_coupon_codes(coupon, {"code": [code]})
        return code

    def only_for(self, *prices: str) -> list[dict[str, str]]:
        """The constraint that a coupon is for these plan prices alone."""
        return [{"item_type": "plan", "constraint": "specific", "item_price_ids": json.dumps(prices)}]

    def travel_to(self, year: int, month: int, day: int, hour: int = 13) -> None:
        """Move the clock to a date."""
        self.sandbox.travel_to(datetime(year, month, day, hour, tzinfo=UTC))

    def travel_past(self, instant: int, seconds: int = 60) -> None:
        """Move the clock a little past an instant."""
        self.sandbox.travel_to(datetime.fromtimestamp(instant + seconds, UTC))


def _catalogue() -> Iterator[tuple[str, dict[str, str]]]:
    yield "/item_families", {"id": "streaming", "name": "Streaming"}
    for item, monthly, yearly in (("faith", "699", "6999"), ("gospel", "799", "7999")):
        yield "/items", {"id": item, "name": item, "type": "plan", "item_family_id": "streaming"}
        for unit, cents in (("month", monthly), ("year", yearly)):
            sold = {"id": f"{item}-{unit}", "name": item, "item_id": item, "price": cents}
            yield "/item_prices", {**sold, "period": "1", "period_unit": unit, "currency_code": "USD"}


def shown(resource: Any, names: Sequence[str]) -> dict[str, Any]:
    """These attributes of a typed answer; None where the wire left one out."""
    return {name: getattr(resource, name) for name in names}


def dates(instants: Sequence[int]) -> list[str]:
    """Instants as UTC dates."""
    return [datetime.fromtimestamp(instant, UTC).date().isoformat() for instant in instants]


@contextmanager
def refused(status: int, code: str) -> Iterator[Any]:
    """Expect the block to end in this error answer; yields pytest's record of it."""
    with pytest.raises(APIError) as caught:
        yield caught
    assert (caught.value.http_status_code, caught.value.api_error_code) == (status, code)
