"""Terms as time passes: billing dates, trials, cancellations, and their order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chargebee_sandbox.tests.support.site_driver import (
    SiteDriver,
    attribute_values,
    expect_refusal,
    utc_dates,
)


@pytest.mark.parametrize(
    ("begun", "price", "until", "expected"),
    [
        (
            (2026, 1, 31),
            "faith-month",
            (2026, 6, 1),
            ["2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31"],
        ),
        ((2028, 1, 31), "faith-month", (2028, 4, 1), ["2028-02-29", "2028-03-31"]),
        ((2027, 12, 31), "faith-month", (2028, 4, 1), ["2028-01-31", "2028-02-29", "2028-03-31"]),
        ((2028, 2, 29), "faith-year", (2032, 3, 1), ["2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"]),
    ],
)
def test_terms_keep_their_billing_day_across_short_months_and_leap_days(
    shop_on: Callable[..., SiteDriver], begun: Any, price: str, until: Any, expected: list[str]
):
    shop = shop_on(*begun)
    subscription = shop.start_subscription(shop.add_customer(), price)
    shop.travel_to(*until)
    invoices = shop.list_invoices(subscription.id)
    assert utc_dates([invoice.date for invoice in invoices[1:]]) == expected
    assert {invoice.status for invoice in invoices} == {"paid"}
    now = shop.retrieve_subscription(subscription.id)
    assert now.next_billing_at == now.current_term_end
    assert now.current_term_start == invoices[-1].date


def test_a_renewal_has_events_for_its_payment_and_invoice(shop: SiteDriver):
    subscription = shop.start_subscription(shop.add_customer())
    before = len(shop.list_events())
    shop.travel_past(subscription.current_term_end)
    events = shop.list_events()[before:]
    assert [event.event_type for event in events] == [
        "subscription_renewed",
        "transaction_created",
        "payment_succeeded",
        "invoice_generated",
    ]
    assert {event.source for event in events} == {"scheduled_job"}
    assert {event.occurred_at for event in events} == {subscription.current_term_end}
    invoice = events[0].content["invoice"]
    assert (invoice["status"], invoice["total"], invoice["date"]) == (
        "paid",
        699,
        subscription.current_term_end,
    )
    payment = shop.client.Transaction.retrieve(invoice["linked_payments"][0]["txn_id"]).transaction
    assert (payment.amount, payment.status, payment.linked_invoices[0].invoice_id) == (
        699,
        "success",
        invoice["id"],
    )


def test_renewals_happen_in_the_order_of_their_due_dates(shop: SiteDriver):
    shop.add_customer("ava")
    shop.add_customer("ben")
    first = shop.start_subscription("ava")
    shop.travel_past(first.created_at, 3 * 86_400)
    second = shop.start_subscription("ben", "faith-month")
    before = len(shop.list_events())
    shop.travel_past(second.current_term_end + 40 * 86_400)
    renewed = [event for event in shop.list_events()[before:] if event.event_type == "subscription_renewed"]
    assert [event.content["subscription"]["id"] for event in renewed] == [
        first.id,
        second.id,
        first.id,
        second.id,
    ]
    assert [event.occurred_at for event in renewed] == sorted(event.occurred_at for event in renewed)


def test_a_trial_is_free_until_it_ends(shop: SiteDriver):
    price = shop.add_price("gospel", "month", 799, id="gospel-trial", trial_period=7, trial_period_unit="day")
    subscription = shop.start_subscription(shop.add_customer(), price)
    assert attribute_values(subscription, ("status", "mrr")) == {"status": "in_trial", "mrr": 0}
    assert subscription.next_billing_at == subscription.trial_end == subscription.created_at + 7 * 86_400
    assert (subscription.current_term_start, subscription.current_term_end) == (None, None)
    shop.travel_past(subscription.trial_end)
    active = shop.retrieve_subscription(subscription.id)
    assert (active.status, active.activated_at) == ("active", subscription.trial_end)
    assert [invoice.date for invoice in shop.list_invoices(subscription.id)] == [subscription.trial_end]
    assert "subscription_activated" in [event.event_type for event in shop.list_events()]


def test_a_trial_without_a_card_is_cancelled_at_its_end(shop: SiteDriver):
    shop.add_customer(card=None)
    trial = shop.start_subscription("ava", trial_end=shop.client.Customer.retrieve("ava").customer.created_at + 86_400)
    shop.travel_past(trial.trial_end)
    ended = shop.retrieve_subscription(trial.id)
    assert attribute_values(ended, ("status", "cancel_reason", "cancelled_at", "next_billing_at", "mrr")) == {
        "status": "cancelled",
        "cancel_reason": "no_card",
        "cancelled_at": trial.trial_end,
        "next_billing_at": None,
        "mrr": 0,
    }


def test_a_subscription_can_start_in_the_future(shop: SiteDriver):
    shop.add_customer()
    start = shop.client.Customer.retrieve("ava").customer.created_at + 5 * 86_400
    future = shop.start_subscription("ava", start_date=start)
    assert (future.status, shop.list_invoices(future.id)) == ("future", [])
    shop.travel_past(start)
    assert attribute_values(shop.retrieve_subscription(future.id), ("status", "started_at", "current_term_start")) == {
        "status": "active",
        "started_at": start,
        "current_term_start": start,
    }
    assert "subscription_started" in [event.event_type for event in shop.list_events()]


def test_a_cancellation_at_the_end_of_the_term_can_be_removed(shop: SiteDriver):
    active = shop.start_subscription(shop.add_customer())
    ending = shop.client.Subscription.cancel_for_items(
        active.id, {"cancel_option": "end_of_term", "cancel_reason_code": "Too dear"}
    ).subscription
    assert attribute_values(
        ending, ("status", "next_billing_at", "cancelled_at", "remaining_billing_cycles", "mrr")
    ) == {
        "status": "non_renewing",
        "next_billing_at": None,
        "cancelled_at": active.current_term_end,
        "remaining_billing_cycles": 0,
        "mrr": 699,
    }
    assert ending.cancel_schedule_created_at == ending.updated_at
    back = shop.client.Subscription.remove_scheduled_cancellation(active.id).subscription
    restored = ("status", "next_billing_at", "cancelled_at", "remaining_billing_cycles", "cancel_reason_code")
    assert attribute_values(back, restored) == attribute_values(active, restored)

    shop.client.Subscription.cancel_for_items(active.id, {"end_of_term": True})
    shop.travel_past(active.current_term_end)
    ended = shop.retrieve_subscription(active.id)
    assert attribute_values(ended, ("status", "cancelled_at", "mrr", "next_billing_at")) == {
        "status": "cancelled",
        "cancelled_at": active.current_term_end,
        "mrr": 0,
        "next_billing_at": None,
    }
    assert len(shop.list_invoices(active.id)) == 1


def test_a_trial_with_a_scheduled_cancellation_stays_in_trial(shop: SiteDriver):
    shop.add_customer()
    trial = shop.start_subscription("ava", trial_end=shop.client.Customer.retrieve("ava").customer.created_at + 86_400)
    ending = shop.client.Subscription.cancel_for_items(trial.id, {"cancel_option": "end_of_term"}).subscription
    assert attribute_values(ending, ("status", "cancelled_at", "next_billing_at")) == {
        "status": "in_trial",
        "cancelled_at": trial.trial_end,
        "next_billing_at": None,
    }
    shop.travel_past(trial.trial_end)
    assert shop.retrieve_subscription(trial.id).status == "cancelled"
    assert shop.list_invoices(trial.id) == []


def test_terms_renew_until_the_date_of_a_scheduled_cancellation(shop: SiteDriver):
    active = shop.start_subscription(shop.add_customer())
    cancel_at = active.current_term_end + 10 * 86_400
    params = {"cancel_option": "specific_date", "cancel_at": cancel_at}
    ending = shop.client.Subscription.cancel_for_items(active.id, params).subscription
    assert (ending.status, ending.next_billing_at) == ("active", active.current_term_end)
    shop.travel_past(active.current_term_end)
    assert attribute_values(shop.retrieve_subscription(active.id), ("status", "next_billing_at")) == {
        "status": "non_renewing",
        "next_billing_at": None,
    }
    shop.travel_past(cancel_at)
    assert shop.retrieve_subscription(active.id).cancelled_at == cancel_at
    assert len(shop.list_invoices(active.id)) == 2


def test_an_immediate_cancellation_stops_billing(shop: SiteDriver):
    active = shop.start_subscription(shop.add_customer())
    ended = shop.client.Subscription.cancel_for_items(active.id, {"cancel_option": "immediately"}).subscription
    assert (ended.status, ended.cancelled_at, ended.mrr) == ("cancelled", ended.updated_at, 0)
    with expect_refusal(409, "invalid_state_for_request"):
        shop.client.Subscription.cancel_for_items(active.id, {"cancel_option": "immediately"})
    shop.travel_past(active.current_term_end)
    assert len(shop.list_invoices(active.id)) == 1


def test_a_subscription_ends_after_its_billing_cycles(shop: SiteDriver):
    subscription = shop.start_subscription(shop.add_customer(), billing_cycles=2)
    assert (subscription.status, subscription.remaining_billing_cycles) == ("active", 1)
    shop.travel_past(subscription.current_term_end)
    last = shop.retrieve_subscription(subscription.id)
    assert attribute_values(last, ("status", "remaining_billing_cycles", "cancelled_at")) == {
        "status": "non_renewing",
        "remaining_billing_cycles": 0,
        "cancelled_at": last.current_term_end,
    }
    shop.travel_past(last.current_term_end)
    assert shop.retrieve_subscription(subscription.id).status == "cancelled"


def test_a_renewal_charges_the_estimated_amount(shop: SiteDriver):
    coupon = shop.add_coupon("TEN")
    subscription = shop.start_subscription(shop.add_customer(), coupon_ids=[coupon])
    estimate = shop.client.Estimate.renewal_estimate(subscription.id, {}).estimate.invoice_estimate
    shop.travel_past(subscription.current_term_end)
    invoice = shop.list_invoices(subscription.id)[-1]
    compared = ("sub_total", "total", "currency_code", "recurring")
    assert attribute_values(estimate, compared) == attribute_values(invoice, compared)
    assert estimate.amount_due == invoice.amount_paid == 629
    assert estimate.line_items[0].date_from == invoice.line_items[0].date_from == invoice.date
