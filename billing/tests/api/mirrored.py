"""Putting into the mirror what the provider would have said, in its own words."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import Any

from accounts.models import Account
from billing.gateway.snapshots import (
    CouponSnapshot,
    CustomerSnapshot,
    InvoiceSnapshot,
    ItemPriceSnapshot,
    PaymentSourceSnapshot,
    SubscriptionSnapshot,
    TransactionSnapshot,
)
from billing.models import BundleRate, Customer
from billing.services import documents, sync

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
FAITH, GOSPEL, KIDS = "faith-family-plan", "gospel-tv-plan", "Minno-Plan"
LEGACY = "Minno"
CENTS = {
    "faith-family-plan-USD-Monthly": 699,
    "faith-family-plan-USD-Yearly": 6999,
    "gospel-tv-plan-USD-Monthly": 799,
    "gospel-tv-plan-USD-Yearly": 7999,
    "Minno-Plan-USD-Monthly": 899,
    "Minno-Plan-USD-Yearly": 8999,
    "Minno-USD-Monthly": 799,
    "Minno-USD-Yearly": 7999,
}
_SNAPSHOTS: dict[str, Any] = {
    "item_price": ItemPriceSnapshot.of,
    "coupon": CouponSnapshot.of,
    "customer": CustomerSnapshot.of,
    "payment_source": PaymentSourceSnapshot.of,
    "subscription": lambda raw: SubscriptionSnapshot.of(raw, changing_to=raw.get("changing_to")),
    "transaction": TransactionSnapshot.of,
    "invoice": InvoiceSnapshot.of,
}
_numbers = itertools.count(1)

Raw = dict[str, Any]


def at(days: float = 0) -> int:
    """An instant so many days from NOW, as the provider writes it."""
    return int((NOW + timedelta(days=days)).timestamp())


def iso(days: float = 0) -> str:
    """The same instant as the portal answers with it."""
    return (NOW + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


def resource(kind: str, handle: str, **fields: Any) -> Raw:
    """A resource of the provider's, newer than every one made before it."""
    return {"object": kind, "id": handle, "resource_version": at() * 1000 + next(_numbers), **fields}


def subscription(
    handle: str, plan: str = FAITH, *, unit: str = "month", owner: str = "alice", **fields: Any
) -> Raw:
    """An active subscription that bills in twenty days; a field given as None is absent, as it is at the provider."""
    price = f"{plan}-USD-{'Monthly' if unit == 'month' else 'Yearly'}"
    amount = fields.pop("amount", CENTS.get(price, 100))
    body = {
        "customer_id": owner,
        "status": "active",
        "currency_code": "USD",
        "billing_period": 1,
        "billing_period_unit": unit,
        "current_term_start": at(-10),
        "current_term_end": at(20),
        "next_billing_at": at(20),
        "created_at": at(-40),
        "subscription_items": [
            {"item_price_id": price, "item_type": "plan", "quantity": 1, "amount": amount}
        ],
        **fields,
    }
    return resource(
        "subscription", handle, **{name: value for name, value in body.items() if value is not None}
    )


def changing_to(price: str) -> Raw:
    """What makes a subscription change its price when its term ends; the provider answers with it separately."""
    item = {"item_price_id": price, "item_type": "plan", "quantity": 1}
    return {"has_scheduled_changes": True, "changing_to": {"subscription_items": [item]}}


def coupons(*ids: str, **more: Any) -> list[Raw]:
    """The coupons of a subscription."""
    return [{"coupon_id": coupon_id, "applied_count": 0, **more} for coupon_id in ids]


def percentage(handle: str, percent: float, **fields: Any) -> Raw:
    """A coupon of some per cent, off the invoice if nothing else is said."""
    body = {"apply_on": "invoice_amount", "discount_type": "percentage", "status": "active", **fields}
    return resource("coupon", handle, name=handle, discount_percentage=percent, **body)


def amount_off(handle: str, cents: int, **fields: Any) -> Raw:
    """A coupon of some cents off the invoice."""
    body = {"apply_on": "invoice_amount", "discount_type": "fixed_amount", "status": "active", **fields}
    return resource("coupon", handle, name=handle, discount_amount=cents, **body)


def invoice(number: str, *, owner: str = "alice", days: float = 0, **fields: Any) -> Raw:
    """A paid invoice issued so many days from NOW."""
    body = {
        "customer_id": owner,
        "date": at(days),
        "status": "paid",
        "total": 699,
        "currency_code": "USD",
        **fields,
    }
    return resource("invoice", number, **body)


def catalogue() -> list[Raw]:
    """All prices, the legacy ones archived, and the demo's coupons."""
    prices = [
        resource(
            "item_price",
            handle,
            name=handle,
            item_id=handle.rsplit("-USD-", 1)[0],
            price=cents,
            period_unit="year" if handle.endswith("Yearly") else "month",
            status="archived" if handle.startswith("Minno-USD") else "active",
        )
        for handle, cents in CENTS.items()
    ]
    yearly = [handle for handle in CENTS if handle.endswith("Yearly")]
    return [
        *prices,
        percentage("BUNDLE-2", 10, apply_on="each_specified_item"),
        percentage("BUNDLE-3", 15, apply_on="each_specified_item"),
        percentage("FREE-MONTH", 100),
        percentage("SAVE20", 20),
        amount_off("WELCOME5", 500),
        amount_off("TENNER", 1000),
        percentage(
            "ANNUALONLY",
            15,
            item_constraints=[{"item_type": "plan", "constraint": "specific", "item_price_ids": yearly}],
        ),
    ]


def put(*raws: Raw) -> None:
    """Apply resources to the mirror, by its one writer."""
    sync.apply([_SNAPSHOTS[raw["object"]](raw) for raw in raws], now=NOW)


def sell_everything() -> None:
    """Put the catalogue and the bundle rates there."""
    put(*catalogue())
    BundleRate.objects.create(size=2, percentage=10, coupon_id="BUNDLE-2")
    BundleRate.objects.create(size=3, percentage=15, coupon_id="BUNDLE-3")


def open_account(handle: str, *raws: Raw) -> Account:
    """Open the account of a customer who holds these resources."""
    email = f"{handle}@example.com"
    account = Account.objects.open(email=email, first_name=handle.title(), last_name="Example")
    put(resource("customer", handle, email=email, first_name=handle.title(), created_at=at(-400)))
    Customer.objects.filter(provider_id=handle).update(account=account)
    put(*raws)
    documents.rebuild(account)
    return account
