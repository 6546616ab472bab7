"""Estimates equal the later charges to the cent, and change nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chargebee_sandbox.tests.support.site_driver import (
    DECLINING_CARD,
    SiteDriver,
    attribute_values,
    expect_refusal,
)

FIGURES = ("sub_total", "total", "credits_applied")


def travel_halfway(shop: SiteDriver, subscription: Any) -> None:
    length = subscription.current_term_end - subscription.current_term_start
    shop.travel_past(subscription.current_term_start, length // 2)


def almost_equal(estimated: int, charged: int, seconds: int) -> bool:
    """Return whether two prorated amounts are equal; a second between them is worth less than a cent."""
    return abs(estimated - charged) <= seconds


def test_an_upgrade_charges_and_credits_the_estimated_amounts(shop: SiteDriver):
    monthly = shop.start_subscription(shop.add_customer(), coupon_ids=[shop.add_coupon("TEN")])
    travel_halfway(shop, monthly)
    before = shop.retrieve_subscription(monthly.id).raw_data
    estimate = shop.estimate_change(monthly.id, "faith-year")
    assert shop.retrieve_subscription(monthly.id).raw_data == before
    answer = shop.change_items(monthly.id, "faith-year")

    seconds = answer.invoice.date - estimate.created_at
    now, note = estimate.invoice_estimate, estimate.credit_note_estimates[0]
    assert (now.total, answer.invoice.total) == (6299, 6299)
    assert almost_equal(now.amount_due, answer.invoice.amount_paid, seconds)
    assert almost_equal(note.total, answer.credit_notes[0].total, seconds)
    assert (note.type, note.reference_invoice_id) == (
        "refundable",
        answer.credit_notes[0].reference_invoice_id,
    )
    assert estimate.subscription_estimate.status == "active"
    assert estimate.subscription_estimate.next_billing_at - answer.subscription.next_billing_at <= 0
    assert estimate.next_invoice_estimate is None


def test_a_change_that_charges_nothing_shows_the_next_invoice(shop: SiteDriver):
    monthly = shop.start_subscription(shop.add_customer())
    params = {"subscription": {"id": monthly.id}, "coupon_ids": [shop.add_coupon("TEN")]}
    estimate = shop.client.Estimate.update_subscription_for_items(params).estimate
    assert (estimate.invoice_estimate, estimate.next_invoice_estimate.total) == (None, 629)


def test_resuming_within_the_term_shows_the_renewal_and_after_it_the_charge(shop: SiteDriver):
    monthly = shop.start_subscription(shop.add_customer())
    shop.client.Subscription.pause(monthly.id, {"pause_option": "immediately"})
    estimate_resume: Callable[..., Any] = shop.client.Estimate.resume_subscription
    at_once = estimate_resume(monthly.id, {}).estimate
    assert at_once.invoice_estimate is None
    assert at_once.next_invoice_estimate.line_items[0].date_from == monthly.current_term_end
    soon, later = monthly.current_term_end - 60, monthly.current_term_end + 60
    days = {
        at: estimate_resume(monthly.id, {"resume_option": "specific_date", "subscription": {"resume_date": at}})
        for at in (soon, later)
    }
    begins = {at: answer.estimate.next_invoice_estimate.line_items[0].date_from for at, answer in days.items()}
    assert begins == {soon: monthly.current_term_end, later: later}
    shop.travel_past(monthly.current_term_end)
    after = estimate_resume(monthly.id, {}).estimate
    assert (after.invoice_estimate.total, after.next_invoice_estimate) == (699, None)


def test_the_estimate_of_a_downgrade_shows_the_next_term(shop: SiteDriver):
    yearly = shop.start_subscription(shop.add_customer(), "faith-year")
    estimate = shop.estimate_change(yearly.id, "faith-month", change_option="end_of_term")
    assert (estimate.invoice_estimate, estimate.credit_note_estimates) == (None, None)
    assert estimate.next_invoice_estimate.total == 699
    assert estimate.subscription_estimate.next_billing_at == yearly.current_term_end
    assert shop.retrieve_subscription(yearly.id).has_scheduled_changes is False
    shop.change_items(yearly.id, "faith-month", change_option="end_of_term")
    renewal = shop.client.Estimate.renewal_estimate(yearly.id, {}).estimate
    assert renewal.invoice_estimate.total == 699
    ignoring = {"ignore_scheduled_changes": True}
    assert shop.client.Estimate.renewal_estimate(yearly.id, ignoring).estimate.invoice_estimate.total == 6999


def test_an_estimate_charges_no_card_and_redeems_no_code(shop: SiteDriver):
    code = shop.add_single_use_code("TEN", "TEN-1")
    monthly = shop.start_subscription(shop.add_customer())
    shop.add_card("ava", DECLINING_CARD, replace_primary_payment_source=True)
    estimate = shop.estimate_change(monthly.id, "faith-year", coupon_ids=[code])
    assert estimate.invoice_estimate.total == 6299
    assert shop.client.CouponCode.retrieve(code).coupon_code.status == "not_redeemed"
    assert shop.client.Coupon.retrieve("TEN").coupon.redemptions == 0
    assert shop.client.CreditNote.list({}).list == []


def test_an_estimate_can_leave_out_balances(shop: SiteDriver):
    yearly = shop.start_subscription(shop.add_customer(), "faith-year")
    shop.change_items(yearly.id, "faith-month")
    renewal: Callable[..., Any] = shop.client.Estimate.renewal_estimate
    with_them = renewal(yearly.id, {}).estimate.invoice_estimate
    without = renewal(yearly.id, {"use_existing_balances": False}).estimate.invoice_estimate
    assert attribute_values(with_them, ("total", "credits_applied", "amount_due")) == {
        "total": 699,
        "credits_applied": 699,
        "amount_due": 0,
    }
    assert (without.credits_applied, without.amount_due) == (0, 699)


def test_a_new_subscription_charges_the_estimated_amount(shop: SiteDriver):
    yearly = shop.start_subscription(shop.add_customer(), "faith-year")
    half = shop.change_items(yearly.id, "faith-month", coupon_ids=[shop.add_coupon("TEN")])
    price = shop.add_price("gospel", "year", 7999, id="gospel-trial", trial_period=7, trial_period_unit="day")
    params = {"subscription_items": [{"item_price_id": price}], "coupon_ids": ["TEN"]}
    trial = shop.client.Estimate.create_sub_item_for_customer_estimate("ava", params).estimate
    assert (trial.invoice_estimate, trial.subscription_estimate.status) == (None, "in_trial")
    assert trial.next_invoice_estimate.total == 7199
    at_once = {**params, "subscription": {"trial_end": 0}}
    estimate = shop.client.Estimate.create_sub_item_for_customer_estimate("ava", at_once).estimate
    begun = shop.start_subscription("ava", price, coupon_ids=["TEN"], trial_end=0)
    invoice = shop.list_invoices(begun.id)[0]
    assert attribute_values(estimate.invoice_estimate, FIGURES) == attribute_values(invoice, FIGURES)
    assert estimate.invoice_estimate.amount_due == invoice.amount_paid
    assert invoice.credits_applied == min(7199, half.customer.refundable_credits)


def test_a_cancellation_credits_the_estimated_amount(shop: SiteDriver):
    monthly = shop.start_subscription(shop.add_customer())
    travel_halfway(shop, monthly)
    cut = {"cancel_option": "immediately", "credit_option_for_current_term_charges": "prorate"}
    estimate = shop.client.Estimate.cancel_subscription_for_items(monthly.id, cut).estimate
    assert estimate.subscription_estimate.status == "cancelled"
    assert shop.retrieve_subscription(monthly.id).status == "active"
    answer = shop.client.Subscription.cancel_for_items(monthly.id, cut)
    note = answer.credit_notes[0]
    assert almost_equal(estimate.credit_note_estimates[0].total, note.total, note.date - estimate.created_at)


def test_the_estimate_of_a_change_that_ends_a_trial_has_a_charge(shop: SiteDriver):
    shop.add_customer()
    end = shop.client.Customer.retrieve("ava").customer.created_at + 9 * 86_400
    trial = shop.start_subscription("ava", trial_end=end)
    params = {"subscription": {"id": trial.id, "trial_end": 0}}
    ended = shop.client.Estimate.update_subscription_for_items(params).estimate
    assert (ended.invoice_estimate.total, ended.subscription_estimate.status) == (699, "active")
    going_on = shop.estimate_change(trial.id, "faith-year")
    assert (going_on.invoice_estimate, going_on.next_invoice_estimate.total) == (None, 6999)


def test_a_subscription_that_does_not_renew_has_no_next_invoice(shop: SiteDriver):
    first = shop.start_subscription(shop.add_customer())
    shop.client.Subscription.cancel_for_items(first.id, {"cancel_option": "end_of_term"})
    assert shop.estimate_change(first.id, "gospel-month").next_invoice_estimate is None
    with expect_refusal(409, "invalid_state_for_request"):
        shop.client.Estimate.renewal_estimate(first.id, {})
    going_on = {"ignore_scheduled_cancellation": True}
    assert shop.client.Estimate.renewal_estimate(first.id, going_on).estimate.invoice_estimate.total == 699


def test_a_subscription_that_ends_after_its_renewal_has_a_next_invoice(shop: SiteDriver):
    first = shop.start_subscription(shop.add_customer())
    later = {"cancel_option": "specific_date", "cancel_at": first.current_term_end + 86_400}
    shop.client.Subscription.cancel_for_items(first.id, later)
    assert shop.client.Estimate.renewal_estimate(first.id, {}).estimate.invoice_estimate.total == 699
    shop.travel_past(first.current_term_end)
    with expect_refusal(409, "invalid_state_for_request"):
        shop.client.Estimate.renewal_estimate(first.id, {})


def test_a_site_can_keep_an_unpaid_change(launch_sandbox: Callable[..., Any]):
    sandbox = launch_sandbox(SANDBOX_UNPAID_CHANGES="1")
    shop = SiteDriver.open_site(sandbox.client(), sandbox)
    monthly = shop.start_subscription(shop.add_customer())
    shop.add_card("ava", DECLINING_CARD, replace_primary_payment_source=True)
    answer = shop.change_items(monthly.id, "faith-year")
    assert (answer.invoice.status, answer.invoice.dunning_status) == ("payment_due", "in_progress")
    assert (answer.subscription.billing_period_unit, answer.subscription.due_invoices_count) == ("year", 1)
    assert "payment_failed" in [event.event_type for event in shop.list_events()]
