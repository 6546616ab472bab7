"""Merging a customer into another one."""

from __future__ import annotations

from chargebee_sandbox.tests.support.site_driver import SiteDriver, expect_refusal


def test_a_merge_moves_everything_and_deletes_the_other_customer(shop: SiteDriver):
    shop.add_customer("ava")
    shop.add_customer("ben", card=None)
    subscription = shop.start_subscription("ava")

    shop.client.Customer.merge({"from_customer_id": "ava", "to_customer_id": "ben"})

    assert shop.retrieve_subscription(subscription.id).customer_id == "ben"
    assert [invoice.customer_id for invoice in shop.list_invoices(subscription.id)] == ["ben"]
    assert [event.event_type for event in shop.list_events()[-2:]] == ["customer_changed", "customer_deleted"]
    with expect_refusal(404, "resource_not_found"):
        shop.client.Customer.retrieve("ava")


def test_the_moved_subscription_is_charged_to_the_moved_card(shop: SiteDriver):
    shop.add_customer("ava")
    shop.add_customer("ben", card=None)
    subscription = shop.start_subscription("ava")
    shop.client.Customer.merge({"from_customer_id": "ava", "to_customer_id": "ben"})

    shop.travel_past(subscription.current_term_end)

    assert [invoice.status for invoice in shop.list_invoices(subscription.id)] == ["paid", "paid"]
