"""Reactivating a canceled subscription, and moving the end of a term."""

from __future__ import annotations

from chargebee_sandbox.tests.support.site_driver import DECLINING_CARD, SiteDriver, expect_refusal

DAY = 86_400


def test_a_canceled_subscription_begins_a_new_term(shop: SiteDriver):
    begun = shop.start_subscription(shop.add_customer())
    with expect_refusal(409, "invalid_state_for_request"):
        shop.client.Subscription.reactivate(begun.id, {})
    shop.client.Subscription.cancel_for_items(begun.id, {"cancel_option": "immediately"})
    answer = shop.client.Subscription.reactivate(begun.id, {})
    again = answer.subscription
    assert (again.status, again.cancelled_at, answer.invoice.amount_paid) == ("active", None, 699)
    assert again.current_term_start == again.activated_at >= begun.created_at
    assert "subscription_reactivated" in [event.event_type for event in shop.list_events()]


def test_a_decline_leaves_it_canceled(shop: SiteDriver):
    begun = shop.start_subscription(shop.add_customer())
    shop.client.Subscription.cancel_for_items(begun.id, {"cancel_option": "immediately"})
    shop.add_card("ava", DECLINING_CARD, replace_primary_payment_source=True)
    with expect_refusal(400, "payment_processing_failed"):
        shop.client.Subscription.reactivate(begun.id, {})
    assert shop.retrieve_subscription(begun.id).status == "cancelled"


def test_the_end_of_a_term_moves_and_later_terms_with_it(shop: SiteDriver):
    begun = shop.start_subscription(shop.add_customer())
    later = begun.current_term_end + 3 * DAY
    moved = shop.client.Subscription.change_term_end(begun.id, {"term_ends_at": later}).subscription
    assert (moved.current_term_end, moved.next_billing_at) == (later, later)
    shop.travel_past(later)
    assert shop.retrieve_subscription(begun.id).current_term_start == later
