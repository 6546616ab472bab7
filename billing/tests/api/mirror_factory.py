"""Build the provider's JSON of resources, and apply it to the mirror."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import Any

from accounts.models import Account
from billing.gateway.snapshots import (
    CouponSnapshot,
    CreditNoteSnapshot,
    CustomerSnapshot,
    InvoiceSnapshot,
    ItemPriceSnapshot,
    PaymentSourceSnapshot,
    PromotionalCreditSnapshot,
    SubscriptionSnapshot,
    TransactionSnapshot,
)
from billing.mirror import account_import, documents
from billing.models import BundleRate, Customer

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
FAITH, GOSPEL, KIDS = "faith-family-plan", "gospel-tv-plan", "Minno-Plan"
LEGACY = "Minno"
PRICE_CENTS = {
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
    "item_price": ItemPriceSnapshot.from_raw,
    "coupon": CouponSnapshot.from_raw,
    "customer": CustomerSnapshot.from_raw,
    "payment_source": PaymentSourceSnapshot.from_raw,
    "subscription": lambda raw: SubscriptionSnapshot.from_raw(raw, changing_to=raw.get("changing_to")),
    "transaction": TransactionSnapshot.from_raw,
    "invoice": InvoiceSnapshot.from_raw,
    "credit_note": CreditNoteSnapshot.from_raw,
    "promotional_credit": PromotionalCreditSnapshot.from_raw,
}
_numbers = itertools.count(1)

Raw = dict[str, Any]


def timestamp_at(days: float = 0) -> int:
    """Return the time `days` after NOW in epoch seconds, as the provider writes it."""
    return int((NOW + timedelta(days=days)).timestamp())


def iso_time_at(days: float = 0) -> str:
    """Return the time `days` after NOW as the API writes it."""
    return (NOW + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


def make_resource(kind: str, handle: str, **fields: Any) -> Raw:
    """Return a resource newer than every one made before it."""
    return {
        "object": kind,
        "id": handle,
        "resource_version": timestamp_at() * 1000 + next(_numbers),
        **fields,
    }


def make_subscription(
    handle: str, plan: str = FAITH, *, unit: str = "month", owner: str = "alice", **fields: Any
) -> Raw:
    """Return an active subscription that bills in twenty days. A field given as None is left out."""
    price = f"{plan}-USD-{'Monthly' if unit == 'month' else 'Yearly'}"
    amount = fields.pop("amount", PRICE_CENTS.get(price, 100))
    body = {
        "customer_id": owner,
        "status": "active",
        "currency_code": "USD",
        "billing_period": 1,
        "billing_period_unit": unit,
        "current_term_start": timestamp_at(-10),
        "current_term_end": timestamp_at(20),
        "next_billing_at": timestamp_at(20),
        "created_at": timestamp_at(-40),
        "subscription_items": [{"item_price_id": price, "item_type": "plan", "quantity": 1, "amount": amount}],
        **fields,
    }
    return make_resource("subscription", handle, **{name: value for name, value in body.items() if value is not None})


def scheduled_price_change(price: str) -> Raw:
    """Return the fields of a subscription that is scheduled to change to a price."""
    item = {"item_price_id": price, "item_type": "plan", "quantity": 1}
    return {"has_scheduled_changes": True, "changing_to": {"subscription_items": [item]}}


def subscription_coupons(*ids: str, **more: Any) -> list[Raw]:
    """Return the coupon rows of a subscription."""
    return [{"coupon_id": coupon_id, "applied_count": 0, **more} for coupon_id in ids]


def make_percent_coupon(handle: str, percent: float, **fields: Any) -> Raw:
    """Return a percentage coupon, invoice-level by default."""
    body = {"apply_on": "invoice_amount", "discount_type": "percentage", "status": "active", **fields}
    return make_resource("coupon", handle, name=handle, discount_percentage=percent, **body)


def make_amount_coupon(handle: str, cents: int, **fields: Any) -> Raw:
    """Return an invoice-level coupon of some cents."""
    body = {"apply_on": "invoice_amount", "discount_type": "fixed_amount", "status": "active", **fields}
    return make_resource("coupon", handle, name=handle, discount_amount=cents, **body)


def make_invoice(number: str, *, owner: str = "alice", days: float = 0, **fields: Any) -> Raw:
    """Return a paid invoice issued `days` after NOW."""
    body = {
        "customer_id": owner,
        "date": timestamp_at(days),
        "status": "paid",
        "total": 699,
        "currency_code": "USD",
        **fields,
    }
    return make_resource("invoice", number, **body)


def catalog_resources() -> list[Raw]:
    """Return all prices, legacy ones archived, and the demo's coupons."""
    prices = [
        make_resource(
            "item_price",
            handle,
            name=handle,
            item_id=handle.rsplit("-USD-", 1)[0],
            price=cents,
            period_unit="year" if handle.endswith("Yearly") else "month",
            status="archived" if handle.startswith("Minno-USD") else "active",
        )
        for handle, cents in PRICE_CENTS.items()
    ]
    yearly = [handle for handle in PRICE_CENTS if handle.endswith("Yearly")]
    return [
        *prices,
        make_percent_coupon("BUNDLE-2", 10, apply_on="each_specified_item"),
        make_percent_coupon("BUNDLE-3", 15, apply_on="each_specified_item"),
        make_percent_coupon("FREE-MONTH", 100),
        make_percent_coupon("SAVE20", 20),
        make_amount_coupon("WELCOME5", 500),
        make_amount_coupon("TENNER", 1000),
        make_percent_coupon(
            "ANNUALONLY",
            15,
            item_constraints=[{"item_type": "plan", "constraint": "specific", "item_price_ids": yearly}],
        ),
    ]


def apply_resources(*raws: Raw) -> None:
    """Apply resources to the mirror."""
    account_import.apply_snapshots([_SNAPSHOTS[raw["object"]](raw) for raw in raws], now=NOW)


def apply_catalog() -> None:
    """Apply the catalog and set the bundle rates."""
    apply_resources(*catalog_resources())
    BundleRate.objects.create(size=2, percentage=10, coupon_id="BUNDLE-2")
    BundleRate.objects.create(size=3, percentage=15, coupon_id="BUNDLE-3")


def open_account(handle: str, *raws: Raw) -> Account:
    """Open the account of a customer, unless it is open, and apply these resources."""
    email = f"{handle}@example.com"
    account = Account.objects.filter(customer__provider_id=handle).first() or Account.objects.open_account(
        email=email, first_name=handle.title(), last_name="Example"
    )
    apply_resources(
        make_resource("customer", handle, email=email, first_name=handle.title(), created_at=timestamp_at(-400))
    )
    Customer.objects.filter(provider_id=handle).update(account=account)
    apply_resources(*raws)
    documents.rebuild_documents(account)
    return account
