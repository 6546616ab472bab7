"""Invoices: making one for a term, and the figures of one that would be made."""

from __future__ import annotations

from collections.abc import Sequence

from billing.sandbox import clock, settings
from billing.sandbox.body import Body
from billing.sandbox.engine import coupons
from billing.sandbox.engine.pricing import Bill, Price, promotional_credits, total_up
from billing.sandbox.models import Customer, Invoice, ItemPrice, Site, Subscription

UNPAID = ("payment_due", "not_paid")
_ESTIMATED = (
    *("recurring", "price_type", "currency_code", "customer_id", "sub_total", "total", "credits_applied"),
    *(
        "amount_paid",
        "amount_due",
        "round_off_amount",
        "line_items",
        "line_item_discounts",
        "line_item_taxes",
    ),
    *("discounts", "taxes"),
)


def item_prices(subscription: Subscription) -> list[ItemPrice]:
    """The item prices of a subscription, in its own order."""
    handles = [item["item_price_id"] for item in subscription["subscription_items"]]
    known = ItemPrice.objects.in_bulk(handles, field_name="handle")
    return [known[handle] for handle in handles]


def term_lines(subscription: Subscription, start: int, end: int) -> list[Price]:
    """The subscription's items as they are charged for a whole term."""
    prices = item_prices(subscription)
    return [
        line(item, price, start, end)
        for item, price in zip(subscription["subscription_items"], prices, strict=True)
    ]


def line(item: Body, price: ItemPrice, start: int, end: int) -> Price:
    """One item as it is charged for the time from ``start`` to ``end``."""
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


def bill(subscription: Subscription, lines: Sequence[Price], instant: int, *, promotional: int = 0) -> Bill:
    """What these lines come to at ``instant``: coupons off, then promotional credits (cents in hand), tax on."""
    owner = {"subscription_id": subscription.handle, "customer_id": subscription.customer_id}
    deductions = coupons.deductions(subscription, item_prices(subscription), instant)
    credited = promotional_credits(promotional, lines)
    return total_up(lines, [*deductions, *credited], settings.SANDBOX_TAX_PERCENT, owner)


def make(
    subscription: Subscription, customer: Customer, lines: Sequence[Price], *, promotional: int = 0
) -> Invoice:
    """Make the invoice over lines that begin now, unsaved and uncollected, and use up the coupons it takes.

    An invoice over nothing is born paid.
    """
    billed = bill(subscription, lines, clock.now(), promotional=promotional)
    coupons.use(subscription, billed.used_coupons, clock.now())
    first = not Invoice.objects.filter(subscription_id=subscription.handle).exists()
    return Invoice.make(
        _next_number(),
        {**_heading(customer, subscription, first), **billed.body(), **_standing(billed)},
        customer_id=customer.handle,
        subscription_id=subscription.handle,
    )


def as_estimate(invoice: Invoice) -> Body:
    """An invoice that was drawn up to be looked at and not kept, as an invoice estimate."""
    shown = {name: invoice[name] for name in _ESTIMATED if name in invoice.body}
    return {**shown, "object": "invoice_estimate"}


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
