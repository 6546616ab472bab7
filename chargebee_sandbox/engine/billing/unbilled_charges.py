"""Unbilled charges: charges of a subscription that wait for its next term's invoice.

Inside ``with handle_charges(invoices_at_once=False):`` what would be invoiced is added to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from chargebee_sandbox import clock, identifiers
from chargebee_sandbox.engine.billing.pricing import LineItem
from chargebee_sandbox.models import Customer, Subscription, UnbilledCharge

_LINE_FIELDS = ("entity_id", "entity_type", "description", "quantity", "unit_amount", "date_from", "date_to")

_invoices_at_once: ContextVar[bool] = ContextVar("invoices_at_once", default=True)


@contextmanager
def handle_charges(*, invoices_at_once: bool) -> Iterator[None]:
    """Invoice the charges raised inside the block at once, or add them to the unbilled ones."""
    token = _invoices_at_once.set(invoices_at_once)
    try:
        yield
    finally:
        _invoices_at_once.reset(token)


def are_invoiced_at_once() -> bool:
    """Return whether charges are invoiced at once here."""
    return _invoices_at_once.get()


def add_charges(subscription: Subscription, lines: Sequence[LineItem], customer: Customer) -> list[UnbilledCharge]:
    """Save charges as unbilled ones, and count them for the customer."""
    charges = [
        _build_charge(subscription, line.as_partial_charge(line.amount, line.description) if line.tiers else line)
        for line in lines
    ]
    for charge in charges:
        charge.save()
    _count_amount(customer, sum(line.amount for line in lines))
    return charges


def pending_charges(subscription: Subscription) -> list[UnbilledCharge]:
    """Return the charges that wait, oldest first."""
    waiting = UnbilledCharge.objects.filter(subscription_id=subscription.handle, deleted=False)
    return list(waiting.filter(body__is_voided=False).order_by("seq"))


def take_charges(charges: Sequence[UnbilledCharge], customer: Customer) -> list[LineItem]:
    """Return the lines of charges for an invoice; they wait no longer."""
    for charge in charges:
        charge.deleted = True
        charge.set_attributes(deleted=True)
        charge.save()
    _count_amount(customer, -sum(charge["amount"] for charge in charges))
    return [
        LineItem(**{name: charge[name] for name in _LINE_FIELDS}, pricing_model=charge["pricing_model"])
        for charge in charges
    ]


def void_charges(charges: Sequence[UnbilledCharge], customer: Customer) -> None:
    """Void charges: they are never invoiced."""
    for charge in charges:
        charge.set_attributes(is_voided=True, voided_at=clock.now_seconds())
        charge.save()
    _count_amount(customer, -sum(charge["amount"] for charge in charges))


def _build_charge(subscription: Subscription, line: LineItem) -> UnbilledCharge:
    return UnbilledCharge.build_row(
        identifiers.new_id("li_"),
        {
            **{name: getattr(line, name) for name in _LINE_FIELDS},
            "customer_id": subscription.customer_id,
            "subscription_id": subscription.handle,
            "pricing_model": line.pricing_model,
            "amount": line.amount,
            "discount_amount": 0,
            "currency_code": subscription["currency_code"],
            "is_voided": False,
            "is_advance_charge": False,
            "created_at": clock.now_seconds(),
            "deleted": False,
        },
        customer_id=subscription.customer_id,
        subscription_id=subscription.handle,
    )


def _count_amount(customer: Customer, amount: int) -> None:
    if amount and customer.handle:
        customer.set_attributes(unbilled_charges=customer["unbilled_charges"] + amount)
        customer.save()
