"""Credits for a cut term, and what becomes of them."""

from __future__ import annotations

from typing import Any

import pytest

from billing.sandbox.tests.shop import DECLINES, Shop, refused, shown

DAY = 86_400


@pytest.fixture
def halfway(shop: Shop) -> Any:
    """A subscription of 699 a month, half a month later."""
    subscription = shop.subscribe(shop.customer())
    length = subscription.current_term_end - subscription.current_term_start
    shop.travel_past(subscription.current_term_start, length // 2)
    return subscription


def cancelled(shop: Shop, handle: str, credit: str) -> Any:
    asked = {"cancel_option": "immediately", "credit_option_for_current_term_charges": credit}
    return shop.client.Subscription.cancel_for_items(handle, asked)


def test_the_rest_of_a_paid_term_is_credited_and_pays_the_next_invoices(shop: Shop, halfway: Any):
    answer = cancelled(shop, halfway.id, "prorate")
    note = answer.credit_notes[0]
    credit = note.total
    assert 345 <= credit <= 350
    assert shown(note, ("type", "status", "reason_code", "amount_available", "reference_invoice_id")) == {
        "type": "refundable",
        "status": "refund_due",
        "reason_code": "subscription_cancellation",
        "amount_available": credit,
        "reference_invoice_id": shop.invoices(halfway.id)[0].id,
    }
    assert note.line_items[0].description.startswith("faith - Prorated Credits for ")
    assert shop.client.Customer.retrieve("ava").customer.refundable_credits == credit

    again = shop.subscribe("ava")
    invoice = shop.invoices(again.id)[0]
    assert (invoice.credits_applied, invoice.amount_paid, invoice.amount_due) == (credit, 699 - credit, 0)
    assert (invoice.applied_credits[0].cn_id, invoice.applied_credits[0].applied_amount) == (note.id, credit)
    used = shop.client.CreditNote.retrieve(note.id).credit_note
    assert (used.status, used.amount_available, used.allocations[0].invoice_id) == ("refunded", 0, invoice.id)
    assert shop.client.Customer.retrieve("ava").customer.refundable_credits == 0


def test_a_credit_larger_than_the_invoice_needs_no_card_and_keeps_its_rest(shop: Shop):
    yearly = shop.subscribe(shop.customer(), "faith-year")
    cancelled(shop, yearly.id, "full")
    shop.add_card("ava", DECLINES, replace_primary_payment_source=True)
    monthly = shop.subscribe("ava")
    invoice = shop.invoices(monthly.id)[0]
    assert (invoice.status, invoice.credits_applied, invoice.linked_payments) == ("paid", 699, [])
    assert shop.client.Customer.retrieve("ava").customer.refundable_credits == 6999 - 699
    estimate = shop.client.Estimate.renewal_estimate(monthly.id, {}).estimate.invoice_estimate
    assert (estimate.total, estimate.credits_applied, estimate.amount_due) == (699, 699, 0)


def test_an_unpaid_term_is_adjusted_and_no_longer_due(shop: Shop):
    subscription = shop.subscribe(shop.customer())
    shop.add_card("ava", DECLINES, replace_primary_payment_source=True)
    shop.travel_past(subscription.current_term_end)
    answer = cancelled(shop, subscription.id, "full")
    invoice = shop.invoices(subscription.id)[-1]
    assert shown(invoice, ("status", "amount_adjusted", "amount_due", "dunning_status", "next_retry_at")) == {
        "status": "paid",
        "amount_adjusted": 699,
        "amount_due": 0,
        "dunning_status": "stopped",
        "next_retry_at": None,
    }
    assert (answer.credit_notes[0].type, answer.credit_notes[0].status) == ("adjustment", "adjusted")
    assert shown(answer.subscription, ("status", "due_invoices_count", "total_dues")) == {
        "status": "cancelled",
        "due_invoices_count": 0,
        "total_dues": None,
    }
    shop.travel_past(subscription.current_term_end, 3 * DAY)
    assert len(shop.invoices(subscription.id)[-1].linked_payments) == 1


def test_nothing_is_credited_unless_asked_and_never_for_a_later_end(shop: Shop, halfway: Any):
    with refused(400, "param_wrong_value"):
        shop.client.Subscription.cancel_for_items(
            halfway.id, {"cancel_option": "end_of_term", "credit_option_for_current_term_charges": "full"}
        )
    assert cancelled(shop, halfway.id, "none").credit_notes is None
    assert shop.client.CreditNote.list({"customer_id": {"is": "ava"}}).list == []


def test_a_declined_start_leaves_the_credit_where_it_was(shop: Shop, halfway: Any):
    credit = cancelled(shop, halfway.id, "prorate").credit_notes[0].total
    shop.add_card("ava", DECLINES, replace_primary_payment_source=True)
    with refused(400, "payment_processing_failed"):
        shop.subscribe("ava")
    assert shop.client.Customer.retrieve("ava").customer.refundable_credits == credit
