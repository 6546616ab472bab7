"""Refunds and credits of an invoice, on request."""

from __future__ import annotations

from typing import Any

import pytest

from chargebee_sandbox.tests.support.site_driver import SiteDriver, attribute_values, expect_refusal

DAY = 86_400


@pytest.fixture
def invoice(shop: SiteDriver) -> Any:
    """A paid invoice of 699 cents."""
    return shop.list_invoices(shop.start_subscription(shop.add_customer()).id)[0]


def credits_of(shop: SiteDriver) -> int:
    return int(shop.client.Customer.retrieve("ava").customer.refundable_credits)


def event_types_since(shop: SiteDriver, number: int) -> list[str]:
    return [event.event_type for event in shop.list_events()[number:]]


def test_a_refund_goes_to_the_payment_and_is_linked_everywhere(shop: SiteDriver, invoice: Any):
    before = len(shop.list_events())

    answer = shop.client.Invoice.refund(
        invoice.id, {"refund_amount": 200, "credit_note": {"reason_code": "waiver"}, "customer_notes": "Ref. 1"}
    )

    note, refund = answer.credit_note, answer.transaction
    assert attribute_values(
        note, ("type", "status", "total", "amount_refunded", "amount_available", "reason_code")
    ) == {
        "type": "refundable",
        "status": "refunded",
        "total": 200,
        "amount_refunded": 200,
        "amount_available": 0,
        "reason_code": "waiver",
    }
    assert (note.customer_notes, note.line_items[0].amount, note.linked_refunds[0].txn_id) == ("Ref. 1", 200, refund.id)
    assert (refund.type, refund.amount, refund.status) == ("refund", 200, "success")
    assert refund.linked_credit_notes[0].cn_id == note.id
    payment = shop.client.Transaction.retrieve(refund.refunded_txn_id).transaction
    assert (payment.id, payment.linked_refunds[0].txn_amount) == (invoice.linked_payments[0].txn_id, 200)
    assert attribute_values(answer.invoice, ("status", "amount_paid", "amount_due")) == {
        "status": "paid",
        "amount_paid": 699,
        "amount_due": 0,
    }
    assert attribute_values(answer.invoice.issued_credit_notes[0], ("cn_id", "cn_total", "cn_status")) == {
        "cn_id": note.id,
        "cn_total": 200,
        "cn_status": "refunded",
    }
    assert credits_of(shop) == 0
    kinds = ["transaction_created", "credit_note_created", "payment_refunded", "invoice_updated"]
    assert event_types_since(shop, before) == kinds


def test_refunds_end_with_what_was_paid(shop: SiteDriver, invoice: Any):
    shop.client.Invoice.refund(invoice.id, {"refund_amount": 600})
    with expect_refusal(400, "param_wrong_value"):
        shop.client.Invoice.refund(invoice.id, {"refund_amount": 100})

    rest = shop.client.Invoice.refund(invoice.id)

    assert rest.transaction.amount == 99
    with expect_refusal(409, "invalid_state_for_request"):
        shop.client.Invoice.refund(invoice.id)


def test_a_repeated_refund_with_one_key_is_made_once(shop: SiteDriver, invoice: Any):
    headers = {"chargebee-idempotency-key": "once"}
    first = shop.client.Invoice.refund(invoice.id, {"refund_amount": 300}, headers)
    second = shop.client.Invoice.refund(invoice.id, {"refund_amount": 300}, headers)

    assert (second.transaction.id, second.is_idempotency_replayed) == (first.transaction.id, True)
    assert shop.client.Invoice.retrieve(invoice.id).invoice.issued_credit_notes[0].cn_total == 300


def test_a_refund_that_the_gateway_declines_leaves_nothing(shop: SiteDriver, invoice: Any):
    shop.sandbox.order_fault(kind="decline_payment", path="*/refund")

    with expect_refusal(400, "payment_processing_failed"):
        shop.client.Invoice.refund(invoice.id, {"refund_amount": 300})

    assert shop.client.Invoice.retrieve(invoice.id).invoice.issued_credit_notes == []
    assert shop.client.CreditNote.list({"customer_id": {"is": "ava"}}).list == []


def test_an_unpaid_invoice_cannot_be_refunded_and_is_adjusted(shop: SiteDriver):
    unpaid = shop.list_invoices(shop.start_subscription(shop.add_customer(), auto_collection="off").id)[0]
    with expect_refusal(409, "invalid_state_for_request"):
        shop.client.Invoice.refund(unpaid.id)
    order = {"reference_invoice_id": unpaid.id, "reason_code": "waiver"}
    with expect_refusal(409, "invalid_state_for_request"):
        shop.client.CreditNote.create({**order, "total": 100, "type": "refundable"})

    answer = shop.client.CreditNote.create({**order, "type": "adjustment"})

    assert attribute_values(answer.credit_note, ("type", "status", "total")) == {
        "type": "adjustment",
        "status": "adjusted",
        "total": 699,
    }
    assert (answer.invoice.status, answer.invoice.amount_due) == ("paid", 0)
    shop.client.CreditNote.void_credit_note(answer.credit_note.id)
    due = shop.client.Invoice.retrieve(unpaid.id).invoice
    assert (due.status, due.amount_due, due.adjustment_credit_notes[0].cn_status) == ("not_paid", 699, "voided")


