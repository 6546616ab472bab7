"""Credits for the unused part of a term, and their use."""

from __future__ import annotations

from typing import Any

import pytest

from chargebee_sandbox.tests.support.site_driver import (
    DECLINING_CARD,
    SiteDriver,
    attribute_values,
    expect_refusal,
)

DAY = 86_400


@pytest.fixture
def halfway(shop: SiteDriver) -> Any:
    """A monthly subscription of 699 cents, half a month after its start."""
    subscription = shop.start_subscription(shop.add_customer())
    length = subscription.current_term_end - subscription.current_term_start
    shop.travel_past(subscription.current_term_start, length // 2)
    return subscription


def cancel_now(shop: SiteDriver, handle: str, credit: str) -> Any:
    params = {"cancel_option": "immediately", "credit_option_for_current_term_charges": credit}
    return shop.client.Subscription.cancel_for_items(handle, params)


def test_the_credit_for_a_paid_term_pays_the_next_invoices(shop: SiteDriver, halfway: Any):
    answer = cancel_now(shop, halfway.id, "prorate")
    note = answer.credit_notes[0]
    credit = note.total
    assert 345 <= credit <= 350
    assert attribute_values(note, ("type", "status", "reason_code", "amount_available", "reference_invoice_id")) == {
        "type": "refundable",
        "status": "refund_due",
        "reason_code": "subscription_cancellation",
        "amount_available": credit,
        "reference_invoice_id": shop.list_invoices(halfway.id)[0].id,
    }
    assert note.line_items[0].description.startswith("faith - Prorated Credits for ")
    assert shop.client.Customer.retrieve("ava").customer.refundable_credits == credit

    again = shop.start_subscription("ava")
    invoice = shop.list_invoices(again.id)[0]
    assert (invoice.credits_applied, invoice.amount_paid, invoice.amount_due) == (credit, 699 - credit, 0)
    assert (invoice.applied_credits[0].cn_id, invoice.applied_credits[0].applied_amount) == (note.id, credit)
    used = shop.client.CreditNote.retrieve(note.id).credit_note
    assert (used.status, used.amount_available, used.allocations[0].invoice_id) == ("refunded", 0, invoice.id)
    assert shop.client.Customer.retrieve("ava").customer.refundable_credits == 0


def test_a_credit_above_the_invoice_needs_no_card_and_keeps_its_balance(shop: SiteDriver):
    yearly = shop.start_subscription(shop.add_customer(), "faith-year")
    cancel_now(shop, yearly.id, "full")
    shop.add_card("ava", DECLINING_CARD, replace_primary_payment_source=True)
    monthly = shop.start_subscription("ava")
    invoice = shop.list_invoices(monthly.id)[0]
    assert (invoice.status, invoice.credits_applied, invoice.linked_payments) == ("paid", 699, [])
    assert shop.client.Customer.retrieve("ava").customer.refundable_credits == 6999 - 699
    estimate = shop.client.Estimate.renewal_estimate(monthly.id, {}).estimate.invoice_estimate
    assert (estimate.total, estimate.credits_applied, estimate.amount_due) == (699, 699, 0)


def test_an_unpaid_term_is_adjusted_and_no_longer_due(shop: SiteDriver):
    subscription = shop.start_subscription(shop.add_customer())
    shop.add_card("ava", DECLINING_CARD, replace_primary_payment_source=True)
    shop.travel_past(subscription.current_term_end)
    answer = cancel_now(shop, subscription.id, "full")
    invoice = shop.list_invoices(subscription.id)[-1]
    assert attribute_values(
        invoice, ("status", "amount_adjusted", "amount_due", "dunning_status", "next_retry_at")
    ) == {
        "status": "paid",
        "amount_adjusted": 699,
        "amount_due": 0,
        "dunning_status": "stopped",
        "next_retry_at": None,
    }
    assert (answer.credit_notes[0].type, answer.credit_notes[0].status) == ("adjustment", "adjusted")
    assert attribute_values(answer.subscription, ("status", "due_invoices_count", "total_dues")) == {
        "status": "cancelled",
        "due_invoices_count": 0,
        "total_dues": None,
    }
    shop.travel_past(subscription.current_term_end, 3 * DAY)
    assert len(shop.list_invoices(subscription.id)[-1].linked_payments) == 1


def test_only_an_immediate_cancellation_can_credit_the_term(shop: SiteDriver, halfway: Any):
    with expect_refusal(400, "param_wrong_value"):
        shop.client.Subscription.cancel_for_items(
            halfway.id, {"cancel_option": "end_of_term", "credit_option_for_current_term_charges": "full"}
        )
    assert cancel_now(shop, halfway.id, "none").credit_notes is None
    assert shop.client.CreditNote.list({"customer_id": {"is": "ava"}}).list == []


def test_a_declined_first_payment_does_not_use_the_credit(shop: SiteDriver, halfway: Any):
    credit = cancel_now(shop, halfway.id, "prorate").credit_notes[0].total
    shop.add_card("ava", DECLINING_CARD, replace_primary_payment_source=True)
    with expect_refusal(400, "payment_processing_failed"):
        shop.start_subscription("ava")
    assert shop.client.Customer.retrieve("ava").customer.refundable_credits == credit
