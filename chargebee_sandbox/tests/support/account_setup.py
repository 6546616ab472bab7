"""Sets up an account through the official SDK."""

from __future__ import annotations

from typing import Any


def make_account(sandbox: Any, handle: str = "alice", name: str = "Alice") -> None:
    """Create a customer with a Visa and a new monthly subscription of $6.99."""
    client = sandbox.client()
    client.ItemFamily.create({"id": "streaming", "name": "Streaming"})
    client.Item.create({"id": "faith", "name": "Faith", "type": client.Item.Type.PLAN, "item_family_id": "streaming"})
    client.ItemPrice.create(
        {
            "id": "faith-monthly",
            "name": "Faith monthly",
            "item_id": "faith",
            "pricing_model": "flat_fee",
            "price": 699,
            "period": 1,
            "period_unit": "month",
        }
    )
    client.Customer.create({"id": handle, "first_name": name, "email": f"{handle}@example.com"})
    client.PaymentSource.create_card(
        {
            "customer_id": handle,
            "card": {"number": "4111111111111111", "expiry_month": 8, "expiry_year": 2032, "cvv": "123"},
        }
    )
    client.Subscription.create_with_items(handle, {"subscription_items": [{"item_price_id": "faith-monthly"}]})
