"""Immediate changes of a subscription's items: credits, charges, and what stays as it is."""

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


def travel_halfway(shop: SiteDriver, subscription: Any) -> None:
    length = subscription.current_term_end - subscription.current_term_start
    shop.travel_past(subscription.current_term_start, length // 2)


def unused_amount(cents: int, subscription: Any, at: int) -> int:
    """Return the part of an amount (cents) for the rest of a term at an instant, rounded half up."""
    whole = subscription.current_term_end - subscription.current_term_start
    return int((2 * cents * (subscription.current_term_end - at) + whole) // (2 * whole))


def test_an_upgrade_to_yearly_credits_the_rest_of_the_month(shop: SiteDriver):
    monthly = shop.start_subscription(shop.add_customer())
    travel_halfway(shop, monthly)
    before = len(shop.list_events())
    answer = shop.change_items(monthly.id, "faith-year")
    now, invoice, note = answer.subscription, answer.invoice, answer.credit_notes[0]

    credit = unused_amount(699, monthly, invoice.date)
    assert attribute_values(note, ("type", "status", "reason_code", "total", "reference_invoice_id")) == {
        "type": "refundable",
        "status": "refunded",
        "reason_code": "subscription_change",
        "total": credit,
        "reference_invoice_id": shop.list_invoices(monthly.id)[0].id,
    }
    assert note.line_items[0].description.startswith("faith - Prorated Credits for ")
    assert (note.line_items[0].quantity, note.line_items[0].unit_amount) == (1, credit)
    assert attribute_values(invoice, ("total", "credits_applied", "amount_paid", "amount_due", "status")) == {
        "total": 6999,
        "credits_applied": credit,
        "amount_paid": 6999 - credit,
        "amount_due": 0,
        "status": "paid",
    }
    assert invoice.applied_credits[0].cn_id == note.id
    assert (now.billing_period_unit, now.current_term_start) == ("year", invoice.date)
    assert now.next_billing_at == now.current_term_end > monthly.current_term_end + 300 * DAY
    assert [event.event_type for event in shop.list_events()[before:]] == [
        "subscription_changed",
        "transaction_created",
        "payment_succeeded",
        "invoice_generated",
        "credit_note_created",
        "invoice_updated",
        "mrr_updated",
    ]


def test_a_change_within_the_period_keeps_the_term_and_prorates(shop: SiteDriver):
    first = shop.start_subscription(shop.add_customer())
    travel_halfway(shop, first)
    answer = shop.change_items(first.id, "gospel-month")
    invoice = answer.invoice
    charge = unused_amount(799, first, invoice.date)
    assert (invoice.total, invoice.credits_applied) == (charge, unused_amount(699, first, invoice.date))
    assert invoice.line_items[0].description.startswith("gospel - Prorated Charges for ")
    assert (invoice.line_items[0].date_to, answer.subscription.current_term_end) == (
        first.current_term_end,
        first.current_term_end,
    )
    shop.travel_past(first.current_term_end)
    assert shop.list_invoices(first.id)[-1].total == 799


def test_two_changes_in_a_term_credit_the_term_once(shop: SiteDriver):
    first = shop.start_subscription(shop.add_customer())
    travel_halfway(shop, first)
    charged = shop.change_items(first.id, "gospel-month").invoice
    back = shop.change_items(first.id, "faith-month")
    credit = back.credit_notes[0]
    assert (len(back.credit_notes), credit.reference_invoice_id) == (1, charged.id)
    assert abs(credit.total - charged.total) <= 1


def test_the_remaining_credit_pays_later_invoices(shop: SiteDriver):
    yearly = shop.start_subscription(shop.add_customer(), "faith-year")
    answer = shop.change_items(yearly.id, "faith-month")
    left = answer.credit_notes[0].amount_available
    assert (answer.invoice.amount_due, answer.invoice.credits_applied, answer.invoice.status) == (
        0,
        699,
        "paid",
    )
    assert left == answer.credit_notes[0].total - 699 == answer.customer.refundable_credits
    shop.travel_past(answer.subscription.current_term_end)
    renewed = shop.list_invoices(yearly.id)[-1]
    assert (renewed.credits_applied, renewed.linked_payments) == (699, [])


def test_an_unpaid_term_is_adjusted_by_a_change(shop: SiteDriver):
    subscription = shop.start_subscription(shop.add_customer())
    shop.add_card("ava", DECLINING_CARD, replace_primary_payment_source=True)
    shop.travel_past(subscription.current_term_end, DAY // 2)
    shop.add_card("ava", "5555555555554444", replace_primary_payment_source=True)
    answer = shop.change_items(subscription.id, "faith-year")
    note, due = answer.credit_notes[0], shop.list_invoices(subscription.id)[1]
    assert (note.type, note.status, note.amount_available) == ("adjustment", "adjusted", 0)
    assert due.amount_due == 699 - note.total == answer.subscription.total_dues
    assert (answer.invoice.total, answer.invoice.credits_applied) == (6999, 0)


def test_a_partially_paid_term_is_adjusted_and_refunded(shop: SiteDriver):
    subscription = shop.start_subscription(shop.add_customer())
    shop.add_card("ava", DECLINING_CARD, replace_primary_payment_source=True)
    shop.travel_past(subscription.current_term_end)
    good = shop.add_card("ava", "5555555555554444", replace_primary_payment_source=True)
    due = shop.list_invoices(subscription.id)[1]
    shop.client.Invoice.collect_payment(due.id, {"amount": 600, "payment_source_id": good.id})
    answer = shop.change_items(subscription.id, "faith-year")
    adjusting, refunding = answer.credit_notes
    assert (adjusting.type, adjusting.total) == ("adjustment", 99)
    assert (refunding.type, refunding.total) == ("refundable", answer.invoice.credits_applied)
    assert 690 <= adjusting.total + refunding.total <= 699
    settled = shop.list_invoices(subscription.id)[1]
    assert (settled.status, settled.amount_due, answer.subscription.due_invoices_count) == ("paid", 0, 0)


def test_a_change_without_proration_charges_and_credits_nothing(shop: SiteDriver):
    first = shop.start_subscription(shop.add_customer())
    travel_halfway(shop, first)
    answer = shop.change_items(first.id, "gospel-month", prorate=False)
    assert (answer.invoice, answer.credit_notes) == (None, None)
    later = shop.change_items(first.id, "faith-month")
    assert later.credit_notes is None
    shop.travel_past(first.current_term_end)
    assert shop.list_invoices(first.id)[-1].total == 699


def test_a_forced_term_reset_restarts_the_period(shop: SiteDriver):
    first = shop.start_subscription(shop.add_customer())
    travel_halfway(shop, first)
    answer = shop.change_items(first.id, "faith-month", force_term_reset=True)
    assert answer.invoice.total == 699
    assert answer.subscription.current_term_start == answer.invoice.date
    assert answer.credit_notes[0].total == unused_amount(699, first, answer.invoice.date)


def test_a_declined_change_changes_nothing(shop: SiteDriver):
    first = shop.start_subscription(shop.add_customer())
    shop.add_card("ava", DECLINING_CARD, replace_primary_payment_source=True)
    before, event_count = shop.retrieve_subscription(first.id), len(shop.list_events())
    with expect_refusal(400, "payment_processing_failed") as caught:
        shop.change_items(first.id, "faith-year", coupon_ids=[shop.add_single_use_code("TEN", "TEN-1")])
    assert caught.value.type == "payment"
    assert shop.retrieve_subscription(first.id).raw_data == before.raw_data
    assert shop.client.CouponCode.retrieve("TEN-1").coupon_code.status == "not_redeemed"
    assert len(shop.list_invoices(first.id)) == 1
    events = [event.event_type for event in shop.list_events()[event_count:]]
    assert events == ["coupon_created", "coupon_set_created", "coupon_codes_added"]


def test_a_change_without_a_payment_source_is_refused(shop: SiteDriver):
    shop.add_customer(card=None)
    free = shop.add_price("faith", "month", 0, id="faith-free")
    first = shop.start_subscription("ava", free)
    with expect_refusal(400, "payment_method_not_present"):
        shop.change_items(first.id, "faith-year")


def test_a_trial_continues_after_a_change(shop: SiteDriver):
    shop.add_customer()
    end = shop.client.Customer.retrieve("ava").customer.created_at + 9 * DAY
    trial = shop.start_subscription("ava", "faith-year", trial_end=end)
    answer = shop.change_items(trial.id, "faith-month")
    now = answer.subscription
    assert (now.status, now.trial_end, now.next_billing_at, answer.invoice) == ("in_trial", end, end, None)
    assert (now.billing_period_unit, now.subscription_items[0].item_price_id) == ("month", "faith-month")
    shop.travel_past(end)
    assert [invoice.total for invoice in shop.list_invoices(trial.id)] == [699]


def test_a_change_can_move_or_end_a_trial(shop: SiteDriver):
    shop.add_customer()
    end = shop.client.Customer.retrieve("ava").customer.created_at + 9 * DAY
    trial = shop.start_subscription("ava", trial_end=end)
    assert shop.update_subscription(trial.id, trial_end=end + DAY).subscription.next_billing_at == end + DAY
    ended = shop.update_subscription(trial.id, trial_end=0)
    assert (ended.subscription.status, ended.invoice.total) == ("active", 699)
    with expect_refusal(400, "param_wrong_value"):
        shop.update_subscription(trial.id, trial_end=end)


def test_an_addon_is_added_and_removed_with_the_item_list(shop: SiteDriver):
    addon = shop.add_addon("extra", "month", 200)
    first = shop.start_subscription(shop.add_customer())
    travel_halfway(shop, first)
    joined = shop.change_items(first.id, addon)
    items = [item.item_price_id for item in joined.subscription.subscription_items]
    assert (items, joined.credit_notes) == (["faith-month", addon], None)
    assert joined.invoice.total == unused_amount(200, first, joined.invoice.date)
    left = shop.change_items(first.id, "faith-month", replace_items_list=True)
    assert len(left.subscription.subscription_items) == 1
    assert (left.invoice, left.credit_notes[0].line_items[0].entity_id) == (None, addon)


def test_two_plans_and_archived_prices_are_refused(shop: SiteDriver):
    first = shop.start_subscription(shop.add_customer())
    two = [{"item_price_id": "faith-month"}, {"item_price_id": "gospel-month"}]
    with expect_refusal(400, "param_wrong_value"):
        shop.update_subscription(first.id, subscription_items=two)
    shop.client.ItemPrice.update("gospel-month", {"status": "archived"})
    with expect_refusal(404, "resource_not_found"):
        shop.change_items(first.id, "gospel-month")
    shop.client.ItemPrice.update("faith-month", {"status": "archived"})
    assert shop.change_items(first.id, "faith-month").invoice is None


def test_a_paused_subscription_cannot_be_changed(shop: SiteDriver):
    first = shop.start_subscription(shop.add_customer(), coupon_ids=[shop.add_coupon("TEN")])
    shop.client.Subscription.pause(first.id)
    for write in (
        lambda: shop.change_items(first.id, "faith-year"),
        lambda: shop.update_subscription(first.id, coupon_ids=["TEN"], replace_coupon_list=True),
        lambda: shop.estimate_change(first.id, "faith-year"),
        lambda: shop.client.Subscription.remove_coupons(first.id),
    ):
        with expect_refusal(409, "invalid_state_for_request"):
            write()


def test_a_change_reactivates_a_cancelled_subscription(shop: SiteDriver):
    first = shop.start_subscription(shop.add_customer())
    shop.client.Subscription.cancel_for_items(first.id, {"cancel_option": "immediately"})
    answer = shop.update_subscription(first.id, coupon_ids=[shop.add_coupon("TEN")])
    assert (answer.subscription.status, answer.invoice.total) == ("active", 629)
    assert answer.subscription.cancelled_at is None
    assert answer.subscription.next_billing_at == answer.subscription.current_term_end
    assert "subscription_reactivated" in [event.event_type for event in shop.list_events()]


def test_a_change_can_leave_it_cancelled(shop: SiteDriver):
    first = shop.start_subscription(shop.add_customer())
    shop.client.Subscription.cancel_for_items(first.id, {"cancel_option": "immediately"})
    answer = shop.update_subscription(first.id, coupon_ids=[shop.add_coupon("TEN")], reactivate=False)
    assert (answer.subscription.status, answer.invoice) == ("cancelled", None)
    assert answer.subscription.coupons[0].coupon_id == "TEN"


def test_a_change_keeps_a_scheduled_cancellation(shop: SiteDriver):
    first = shop.start_subscription(shop.add_customer())
    shop.client.Subscription.cancel_for_items(first.id, {"cancel_option": "end_of_term"})
    same = shop.change_items(first.id, "gospel-month").subscription
    assert (same.status, same.cancelled_at) == ("non_renewing", first.current_term_end)
    longer = shop.change_items(first.id, "gospel-year").subscription
    assert (longer.status, longer.cancelled_at) == ("non_renewing", longer.current_term_end)


def test_the_monthly_revenue_counts_only_coupons_that_recur(shop: SiteDriver):
    coupons = [shop.add_coupon("TEN"), shop.add_coupon("ONCE", duration_type="one_time")]
    yearly = shop.start_subscription(shop.add_customer(), "faith-year", coupon_ids=coupons)
    assert yearly.mrr == round(6999 * 0.9 / 12)
    assert [
        event.content["subscription"]["mrr"] for event in shop.list_events() if event.event_type == "mrr_updated"
    ] == [yearly.mrr]


def test_a_change_can_leave_its_invoice_due(shop: SiteDriver):
    first = shop.start_subscription(shop.add_customer())
    answer = shop.change_items(first.id, "faith-year", auto_collection="off")
    assert (answer.subscription.auto_collection, answer.invoice.status) == ("off", "payment_due")


@pytest.mark.parametrize("wrong", [{"change_option": "specific_date"}])
def test_an_unsupported_option_is_refused(shop: SiteDriver, wrong: dict[str, Any]):
    first = shop.start_subscription(shop.add_customer())
    with expect_refusal(400, "param_wrong_value"):
        shop.change_items(first.id, "faith-year", **wrong)
