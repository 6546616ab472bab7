"""Consolidated invoices: what a customer's subscriptions renew on one day is on one invoice, paid once."""

from __future__ import annotations

from typing import Any

import pytest

from chargebee_sandbox.tests.support.site_driver import DECLINING_CARD, GOOD_CARD, SiteDriver


@pytest.fixture
def consolidating(shop: SiteDriver) -> SiteDriver:
    """A shop whose site consolidates invoices."""
    shop.sandbox.configure_site(consolidated_invoices=True)
    return shop


def subscribe_twice(shop: SiteDriver) -> tuple[Any, Any]:
    """Start two monthly subscriptions of one customer, an instant apart."""
    shop.add_customer()
    return shop.start_subscription("ava"), shop.start_subscription("ava", "gospel-month")


def invoices_of_ava(shop: SiteDriver) -> list[Any]:
    """Return all invoices of the customer, oldest first."""
    params = {"customer_id": {"is": "ava"}, "limit": 100, "sort_by": {"asc": "date"}}
    return [entry.invoice for entry in shop.client.Invoice.list(params).list]


def test_renewals_of_a_day_are_one_invoice_and_one_payment(consolidating: SiteDriver):
    shop = consolidating
    faith, gospel = subscribe_twice(shop)
    assert [invoice.subscription_id for invoice in invoices_of_ava(shop)] == [faith.id, gospel.id]
    shop.travel_past(gospel.current_term_end)
    [_faith, _gospel, renewed] = invoices_of_ava(shop)
    assert (renewed.subscription_id, renewed.total, renewed.amount_paid) == (None, 699 + 799, 699 + 799)
    assert [(line.subscription_id, line.amount) for line in renewed.line_items] == [(faith.id, 699), (gospel.id, 799)]
    [paid] = renewed.linked_payments
    assert paid.txn_amount == 699 + 799
    events = [event for event in shop.list_events() if event.event_type == "subscription_renewed"]
    assert {event.content["subscription"]["id"] for event in events} == {faith.id, gospel.id}
    assert {event.content["invoice"]["id"] for event in events} == {renewed.id}
    for begun in (faith, gospel):
        assert shop.retrieve_subscription(begun.id).current_term_start == begun.current_term_end


def test_another_payment_source_or_day_is_billed_alone(consolidating: SiteDriver):
    shop = consolidating
    faith, gospel = subscribe_twice(shop)
    other = shop.add_card("ava", "5555555555554444")
    shop.client.Subscription.override_billing_profile(gospel.id, {"payment_source_id": other.id})
    shop.travel_past(gospel.current_term_end)
    assert [invoice.subscription_id for invoice in invoices_of_ava(shop)][2:] == [faith.id, gospel.id]


def test_coupons_are_for_their_own_subscription_and_credits_for_all(consolidating: SiteDriver):
    shop = consolidating
    shop.sandbox.configure_site(tax_percent=10)
    shop.add_customer()
    shop.add_coupon("HALF", discount_percentage=50, duration_type="one_time", apply_on="invoice_amount")
    faith = shop.start_subscription("ava")
    gospel = shop.start_subscription("ava", "gospel-month")
    shop.update_subscription(faith.id, coupon_ids=["HALF"])
    shop.client.PromotionalCredit.add({"customer_id": "ava", "amount": 500, "description": "Sorry"})
    shop.travel_past(gospel.current_term_end)
    renewed = invoices_of_ava(shop)[-1]
    # Half of 699 is off, then 349 and 151 of the credits, then tax on the 648 of the second that are left.
    assert (renewed.sub_total, renewed.tax, renewed.total) == (1498, 65, 713)
    assert [(row.entity_type, row.amount) for row in renewed.discounts] == [
        ("document_level_coupon", 350),
        ("promotional_credits", 500),
    ]
    assert [row.amount for row in renewed.taxes] == [65]
    assert shop.client.Customer.retrieve("ava").customer.promotional_credits == 0


@pytest.mark.parametrize(("end", "statuses"), [("keep", ["active"] * 2), ("cancel", ["cancelled"] * 2)])
def test_a_failed_payment_is_owed_by_all_of_its_subscriptions(consolidating: SiteDriver, end: str, statuses: list[str]):
    shop = consolidating
    shop.sandbox.configure_site(dunning_end=end, dunning_retries=1)
    faith, gospel = subscribe_twice(shop)
    declining = shop.add_card("ava", DECLINING_CARD)
    shop.client.Customer.assign_payment_role("ava", {"payment_source_id": declining.id, "role": "primary"})
    shop.travel_past(gospel.current_term_end)
    due = invoices_of_ava(shop)[-1]
    assert (due.status, due.dunning_status) == ("payment_due", "in_progress")
    owed = [shop.retrieve_subscription(begun.id) for begun in (faith, gospel)]
    assert [(row.due_invoices_count, row.total_dues) for row in owed] == [(1, 1498)] * 2
    shop.travel_past(due.next_retry_at)
    assert invoices_of_ava(shop)[-1].dunning_status == "exhausted"
    assert [shop.retrieve_subscription(begun.id).status for begun in (faith, gospel)] == statuses
    paying = shop.add_card("ava", GOOD_CARD)
    shop.client.Invoice.collect_payment(due.id, {"payment_source_id": paying.id})
    assert [shop.retrieve_subscription(begun.id).total_dues for begun in (faith, gospel)] == [None, None]


def test_a_cancellation_credits_its_own_lines_alone(consolidating: SiteDriver):
    shop = consolidating
    faith, gospel = subscribe_twice(shop)
    shop.travel_past(gospel.current_term_end)
    params = {"cancel_option": "immediately", "credit_option_for_current_term_charges": "full"}
    [note] = shop.client.Subscription.cancel_for_items(gospel.id, params).credit_notes
    assert (note.total, note.subscription_id, note.reference_invoice_id) == (799, None, invoices_of_ava(shop)[-1].id)
    assert [line.subscription_id for line in note.line_items] == [gospel.id]
    changed = shop.change_items(faith.id, "faith-year")
    assert [(credit.total, credit.line_items[0].subscription_id) for credit in changed.credit_notes] == [
        (699, faith.id)
    ]


def test_a_refund_goes_back_to_the_one_payment(consolidating: SiteDriver):
    shop = consolidating
    _faith, gospel = subscribe_twice(shop)
    shop.travel_past(gospel.current_term_end)
    renewed = invoices_of_ava(shop)[-1]
    answer = shop.client.Invoice.refund(renewed.id, {"refund_amount": 500})
    assert (answer.transaction.amount, answer.transaction.subscription_id) == (500, None)
    assert answer.transaction.linked_credit_notes[0].cn_reference_invoice_id == renewed.id
