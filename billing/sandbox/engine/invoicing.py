"""Invoices: making one for a term, and the figures of one that would be made."""

from __future__ import annotations

from billing.sandbox import clock, settings
from billing.sandbox.body import Body
from billing.sandbox.engine import coupons
from billing.sandbox.engine.pricing import Bill, Price, total_up
from billing.sandbox.models import Customer, Invoice, ItemPrice, Site, Subscription

UNPAID = ("payment_due", "not_paid")


def item_prices(subscription: Subscription) -> list[ItemPrice]:
    """The item prices of a subscription, in its own order."""
    handles = [item["item_price_id"] for item in subscription["subscription_items"]]
    known = ItemPrice.objects.in_bulk(handles, field_name="handle")
    return [known[handle] for handle in handles]


def term_bill(subscription: Subscription, start: int, end: int) -> Bill:
    """What the term from ``start`` to ``end`` costs: items, coupons, tax."""
    prices = item_prices(subscription)
    lines = [_line(item, price, start, end) for item, price in _paired(subscription, prices)]
    owner = {"subscription_id": subscription.handle, "customer_id": subscription.customer_id}
    return total_up(
        lines, coupons.deductions(subscription, prices, start), settings.SANDBOX_TAX_PERCENT, owner
    )


def invoice_term(subscription: Subscription, customer: Customer) -> Invoice:
    """Make the invoice of the term that has just begun, unsaved and uncollected, and use up its coupons.

    An invoice over nothing is born paid.
    """
    bill = term_bill(subscription, subscription["current_term_start"], subscription["current_term_end"])
    coupons.use(subscription, bill.used_coupons, subscription["current_term_start"])
    first = not Invoice.objects.filter(subscription_id=subscription.handle).exists()
    return Invoice.make(
        _next_number(),
        {**_heading(customer, subscription, first), **bill.body(), **_standing(bill)},
        customer_id=customer.handle,
        subscription_id=subscription.handle,
    )


def estimate(bill: Bill, subscription: Subscription, *, credit: int = 0) -> Body:
    """An invoice that would be made, as an invoice estimate; ``credit`` is what waits to be applied to it."""
    applied = min(credit, bill.total)
    return {
        **bill.body(),
        "recurring": True,
        "price_type": "tax_exclusive",
        "currency_code": subscription["currency_code"],
        "customer_id": subscription.customer_id,
        "credits_applied": applied,
        "amount_paid": 0,
        "amount_due": bill.total - applied,
        "round_off_amount": 0,
        "object": "invoice_estimate",
    }


def note_dues(subscription: Subscription) -> None:
    """Set the three attributes that tell what a subscription owes (the caller settles it)."""
    due = [
        one.body
        for one in Invoice.objects.filter(subscription_id=subscription.handle, body__status__in=UNPAID)
    ]
    subscription.change(
        due_invoices_count=len(due),
        due_since=min((one["date"] for one in due), default=None),
        total_dues=sum(one["amount_due"] for one in due) or None,
    )


def _paired(subscription: Subscription, prices: list[ItemPrice]) -> list[tuple[Body, ItemPrice]]:
    return list(zip(subscription["subscription_items"], prices, strict=True))


def _line(item: Body, price: ItemPrice, start: int, end: int) -> Price:
    return Price(
        entity_id=price.handle,
        entity_type=f"{item['item_type']}_item_price",
        description=price.get("external_name") or price["name"],
        quantity=item.get("quantity", 1),
        unit_amount=item["unit_price"],
        date_from=start,
        date_to=end,
        pricing_model=price["pricing_model"],
    )


def _next_number() -> str:
    site = Site.get()
    site.invoices_numbered += 1
    site.save(update_fields=["invoices_numbered"])
    return str(site.invoices_numbered)


def _heading(customer: Customer, subscription: Subscription, first: bool) -> Body:
    now = clock.now()
    address = customer.get("billing_address") or {
        "first_name": customer.get("first_name"),
        "last_name": customer.get("last_name"),
        "validation_status": "not_validated",
        "object": "billing_address",
    }
    return {
        "customer_id": customer.handle,
        "subscription_id": subscription.handle,
        "recurring": True,
        "price_type": "tax_exclusive",
        "date": now,
        "due_date": now,
        "generated_at": now,
        "net_term_days": 0,
        "exchange_rate": 1.0,
        "currency_code": subscription["currency_code"],
        "base_currency_code": subscription["currency_code"],
        "first_invoice": first,
        "is_gifted": False,
        "term_finalized": True,
        "has_advance_charges": False,
        "channel": "web",
        "deleted": False,
        "billing_address": {name: value for name, value in address.items() if value is not None},
    }


def _standing(bill: Bill) -> Body:
    settled = bill.total == 0
    return {
        "status": "paid" if settled else "payment_due",
        "paid_at": clock.now() if settled else None,
        "tax": bill.tax,
        "new_sales_amount": bill.total,
        "amount_paid": 0,
        "amount_adjusted": 0,
        "write_off_amount": 0,
        "credits_applied": 0,
        "amount_due": bill.total,
        "amount_to_collect": bill.total,
        "round_off_amount": 0,
        "linked_payments": [],
        "dunning_attempts": [],
        "applied_credits": [],
        "adjustment_credit_notes": [],
        "issued_credit_notes": [],
        "linked_orders": [],
    }
