"""Ramps: changes of a subscription that take effect at times of their own."""

from __future__ import annotations

from typing import Any

import pytest

from chargebee_sandbox.tests.support.operation_walk import DAY
from chargebee_sandbox.tests.support.site_driver import SiteDriver, expect_refusal


def add_ramp(shop: SiteDriver, subscription: Any, days: int, **change: Any) -> Any:
    """Schedule a ramp so many days after a subscription's term began."""
    params = {"effective_from": subscription.current_term_start + days * DAY, **change}
    return shop.client.Ramp.create_for_subscription(subscription.id, params).ramp


def priced_at(cents: int) -> dict[str, Any]:
    return {"items_to_update": [{"item_price_id": "faith-month", "unit_price": cents}]}


def ramp_events(shop: SiteDriver) -> list[str]:
    return [event.event_type for event in shop.list_events() if "ramp" in event.event_type]


def test_ramps_are_applied_one_after_the_other(shop: SiteDriver):
    subscription = shop.start_subscription(shop.add_customer())
    addon = shop.add_addon("sports", "month", 200)
    first = add_ramp(shop, subscription, 31, **priced_at(500))
    second = add_ramp(shop, subscription, 62, items_to_add=[{"item_price_id": addon}])
    assert shop.retrieve_subscription(subscription.id).has_scheduled_changes
    shop.travel_past(second.effective_from + DAY)
    totals = [invoice.total for invoice in shop.list_invoices(subscription.id)]
    # April's bill has the first ramp, which goes before the renewal; the second one is in a running term.
    assert totals[:2] == [699, 500]
    assert shop.list_invoices(subscription.id)[-1].line_items[0].entity_id == addon
    assert [shop.client.Ramp.retrieve(ramp.id).ramp.status for ramp in (first, second)] == ["succeeded", "succeeded"]
    items = shop.retrieve_subscription(subscription.id).subscription_items
    assert [(item.item_price_id, item.amount) for item in items] == [("faith-month", 500), (addon, 200)]
    assert not shop.retrieve_subscription(subscription.id).has_scheduled_changes
    assert ramp_events(shop) == [*["subscription_ramp_created"] * 2, *["subscription_ramp_applied"] * 2]


def test_a_ramp_that_does_not_fit_any_more_fails_and_changes_nothing(shop: SiteDriver):
    subscription = shop.start_subscription(shop.add_customer())
    addon = shop.add_addon("sports", "month", 200)
    ramp = add_ramp(shop, subscription, 5, items_to_update=[{"item_price_id": addon, "quantity": 2}])
    shop.travel_past(ramp.effective_from)
    failed = shop.client.Ramp.retrieve(ramp.id).ramp
    assert (failed.status, addon in failed.status_transition_reason.message) == ("failed", True)
    after = shop.retrieve_subscription(subscription.id)
    assert (len(after.subscription_items), after.has_scheduled_changes) == (1, False)


def test_an_update_of_the_subscription_makes_its_ramps_drafts(shop: SiteDriver):
    subscription = shop.start_subscription(shop.add_customer())
    ramp = add_ramp(shop, subscription, 10, **priced_at(500))
    shop.update_subscription(subscription.id, coupon_ids=[shop.add_coupon("TEN")])
    assert shop.client.Ramp.retrieve(ramp.id).ramp.status == "draft"
    assert ramp_events(shop)[-1] == "subscription_ramp_drafted"
    with expect_refusal(409, "invalid_state_for_request"):
        add_ramp(shop, subscription, 20, **priced_at(400))
    shop.travel_past(ramp.effective_from)
    assert shop.retrieve_subscription(subscription.id).subscription_items[0].amount == 699
    again = shop.client.Ramp.update(ramp.id, {"effective_from": ramp.effective_from + 10 * DAY, **priced_at(400)}).ramp
    assert again.status == "scheduled"
    shop.travel_past(again.effective_from)
    assert shop.retrieve_subscription(subscription.id).subscription_items[0].amount == 400


def test_an_end_deletes_the_ramps_that_would_come_after_it(shop: SiteDriver):
    subscription = shop.start_subscription(shop.add_customer())
    before, after = (add_ramp(shop, subscription, days, **priced_at(500)) for days in (10, 40))
    shop.client.Subscription.cancel_for_items(subscription.id, {"cancel_option": "end_of_term"})
    listed = shop.client.Ramp.list({"subscription_id": {"is": subscription.id}}).list
    assert [entry.ramp.id for entry in listed] == [before.id]
    gone = shop.client.Ramp.list({"subscription_id": {"is": subscription.id}, "include_deleted": True}).list
    assert {entry.ramp.id: entry.ramp.deleted for entry in gone} == {before.id: False, after.id: True}


def test_a_ramp_is_no_scheduled_change_that_could_be_removed_or_shown(shop: SiteDriver):
    subscription = shop.start_subscription(shop.add_customer())
    ramp = add_ramp(shop, subscription, 10, **priced_at(500))
    for operation in ("remove_scheduled_changes", "retrieve_with_scheduled_changes"):
        with expect_refusal(409, "invalid_state_for_request"):
            getattr(shop.client.Subscription, operation)(subscription.id)
    assert shop.client.Ramp.delete(ramp.id).ramp.deleted
    assert not shop.retrieve_subscription(subscription.id).has_scheduled_changes
    with expect_refusal(404, "resource_not_found"):
        shop.client.Ramp.retrieve(ramp.id)


@pytest.mark.parametrize("days", [-1, 0, 10, 2000])
def test_a_time_that_is_not_allowed_is_refused(shop: SiteDriver, days: int):
    subscription = shop.start_subscription(shop.add_customer())
    add_ramp(shop, subscription, 10, **priced_at(500))
    with expect_refusal(400, "param_wrong_value"):
        add_ramp(shop, subscription, days, **priced_at(400))


def test_no_more_than_twelve_ramps_can_be_scheduled(shop: SiteDriver):
    subscription = shop.start_subscription(shop.add_customer())
    for days in range(1, 13):
        add_ramp(shop, subscription, days, **priced_at(500 + days))
    with expect_refusal(400, "resource_limit_exceeded"):
        add_ramp(shop, subscription, 13, **priced_at(400))