def test_a_credit_pays_the_next_invoice_and_what_is_left_is_refunded(shop: SiteDriver):
    yearly = shop.start_subscription(shop.add_customer(), "faith-year")
    paid = shop.list_invoices(yearly.id)[0]
    order = {"reference_invoice_id": paid.id, "total": 1000, "type": "refundable", "reason_code": "waiver"}
    note = shop.client.CreditNote.create(order).credit_note
    assert (note.status, note.amount_available, credits_of(shop)) == ("refund_due", 1000, 1000)

    monthly = shop.start_subscription("ava")

    assert shop.list_invoices(monthly.id)[0].credits_applied == 699
    with expect_refusal(400, "param_wrong_value"):
        shop.client.CreditNote.refund(note.id, {"refund_amount": 400})
    answer = shop.client.CreditNote.refund(note.id)
    assert (answer.transaction.amount, answer.credit_note.status, credits_of(shop)) == (301, "refunded", 0)
    with expect_refusal(409, "invalid_state_for_request"):
        shop.client.CreditNote.void_credit_note(note.id)


def test_an_invoice_that_a_credit_paid_is_refunded_to_the_payment_behind_the_credit(shop: SiteDriver):
    yearly = shop.start_subscription(shop.add_customer(), "faith-year")
    source = shop.list_invoices(yearly.id)[0]
    order = {"reference_invoice_id": source.id, "total": 699, "type": "refundable", "reason_code": "waiver"}
    shop.client.CreditNote.create(order)
    paid_by_credit = shop.list_invoices(shop.start_subscription("ava").id)[0]

    answer = shop.client.Invoice.refund(paid_by_credit.id)

    assert (answer.transaction.amount, answer.transaction.refunded_txn_id) == (699, source.linked_payments[0].txn_id)


def test_a_void_credit_can_be_given_again(shop: SiteDriver, invoice: Any):
    order = {"reference_invoice_id": invoice.id, "total": 699, "type": "refundable", "reason_code": "waiver"}
    note = shop.client.CreditNote.create(order).credit_note

    assert shop.client.CreditNote.void_credit_note(note.id).credit_note.status == "voided"

    assert credits_of(shop) == 0
    assert shop.client.CreditNote.create(order).credit_note.total == 699


def test_what_was_refunded_is_not_credited_again_when_the_term_is_cut(shop: SiteDriver, invoice: Any):
    shop.client.Invoice.refund(invoice.id, {"refund_amount": 600})

    answer = shop.client.Subscription.cancel_for_items(
        invoice.subscription_id, {"cancel_option": "immediately", "credit_option_for_current_term_charges": "full"}
    )

    assert [note.total for note in answer.credit_notes] == [99]


def test_a_refund_by_other_means_is_recorded_with_its_day(shop: SiteDriver, invoice: Any):
    paid_back = {"amount": 300, "payment_method": "check", "reference_number": "77", "date": invoice.date}

    answer = shop.client.Invoice.record_refund(invoice.id, {"transaction": paid_back})

    assert attribute_values(answer.transaction, ("gateway", "payment_method", "reference_number", "amount")) == {
        "gateway": "not_applicable",
        "payment_method": "check",
        "reference_number": "77",
        "amount": 300,
    }
    with expect_refusal(400, "param_wrong_value"):
        shop.client.Invoice.record_refund(invoice.id, {"transaction": {**paid_back, "date": invoice.date - DAY}})
    with expect_refusal(400, "param_wrong_value"):
        shop.client.Invoice.refund(invoice.id, {"refund_amount": 400})


def test_a_recorded_refund_is_listed_by_the_day_on_which_it_was_paid(shop: SiteDriver, invoice: Any):
    shop.travel_past(invoice.date + 3 * DAY)
    online = shop.client.Invoice.refund(invoice.id, {"refund_amount": 100}).transaction
    paid_back = {"amount": 300, "payment_method": "check", "date": invoice.date + DAY}
    recorded = shop.client.Invoice.record_refund(invoice.id, {"transaction": paid_back}).transaction

    listed = shop.client.Transaction.list({"sort_by": {"asc": "date"}, "type": {"is": "refund"}}).list
    of_the_day = shop.client.Transaction.list({"date": {"on": invoice.date + DAY}}).list

    assert [entry.transaction.id for entry in listed] == [recorded.id, online.id]
    assert [entry.transaction.id for entry in of_the_day] == [recorded.id]


def test_the_lines_of_a_refund_share_it_without_losing_a_cent(shop: SiteDriver):
    shop.add_addon("extra", "month", 95)
    items = [{"item_price_id": "faith-month"}, {"item_price_id": "extra-month"}]
    shop.add_customer()
    answer = shop.client.Subscription.create_with_items("ava", {"subscription_items": items})

    note = shop.client.Invoice.refund(answer.invoice.id, {"refund_amount": 101}).credit_note

    assert [line.amount for line in note.line_items] == [89, 12]
