"""Invoices: building one for a term, its estimate, and what a subscription owes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db.models import Q

from chargebee_sandbox import clock
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.billing import coupons, tiers
from chargebee_sandbox.engine.billing.pricing import Bill, LineItem, add_bills, compute_totals, promotional_deductions
from chargebee_sandbox.models import Customer, Invoice, ItemPrice, Subscription
from chargebee_sandbox.site import Site
from chargebee_sandbox.site_settings import load_settings

UNPAID_STATUSES = ("payment_due", "not_paid")
_ENTITY_TYPES = {"plan": "plan_item_price", "addon": "addon_item_price", "charge": "charge_item_price"}
_ESTIMATE_FIELDS = (
    *("recurring", "price_type", "currency_code", "customer_id", "sub_total", "total", "credits_applied"),
    *("amount_paid", "amount_due", "round_off_amount"),
    *("line_items", "line_item_tiers", "line_item_discounts", "line_item_taxes", "discounts", "taxes"),
)


class Charges(NamedTuple):
    """What an invoice charges for a subscription; a consolidated invoice has the charges of several."""

    subscription: Subscription
    lines: Sequence[LineItem]


def item_prices(subscription: Subscription) -> list[ItemPrice]:
    """Return the item prices of a subscription, in the order of its items."""
    handles = [item["item_price_id"] for item in subscription["subscription_items"]]
    prices = ItemPrice.objects.in_bulk(handles, field_name="handle")
    return [prices[handle] for handle in handles]


def term_lines(subscription: Subscription, start: int, end: int) -> list[LineItem]:
    """Return the charges of the subscription's recurring items for a whole term."""
    return [
        line_item(subscription, item, price, start, end)
        for item, price in zip(subscription["subscription_items"], item_prices(subscription), strict=True)
        if item["item_type"] != "charge"
    ]


def take_charge_items(subscription: Subscription, instant: int) -> list[LineItem]:
    """Return the lines of what is charged once, and move it to the charged items, as documented; unsaved."""
    items = subscription["subscription_items"]
    recurring = [item for item in items if item["item_type"] != "charge"]
    if len(recurring) == len(items):
        return []
    lines = [
        line_item(subscription, item, price, instant, instant)
        for item, price in zip(items, item_prices(subscription), strict=True)
        if item["item_type"] == "charge"
    ]
    charged = [
        {"item_price_id": line.entity_id, "last_charged_at": instant, "object": "charged_item"} for line in lines
    ]
    subscription.set_attributes(
        subscription_items=recurring, charged_items=[*subscription.get("charged_items", []), *charged]
    )
    return lines


def line_item(subscription: Subscription, item: Body, price: ItemPrice, start: int, end: int) -> LineItem:
    """Return the charge of a subscription's item for the time from ``start`` to ``end``."""
    item_tiers = [tier for tier in subscription.get("item_tiers", []) if tier["item_price_id"] == price.handle]
    return LineItem(
        entity_id=price.handle,
        entity_type=_ENTITY_TYPES[item["item_type"]],
        description=price.get("external_name") or price["name"],
        quantity=item.get("quantity", 1),
        unit_amount=item["unit_price"],
        date_from=start,
        date_to=end,
        pricing_model=price["pricing_model"],
        tiers=tiers.use_tiers(price["pricing_model"], item_tiers, item["quantity"]) if item_tiers else (),
    )


def compute_bill(subscription: Subscription, lines: Sequence[LineItem], instant: int, *, promotional: int = 0) -> Bill:
    """Return the bill for these lines at ``instant``: less coupons, then promotional credits (cents), plus tax."""
    owner = {"subscription_id": subscription.handle, "customer_id": subscription.customer_id}
    deductions = coupons.coupon_deductions(subscription, item_prices(subscription), instant)
    deductions += promotional_deductions(promotional, lines)
    return compute_totals(lines, deductions, load_settings().tax_percent, owner)


