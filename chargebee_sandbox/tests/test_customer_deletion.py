"""Deleting a customer."""

from __future__ import annotations

from chargebee_sandbox.tests.support.site_driver import DECLINING_CARD, SiteDriver, expect_refusal


def test_everything_of_a_deleted_customer_is_gone_and_nothing_falls_due(shop: SiteDriver):
    """The subscription would renew, and its unpaid invoice be tried again."""
    subscription = shop.start_subscription(shop.add_customer())
    shop.add_card("ava", DECLINING_CARD, replace_primary_payment_source=True)
    shop.travel_past(subscription.current_term_end)

    shop.client.Customer.delete("ava")

    with expect_refusal(404, "resource_not_found"):
        shop.client.Customer.retrieve("ava")
    with expect_refusal(404, "resource_not_found"):
        shop.client.Subscription.retrieve(subscription.id)
    for resource in ("Customer", "Subscription", "Invoice", "Transaction"):
        api = getattr(shop.client, resource)
        kind = resource.lower()
        assert api.list({}).list == []
        assert all(getattr(entry, kind).deleted for entry in api.list({"include_deleted": True}).list)
    assert shop.client.PaymentSource.list({"customer_id": {"is": "ava"}}).list == []
    deleted = shop.list_events()
    assert deleted[-1].event_type == "customer_deleted"
    shop.travel_past(subscription.current_term_end, 70 * 86_400)
    assert shop.list_events() == deleted
