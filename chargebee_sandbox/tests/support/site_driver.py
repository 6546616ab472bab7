"""A site with a small catalog, and short calls to set up and read what tests are about."""

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

from conftest import NO_AUTHORITIES

GOOD_CARD = "4111111111111111"
DECLINING_CARD = "4005519200000004"
REFUSED_CARD = "4119862760338320"


@dataclass
class SiteDriver:
    """A site with two plans, sold by the month and by the year for 699 and 6999, and 799 and 7999 cents."""

    client: Any
    sandbox: Any

    @classmethod
    def open_site(cls, client: Chargebee, sandbox: Any) -> SiteDriver:
        """Create the catalog of an empty site."""
        # Over one kept-alive connection: the SDK opens one per call, which would slow down every test.
        key = (sandbox.api_key, "")
        with httpx.Client(base_url=sandbox.endpoint, auth=key, verify=NO_AUTHORITIES, trust_env=False) as http:
            for path, form in _catalog_forms():
                http.post(path, data=form).raise_for_status()
        return cls(client, sandbox)

    def add_price(self, item: str, unit: str, cents: int, **more: Any) -> str:
        """Add an item price (cents) and return its id, by default ``<item>-<unit>``."""
        sold = {"id": f"{item}-{unit}", "name": item, "item_id": item, "price": cents, **more}
        terms = {"period": 1, "period_unit": unit, "currency_code": "USD", "pricing_model": "flat_fee"}
        return str(self.client.ItemPrice.create({**terms, **sold}).item_price.id)

    def add_addon(self, item: str, unit: str, cents: int) -> str:
        """Add an addon with a price (cents) and return the price's id."""
        self.client.Item.create({"id": item, "name": item, "type": "addon", "item_family_id": "streaming"})
        return self.add_price(item, unit, cents)

    def add_customer(self, handle: str = "ava", card: str | None = GOOD_CARD) -> str:
        """Add a customer with a card, or without if ``card`` is None, and return the id."""
        self.client.Customer.create({"id": handle, "first_name": handle, "email": f"{handle}@example.com"})
        if card:
            self.add_card(handle, card)
        return handle

    def add_card(self, customer: str, number: str, **more: Any) -> Any:
        """Add a card to a customer and return the payment source."""
        card = {"number": number, "expiry_month": 12, "expiry_year": 2034, "cvv": "100"}
        return self.client.PaymentSource.create_card({"customer_id": customer, "card": card, **more}).payment_source

    def start_subscription(self, customer: str, price: str = "faith-month", **more: Any) -> Any:
        """Create a subscription and return it."""
        items = [{"item_price_id": price}]
        return self.client.Subscription.create_with_items(customer, {"subscription_items": items, **more}).subscription

    def update_subscription(self, handle: str, **params: Any) -> Any:
        """Change a subscription and return the whole answer."""
        return self.client.Subscription.update_for_items(handle, params)

    def change_items(self, handle: str, price: str, **more: Any) -> Any:
        """Change a subscription to a plan's price, or add an addon's, and return the whole answer."""
        return self.update_subscription(handle, subscription_items=[{"item_price_id": price}], **more)

    def estimate_change(self, handle: str, price: str, **more: Any) -> Any:
        """Return the estimate of such a change."""
        params = {"subscription": {"id": handle}, "subscription_items": [{"item_price_id": price}], **more}
        return self.client.Estimate.update_subscription_for_items(params).estimate

    def retrieve_subscription(self, handle: str) -> Any:
        """Return a subscription as it is now."""
        return self.client.Subscription.retrieve(handle).subscription

    def list_invoices(self, subscription: str) -> list[Any]:
        """Return a subscription's invoices, oldest first."""
        params = {"subscription_id": {"is": subscription}, "limit": 100, "sort_by": {"asc": "date"}}
        return [entry.invoice for entry in self.client.Invoice.list(params).list]

    def list_events(self) -> list[Any]:
        """Return the first hundred events in order."""
        params = {"limit": 100, "sort_by": {"asc": "occurred_at"}}
        return [entry.event for entry in self.client.Event.list(params).list]

    def add_coupon(self, handle: str, **more: Any) -> str:
        """Add a coupon, by default 10 % off each plan forever, and return its id."""
        item_level = {"apply_on": "each_specified_item", "duration_type": "forever"}
        fixed = "discount_amount" in more
        kind = {"discount_type": "fixed_amount", "currency_code": "USD"} if fixed else {"discount_percentage": 10}
        plans = {"item_constraints": [{"item_type": "plan", "constraint": "all"}]}
        params = {"id": handle, "name": handle, **item_level, **kind, **plans, **more}
        return str(self.client.Coupon.create_for_items(params).coupon.id)

    def add_single_use_code(self, coupon: str, code: str, **more: Any) -> str:
        """Add a coupon with a single-use code and return the code."""
        self.add_coupon(coupon, **more)
        self.client.CouponSet.create({"id": coupon, "name": coupon, "coupon_id": coupon})
        self.client.CouponSet.add_coupon_codes(coupon, {"code": [code]})
        return code

    def only_for(self, *prices: str) -> list[dict[str, str]]:
        """Return the constraint of a coupon to these plan prices."""
        return [{"item_type": "plan", "constraint": "specific", "item_price_ids": json.dumps(prices)}]

    def travel_to(self, year: int, month: int, day: int, hour: int = 13) -> None:
        """Move the clock to an hour of a date."""
        self.sandbox.travel_to(datetime(year, month, day, hour, tzinfo=UTC))

    def travel_past(self, instant: int, seconds: int = 60) -> None:
        """Move the clock a little past an instant."""
        self.sandbox.travel_to(datetime.fromtimestamp(instant + seconds, UTC))


def _catalog_forms() -> Iterator[tuple[str, dict[str, str]]]:
    yield "/item_families", {"id": "streaming", "name": "Streaming"}
    for item, monthly, yearly in (("faith", "699", "6999"), ("gospel", "799", "7999")):
        yield "/items", {"id": item, "name": item, "type": "plan", "item_family_id": "streaming"}
        for unit, cents in (("month", monthly), ("year", yearly)):
            sold = {"id": f"{item}-{unit}", "name": item, "item_id": item, "price": cents}
            yield "/item_prices", {**sold, "period": "1", "period_unit": unit, "currency_code": "USD"}


def attribute_values(resource: Any, names: Sequence[str]) -> dict[str, Any]:
    """Return these attributes of a typed answer; None for an absent one."""
    return {name: getattr(resource, name) for name in names}


def utc_dates(instants: Sequence[int]) -> list[str]:
    """Return instants as UTC dates."""
    return [datetime.fromtimestamp(instant, UTC).date().isoformat() for instant in instants]


@contextmanager
def expect_refusal(status: int, code: str) -> Iterator[Any]:
    """Expect the block to raise this API error; yield pytest's record of it."""
    with pytest.raises(APIError) as caught:
        yield caught
    assert (caught.value.http_status_code, caught.value.api_error_code) == (status, code)