def recurring_price(subscription: Subscription) -> int:
    """Return the price of a term in cents, less the coupons that are neither one-time nor over, before tax."""
    if not subscription.get("coupons"):
        return sum(item["amount"] for item in subscription["subscription_items"])
    now = clock.now_seconds()
    deductions = coupons.coupon_deductions(subscription, item_prices(subscription), now, only_recurring=True)
    return compute_totals(term_lines(subscription, now, now), deductions, 0, {}).total


def make_invoice(charges: Sequence[Charges], customer: Customer, *, promotional: int = 0) -> Invoice:
    """Build the invoice for charges that begin now, unsaved and uncollected, and count the use of its coupons.

    The coupons of a subscription are for its own charges, ``promotional`` credits (cents) for all of them in turn. An
    invoice of several subscriptions names them in its lines only. One with a total of 0 is paid at once.
    """
    bills: list[Bill] = []
    for subscription, lines in charges:
        left = promotional - sum(bill.promotional for bill in bills)
        bills.append(compute_bill(subscription, lines, clock.now_seconds(), promotional=left))
        coupons.use_coupons(subscription, bills[-1].used_coupons, clock.now_seconds())
    bill = add_bills(bills)
    owner = charges[0].subscription.handle if len(charges) == 1 else ""
    first = not any(invoices_of(subscription) for subscription, _lines in charges)
    heading = _invoice_heading(customer, charges[0].subscription, first)
    return Invoice.build_row(
        _next_invoice_number(),
        {**heading, "subscription_id": owner or None, **bill.as_body(), **_initial_amounts(bill)},
        customer_id=customer.handle,
        subscription_id=owner,
    )


def invoices_of(subscription: Subscription, **conditions: Any) -> list[Invoice]:
    """Return the invoices that charge for a subscription, consolidated ones included, oldest first."""
    own = Q(subscription_id=subscription.handle)
    consolidated = Q(subscription_id="", customer_id=subscription.customer_id)
    invoices = Invoice.objects.filter(own | consolidated, **conditions).order_by("seq")
    return [invoice for invoice in invoices if subscription.handle in _charged_handles(invoice)]


def charged_subscriptions(invoice: Invoice) -> list[Subscription]:
    """Return the subscriptions that an invoice charges for, in the order of its lines."""
    handles = _charged_handles(invoice)
    subscriptions = Subscription.objects.in_bulk(handles, field_name="handle")
    return [subscriptions[handle] for handle in handles]


def render_invoice_estimate(invoice: Invoice) -> Body:
    """Return a draft invoice in the shape of an invoice estimate."""
    attributes = {name: invoice[name] for name in _ESTIMATE_FIELDS if name in invoice.body}
    return {**attributes, "object": "invoice_estimate"}


def update_dues(subscription: Subscription) -> None:
    """Set the three attributes that tell what a subscription owes, unsaved."""
    due_invoices = invoices_of(subscription, body__status__in=UNPAID_STATUSES)
    subscription.set_attributes(
        due_invoices_count=len(due_invoices),
        due_since=min((invoice["date"] for invoice in due_invoices), default=None),
        total_dues=sum(invoice["amount_due"] for invoice in due_invoices) or None,
    )


def _charged_handles(invoice: Invoice) -> list[str]:
    return list(dict.fromkeys(line["subscription_id"] for line in invoice["line_items"]))


def _next_invoice_number() -> str:
    site = Site.load()
    site.invoices_numbered += 1
    site.save(update_fields=["invoices_numbered"])
    return str(site.invoices_numbered)


def _invoice_heading(customer: Customer, subscription: Subscription, first: bool) -> Body:
    now = clock.now_seconds()
    address = customer.get("billing_address") or {
        "first_name": customer.get("first_name"),
        "last_name": customer.get("last_name"),
        "validation_status": "not_validated",
        "object": "billing_address",
    }
    return {
        "customer_id": customer.handle,
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


def _initial_amounts(bill: Bill) -> Body:
    is_paid = bill.total == 0
    return {
        "status": "paid" if is_paid else "payment_due",
        "paid_at": clock.now_seconds() if is_paid else None,
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
