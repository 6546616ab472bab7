"""Changes scheduled for the end of the term: shown, removed, applied, and in conflict with other operations."""

from __future__ import annotations

from typing import Any

import pytest

from chargebee_sandbox.tests.support.site_driver import (
    SiteDriver,
    attribute_values,
    expect_refusal,
    utc_dates,
)


@pytest.fixture
def downgrade(shop: SiteDriver) -> Any:
    """A yearly subscription that is scheduled to become monthly."""
    yearly = shop.start_subscription(shop.add_customer(), "faith-year")
    return shop.change_items(yearly.id, "faith-month", change_option="end_of_term").subscription


def event_types_since(shop: SiteDriver, count: int) -> list[str]:
    return [event.event_type for event in shop.list_events()[count:]]


def test_a_scheduled_change_leaves_the_subscription_as_it_is(shop: SiteDriver, downgrade: Any):
    assert attribute_values(
        downgrade, ("status", "has_scheduled_changes", "billing_period_unit", "changes_scheduled_at")
    ) == {
        "status": "active",
        "has_scheduled_changes": True,
        "billing_period_unit": "year",
        "changes_scheduled_at": None,
    }
    ahead = shop.client.Subscription.retrieve_with_scheduled_changes(downgrade.id).subscription
    assert attribute_values(ahead, ("status", "next_billing_at", "billing_period_unit")) == {
        "status": "active",
        "next_billing_at": downgrade.next_billing_at,
        "billing_period_unit": "month",
    }
    assert ahead.subscription_items[0].item_price_id == "faith-month"
    assert len(shop.list_invoices(downgrade.id)) == 1
    assert event_types_since(shop, 0)[-1] == "subscription_changes_scheduled"


def test_it_takes_effect_at_the_end_of_the_term_and_renews_monthly(shop: SiteDriver, downgrade: Any):
    before = len(shop.list_events())
    shop.travel_past(downgrade.current_term_end)
    assert event_types_since(shop, before) == [
        "subscription_changed",
        "subscription_renewed",
        "transaction_created",
        "payment_succeeded",
        "invoice_generated",
        "mrr_updated",
    ]
    now = shop.retrieve_subscription(downgrade.id)
    assert (now.has_scheduled_changes, now.billing_period_unit) == (False, "month")
    shop.travel_past(now.current_term_end)
    invoices = shop.list_invoices(downgrade.id)
    assert [invoice.total for invoice in invoices] == [6999, 699, 699]
    assert utc_dates([invoice.date for invoice in invoices]) == ["2026-03-10", "2027-03-10", "2027-04-10"]


def test_it_can_be_removed(shop: SiteDriver, downgrade: Any):
    back = shop.client.Subscription.remove_scheduled_changes(downgrade.id).subscription
    assert back.has_scheduled_changes is False
    assert event_types_since(shop, 0)[-1] == "subscription_scheduled_changes_removed"
    for ask in ("remove_scheduled_changes", "retrieve_with_scheduled_changes"):
        with expect_refusal(409, "invalid_state_for_request"):
            getattr(shop.client.Subscription, ask)(downgrade.id)
    shop.travel_past(downgrade.current_term_end)
    assert shop.list_invoices(downgrade.id)[-1].total == 6999


def test_any_update_removes_it_even_one_of_coupons_only(shop: SiteDriver, downgrade: Any):
    answer = shop.update_subscription(downgrade.id, coupon_ids=[shop.add_coupon("TEN")])
    assert answer.subscription.has_scheduled_changes is False
    shop.travel_past(downgrade.current_term_end)
    assert shop.list_invoices(downgrade.id)[-1].total == 6299


def test_its_coupon_is_added_when_it_takes_effect(shop: SiteDriver):
    yearly = shop.start_subscription(shop.add_customer(), "faith-year", coupon_ids=[shop.add_coupon("TEN")])
    code = shop.add_single_use_code("FIVE", "FIVE-1", discount_percentage=5)
    params = {"change_option": "end_of_term", "coupon_ids": [code], "replace_coupon_list": True}
    placed = shop.change_items(yearly.id, "faith-month", **params).subscription
    assert [coupon.coupon_id for coupon in placed.coupons] == ["TEN"]
    assert shop.client.CouponCode.retrieve(code).coupon_code.status == "redeemed"
    estimate = shop.client.Estimate.renewal_estimate(yearly.id, {}).estimate.invoice_estimate
    assert estimate.total == 699 - 35
    ignored = shop.client.Estimate.renewal_estimate(yearly.id, {"ignore_scheduled_changes": True})
    assert ignored.estimate.invoice_estimate.total == 6299
    shop.travel_past(placed.current_term_end)
    assert shop.list_invoices(yearly.id)[-1].total == 664


def test_removing_it_releases_its_single_use_code(shop: SiteDriver):
    yearly = shop.start_subscription(shop.add_customer(), "faith-year")
    code = shop.add_single_use_code("FIVE", "FIVE-1", discount_percentage=5)
    shop.change_items(yearly.id, "faith-month", change_option="end_of_term", coupon_ids=[code])
    shop.client.Subscription.remove_scheduled_changes(yearly.id)
    assert shop.client.CouponCode.retrieve(code).coupon_code.status == "not_redeemed"
    assert shop.client.Coupon.retrieve("FIVE").coupon.redemptions == 0


def test_a_subscription_with_a_scheduled_change_cannot_be_paused(shop: SiteDriver, downgrade: Any):
    with expect_refusal(409, "operation_failed"):
        shop.client.Subscription.pause(downgrade.id)


def test_a_cancellation_at_the_end_of_the_term_removes_it(shop: SiteDriver, downgrade: Any):
    ending = shop.client.Subscription.cancel_for_items(downgrade.id, {"cancel_option": "end_of_term"})
    assert (ending.subscription.status, ending.subscription.has_scheduled_changes) == ("non_renewing", False)
    assert event_types_since(shop, 0)[-2:] == [
        "subscription_scheduled_changes_removed",
        "subscription_cancellation_scheduled",
    ]
    back = shop.client.Subscription.remove_scheduled_cancellation(downgrade.id).subscription
    assert (back.status, back.has_scheduled_changes) == ("active", False)


def test_a_subscription_that_will_cancel_or_pause_refuses_it(shop: SiteDriver):
    shop.add_customer()
    ending, pausing = (
        shop.start_subscription("ava", "faith-year"),
        shop.start_subscription("ava", "gospel-year"),
    )
    shop.client.Subscription.cancel_for_items(ending.id, {"cancel_option": "end_of_term"})
    shop.client.Subscription.pause(pausing.id, {"pause_option": "end_of_term"})
    for subscription, price in ((ending, "faith-month"), (pausing, "gospel-month")):
        with expect_refusal(409, "invalid_state_for_request"):
            shop.change_items(subscription.id, price, change_option="end_of_term")


def test_in_a_trial_it_takes_effect_when_the_trial_ends(shop: SiteDriver):
    shop.add_customer()
    end = shop.client.Customer.retrieve("ava").customer.created_at + 9 * 86_400
    trial = shop.start_subscription("ava", "faith-year", trial_end=end)
    placed = shop.change_items(trial.id, "faith-month", end_of_term=True).subscription
    assert (placed.status, placed.billing_period_unit) == ("in_trial", "year")
    shop.travel_past(end)
    assert [invoice.total for invoice in shop.list_invoices(trial.id)] == [699]
    assert shop.retrieve_subscription(trial.id).billing_period_unit == "month"
