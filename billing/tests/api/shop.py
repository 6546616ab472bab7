"""Arranging at the provider, through the official SDK, what a test needs, and asking there how it ended."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from chargebee import Chargebee

from accounts.models import Account
from billing.services import provider_clock, sync
from billing.tests.api.mirrored import CENTS

VISA = "4111111111111111"
DECLINES = "4005519200000004"
# Where nobody listens: whatever asks the provider here fails.
NOBODY = "http://127.0.0.1:9/api/v2"


@dataclass(frozen=True)
class Shop:
    """The provider's site with the demo's catalogue."""

    client: Chargebee

    def open(self) -> None:
        """Put the catalogue there, and set billing's clock by the provider's."""
        self.client.ItemFamily.create({"id": "streaming", "name": "Streaming"})
        for plan in dict.fromkeys(price.rsplit("-USD-", 1)[0] for price in CENTS):
            self.client.Item.create({"id": plan, "name": plan, "type": "plan", "item_family_id": "streaming"})
        for price, cents in CENTS.items():
            self._sell(price, cents)
        for handle, percent in (("BUNDLE-2", 10), ("BUNDLE-3", 15)):
            self._grant(handle, percent)
        sync.sync_catalogue()
        provider_clock.refresh()

    def customer(self, handle: str, *, card: str | None = VISA) -> Account:
        """A customer with a card, and the portal's account of theirs."""
        email = f"{handle}@example.com"
        self.client.Customer.create(
            {"id": handle, "email": email, "first_name": handle.title(), "auto_collection": "on"}
        )
        if card is not None:
            self.add_card(handle, card)
        return self.imported(handle)

    def add_card(self, customer: str, number: str, *, primary: bool = False) -> None:
        """Another card of a customer's."""
        details = {"number": number, "expiry_month": 8, "expiry_year": 2033, "cvv": "123"}
        self.client.PaymentSource.create_card(
            {"customer_id": customer, "card": details, "replace_primary_payment_source": primary}
        )

    def subscribe(self, customer: str, plan: str, *, period: str = "Monthly", **options: Any) -> str:
        """A subscription to a plan; its id. The portal has heard of it."""
        items = [{"item_price_id": f"{plan}-USD-{period}", "quantity": 1}]
        order = {"subscription_items": items, **options}
        handle: str = self.client.Subscription.create_with_items(customer, order).subscription.raw_data["id"]
        self.imported(customer)
        return handle

    def imported(self, customer: str) -> Account:
        """The account, its mirror brought up to date."""
        account = sync.import_account(f"{customer}@example.com")
        assert account is not None
        return account

    def subscription(self, handle: str) -> dict[str, Any]:
        """What the provider holds of a subscription."""
        held: dict[str, Any] = self.client.Subscription.retrieve(handle).subscription.raw_data
        return held

    def term_end(self, handle: str) -> datetime:
        """When its current term ends."""
        return datetime.fromtimestamp(self.subscription(handle)["current_term_end"], tz=UTC)

    def invoices(self, customer: str) -> list[dict[str, Any]]:
        """A customer's invoices, newest first."""
        page = self.client.Invoice.list({"customer_id": {"is": customer}, "limit": 100})
        return [entry.invoice.raw_data for entry in page.list]

    def happened(self, event_type: str) -> int:
        """How often something happened, by the provider's own record."""
        page = self.client.Event.list({"event_type": {"is": event_type}, "limit": 100})
        return len(page.list)

    def _sell(self, price: str, cents: int) -> None:
        self.client.ItemPrice.create(
            {
                "id": price,
                "name": price,
                "item_id": price.rsplit("-USD-", 1)[0],
                "pricing_model": "flat_fee",
                "price": cents,
                "currency_code": "USD",
                "period": 1,
                "period_unit": "month" if price.endswith("Monthly") else "year",
            }
        )

    def _grant(self, handle: str, percent: int) -> None:
        self.client.Coupon.create_for_items(
            {
                "id": handle,
                "name": handle,
                "discount_type": "percentage",
                "discount_percentage": percent,
                "duration_type": "forever",
                "apply_on": "each_specified_item",
                "item_constraints": [{"constraint": "all", "item_type": "plan"}],
            }
        )


def iso(instant: datetime) -> str:
    """An instant as the portal answers with it."""
    return instant.strftime("%Y-%m-%dT%H:%M:%SZ")


def text_of(answer: Any) -> str:
    """An answer's body as text, for looking for what must not be there."""
    return json.dumps(answer.json())
