"""Collection: declines, dunning, collecting an invoice manually, and resuming."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chargebee_sandbox.tests.support.site_driver import (
    DECLINING_CARD,
    GOOD_CARD,
    SiteDriver,
    attribute_values,
    expect_refusal,
)

DUES = ("due_invoices_count", "total_dues", "due_since")
DAY = 86_400


@pytest.fixture
def declining(shop: SiteDriver) -> Any:
    """An active subscription whose card declines from now on."""
    subscription = shop.start_subscription(shop.add_customer())
    shop.add_card("ava", DECLINING_CARD, replace_primary_payment_source=True)
    return subscription


@pytest.fixture
def paused(shop: SiteDriver) -> Any:
    """A paused subscription whose paid term ended a week ago."""
    subscription = shop.start_subscription(shop.add_customer())
    shop.client.Subscription.pause(subscription.id, {"pause_option": "end_of_term"})
    shop.travel_past(subscription.current_term_end, 7 * DAY)
    return shop.retrieve_subscription(subscription.id)


def test_a_declined_first_payment_creates_nothing(shop: SiteDriver):
    shop.add_customer(card=DECLINING_CARD)
    before = len(shop.list_events())
    with expect_refusal(400, "payment_processing_failed") as caught:
        shop.start_subscription("ava")
    assert caught.value.json_obj["type"] == "payment"
    assert "(3001) Insufficient funds" in str(caught.value)
    assert shop.client.Subscription.list({}).list == []
    assert shop.client.Invoice.list({}).list == []
    assert shop.client.Transaction.list({}).list == []
    assert len(shop.list_events()) == before


def test_a_subscription_without_a_payment_source_is_refused(shop: SiteDriver):
    shop.add_customer(card=None)
    with expect_refusal(400, "payment_method_not_present"):
        shop.start_subscription("ava")


def test_a_free_plan_needs_no_card(shop: SiteDriver):
    price = shop.add_price("gospel", "month", 0, id="gospel-free")
    subscription = shop.start_subscription(shop.add_customer(card=None), price)
    invoice = shop.list_invoices(subscription.id)[0]
    assert (subscription.status, invoice.status, invoice.total) == ("active", "paid", 0)


def test_a_declined_renewal_leaves_a_due_invoice_in_dunning(shop: SiteDriver, declining: Any):
    shop.travel_past(declining.current_term_end)
    renewed = shop.retrieve_subscription(declining.id)
    assert (renewed.status, renewed.current_term_start) == ("active", declining.current_term_end)
    assert attribute_values(renewed, DUES) == {
        "due_invoices_count": 1,
        "total_dues": 699,
        "due_since": declining.current_term_end,
    }
    invoice = shop.list_invoices(declining.id)[-1]
    assert (invoice.status, invoice.amount_due, invoice.dunning_status) == ("payment_due", 699, "in_progress")
    assert invoice.next_retry_at == declining.current_term_end + DAY
    assert (invoice.linked_payments[0].txn_status, invoice.dunning_attempts[0].attempt) == ("failure", 0)
    payment = shop.client.Transaction.retrieve(invoice.linked_payments[0].txn_id).transaction
    assert attribute_values(payment, ("status", "error_code", "error_text", "masked_card_number")) == {
        "status": "failure",
        "error_code": "3001",
        "error_text": "Insufficient funds",
        "masked_card_number": "************0004",
    }
    assert [event.event_type for event in shop.list_events()][-4:] == [
        "subscription_renewed",
        "transaction_created",
        "payment_failed",
        "invoice_generated",
    ]


def test_dunning_retries_daily_and_ends_with_an_invoice_not_paid(shop: SiteDriver, declining: Any):
    due = declining.current_term_end
    shop.travel_past(due, 2 * DAY + 60)
    invoice = shop.list_invoices(declining.id)[-1]
    assert [attempt.created_at for attempt in invoice.dunning_attempts] == [due, due + DAY, due + 2 * DAY]
    assert invoice.next_retry_at == due + 3 * DAY
    shop.travel_past(due, 20 * DAY)
    invoice = shop.list_invoices(declining.id)[-1]
    assert (invoice.status, invoice.dunning_status, invoice.next_retry_at) == ("not_paid", "exhausted", None)
    assert len(invoice.dunning_attempts) == 7
    assert (shop.retrieve_subscription(declining.id).status, shop.retrieve_subscription(declining.id).total_dues) == (
        "active",
        699,
    )


@pytest.mark.parametrize(
    ("dunning_end", "status", "event"),
    [("cancel", "cancelled", "subscription_cancelled"), ("pause", "paused", "subscription_paused")],
)
def test_the_end_of_dunning_cancels_or_pauses_as_the_site_says(
    shop: SiteDriver, declining: Any, dunning_end: str, status: str, event: str
):
    shop.sandbox.configure_site(dunning_end=dunning_end, dunning_retries=2)
    due = declining.current_term_end
    shop.travel_past(due, 2 * DAY + 60)
    ended = shop.retrieve_subscription(declining.id)
    assert (ended.status, ended.next_billing_at, ended.total_dues) == (status, None, 699)
    assert (ended.cancel_reason, ended.cancelled_at) == (
        ("not_paid", due + 2 * DAY) if status == "cancelled" else (None, None)
    )
    assert attribute_values(shop.list_invoices(declining.id)[-1], ("status", "dunning_status")) == {
        "status": "not_paid",
        "dunning_status": "exhausted",
    }
    assert [event.event_type for event in shop.list_events()][-6:] == [
        "transaction_created",
        "payment_failed",
        "invoice_updated",
        "dunning_updated",
        event,
        "mrr_updated",
    ]


def test_a_resumption_tries_an_unpaid_invoice_only_once(shop: SiteDriver, declining: Any):
    shop.sandbox.configure_site(dunning_end="pause", dunning_retries=1)
    shop.travel_past(declining.current_term_end, 2 * DAY)
    params = {"unpaid_invoices_handling": "schedule_payment_collection"}
    shop.client.Subscription.resume(declining.id, params)
    shop.travel_past(declining.current_term_end, 5 * DAY)
    invoice = shop.list_invoices(declining.id)[-1]
    assert (invoice.status, len(invoice.linked_payments), invoice.next_retry_at) == ("not_paid", 3, None)


def test_a_retry_with_a_new_card_pays_the_invoice(shop: SiteDriver, declining: Any):
    shop.travel_past(declining.current_term_end)
    shop.add_card("ava", GOOD_CARD, replace_primary_payment_source=True)
    assert shop.list_invoices(declining.id)[-1].status == "payment_due"
    shop.travel_past(declining.current_term_end, DAY + 60)
    invoice = shop.list_invoices(declining.id)[-1]
    assert (invoice.status, invoice.dunning_status, invoice.amount_due) == ("paid", "success", 0)
    assert invoice.paid_at == declining.current_term_end + DAY
    assert shop.retrieve_subscription(declining.id).due_invoices_count == 0
    assert [event.event_type for event in shop.list_events()][-3:] == [
        "payment_succeeded",
        "invoice_updated",
        "dunning_updated",
    ]


def test_collecting_an_invoice_pays_it_and_stops_dunning(shop: SiteDriver, declining: Any):
    shop.travel_past(declining.current_term_end)
    invoice = shop.list_invoices(declining.id)[-1]
    source = shop.add_card("ava", GOOD_CARD)
    answer = shop.client.Invoice.collect_payment(invoice.id, {"payment_source_id": source.id})
    assert attribute_values(answer.invoice, ("status", "amount_due", "dunning_status", "next_retry_at")) == {
        "status": "paid",
        "amount_due": 0,
        "dunning_status": "stopped",
        "next_retry_at": None,
    }
    assert (answer.transaction.status, answer.transaction.amount) == ("success", 699)
    assert attribute_values(shop.retrieve_subscription(declining.id), DUES) == {
        "due_invoices_count": 0,
        "total_dues": None,
        "due_since": None,
    }
    with expect_refusal(409, "invalid_state_for_request"):
        shop.client.Invoice.collect_payment(invoice.id)


def test_a_decline_when_collecting_an_invoice_is_recorded(shop: SiteDriver, declining: Any):
    shop.travel_past(declining.current_term_end)
    invoice = shop.list_invoices(declining.id)[-1]
    with expect_refusal(400, "payment_processing_failed") as caught:
        shop.client.Invoice.collect_payment(invoice.id)
    assert caught.value.error_code == "charge_failed"
    assert str(caught.value).startswith("Payment collection failed. Reason: (3001) Insufficient funds.")
    tried = shop.client.Invoice.retrieve(invoice.id).invoice
    assert (tried.status, len(tried.linked_payments)) == ("payment_due", 2)
    assert tried.next_retry_at == invoice.next_retry_at


def test_resuming_after_the_term_charges_the_estimated_amount(shop: SiteDriver, paused: Any):
    estimate = shop.client.Estimate.resume_subscription(paused.id, {}).estimate
    answer = shop.client.Subscription.resume(paused.id, {"resume_option": "immediately"})
    resumed = answer.subscription
    assert (resumed.status, answer.invoice.status) == ("active", "paid")
    assert answer.invoice.amount_paid == estimate.invoice_estimate.amount_due == 699
    assert resumed.current_term_start == resumed.activated_at == resumed.updated_at
    assert attribute_values(resumed, ("pause_date", "resume_date")) == {
        "pause_date": None,
        "resume_date": None,
    }
    assert resumed.next_billing_at == resumed.current_term_end > resumed.current_term_start
    assert [event.event_type for event in shop.list_events()][-5:] == [
        "subscription_resumed",
        "transaction_created",
        "payment_succeeded",
        "invoice_generated",
        "mrr_updated",
    ]


def test_a_declined_resumption_changes_nothing(shop: SiteDriver, paused: Any):
    shop.add_card("ava", DECLINING_CARD, replace_primary_payment_source=True)
    before = len(shop.list_events())
    with expect_refusal(400, "payment_processing_failed"):
        shop.client.Subscription.resume(paused.id, {"resume_option": "immediately"})
    assert shop.retrieve_subscription(paused.id).resource_version == paused.resource_version
    assert len(shop.list_invoices(paused.id)) == 1
    assert len(shop.list_events()) == before


def test_an_estimate_for_a_later_day_shows_the_invoice_of_that_day(shop: SiteDriver, paused: Any):
    later = paused.updated_at + 30 * DAY
    params = {"resume_option": "specific_date", "subscription": {"resume_date": later}}
    estimate = shop.client.Estimate.resume_subscription(paused.id, params).estimate
    assert attribute_values(estimate.subscription_estimate, ("status", "resume_date")) == {
        "status": "paused",
        "resume_date": later,
    }
    assert estimate.next_invoice_estimate.total == 699
    assert estimate.next_invoice_estimate.line_items[0].date_from == later


def test_tax_is_added_if_the_site_has_a_tax_rate(launch_sandbox: Callable[..., Any]):
    sandbox = launch_sandbox(SANDBOX_TAX_PERCENT="7.5")
    sandbox.start_afresh()
    shop = SiteDriver.open_site(sandbox.client(), sandbox)
    subscription = shop.start_subscription(shop.add_customer(), coupon_ids=[shop.add_coupon("TEN")])
    invoice = shop.list_invoices(subscription.id)[0]
    assert (invoice.sub_total, invoice.tax, invoice.total, invoice.amount_paid) == (699, 47, 676, 676)
    assert (invoice.taxes[0].amount, invoice.line_item_taxes[0].taxable_amount) == (47, 629)


def test_a_pause_can_stop_dunning(shop: SiteDriver, declining: Any):
    shop.travel_past(declining.current_term_end)
    params = {"pause_option": "immediately", "invoice_dunning_handling": "stop"}
    shop.client.Subscription.pause(declining.id, params)
    shop.travel_past(declining.current_term_end, 3 * DAY)
    invoice = shop.list_invoices(declining.id)[-1]
    assert (invoice.dunning_status, len(invoice.linked_payments)) == ("stopped", 1)
    assert shop.retrieve_subscription(declining.id).total_dues == 699


def test_a_resumption_can_collect_due_invoices_at_once(shop: SiteDriver, declining: Any):
    shop.travel_past(declining.current_term_end)
    shop.client.Subscription.pause(declining.id, {"pause_option": "immediately"})
    shop.add_card("ava", GOOD_CARD, replace_primary_payment_source=True)
    params = {"resume_option": "immediately", "unpaid_invoices_handling": "schedule_payment_collection"}
    shop.client.Subscription.resume(declining.id, params)
    invoice = shop.list_invoices(declining.id)[-1]
    assert (invoice.status, invoice.dunning_status) == ("paid", "success")
