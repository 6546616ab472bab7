"""Chargebee's documented examples of pausing and resuming, attribute by attribute."""

from __future__ import annotations

from typing import Any

import pytest

from chargebee_sandbox.tests.support.site_driver import SiteDriver, attribute_values, expect_refusal

TABLE = ("status", "next_billing_at", "pause_date", "resume_date", "mrr")
TERM = ("current_term_start", "current_term_end", "activated_at")


@pytest.fixture
def active(shop: SiteDriver) -> Any:
    return shop.start_subscription(shop.add_customer())


def expected_row(status: str, next_billing_at: Any, pause_date: Any, resume_date: Any, mrr: int) -> dict[str, Any]:
    return dict(zip(TABLE, (status, next_billing_at, pause_date, resume_date, mrr), strict=True))


def test_a_pause_at_the_end_of_the_term(shop: SiteDriver, active: Any):
    end = active.current_term_end
    params = {"pause_option": "end_of_term", "resume_date": end + 172_800}
    paused = shop.client.Subscription.pause(active.id, params).subscription
    assert attribute_values(paused, TABLE) == expected_row("active", None, end, end + 172_800, 699)
    assert attribute_values(paused, TERM) == attribute_values(active, TERM)
    assert paused.has_scheduled_changes is False


def test_a_scheduled_pause_removed(shop: SiteDriver, active: Any):
    shop.client.Subscription.pause(active.id, {"pause_option": "end_of_term"})
    back = shop.client.Subscription.remove_scheduled_pause(active.id).subscription
    assert attribute_values(back, TABLE) == expected_row("active", active.current_term_end, None, None, 699)


def test_an_immediate_pause_and_its_resumption_within_the_term(shop: SiteDriver, active: Any):
    paused = shop.client.Subscription.pause(active.id, {"pause_option": "immediately"}).subscription
    assert attribute_values(paused, TABLE) == expected_row("paused", None, paused.updated_at, None, 0)
    assert attribute_values(paused, TERM) == attribute_values(active, TERM)

    later = active.current_term_end - 3600
    params = {"resume_option": "specific_date", "resume_date": later}
    scheduled = shop.client.Subscription.resume(active.id, params).subscription
    assert attribute_values(scheduled, TABLE) == expected_row("paused", None, paused.pause_date, later, 0)

    unscheduled = shop.client.Subscription.remove_scheduled_resumption(active.id).subscription
    assert attribute_values(unscheduled, TABLE) == expected_row("paused", None, paused.pause_date, None, 0)

    resumed = shop.client.Subscription.resume(active.id, {"resume_option": "immediately"})
    assert attribute_values(resumed.subscription, TABLE) == expected_row(
        "active", active.current_term_end, None, None, 699
    )
    assert attribute_values(resumed.subscription, TERM) == attribute_values(active, TERM)
    assert resumed.invoice is None


def test_each_step_has_its_event(shop: SiteDriver, active: Any):
    do = shop.client.Subscription
    do.pause(active.id, {"pause_option": "end_of_term"})
    do.remove_scheduled_pause(active.id)
    do.pause(active.id, {"pause_option": "immediately"})
    do.resume(active.id, {"resume_option": "specific_date", "resume_date": active.current_term_end - 60})
    do.remove_scheduled_resumption(active.id)
    do.resume(active.id, {"resume_option": "immediately"})
    events = [event for event in shop.list_events() if "paus" in event.event_type or "resum" in event.event_type]
    assert [event.event_type for event in events] == [
        "subscription_pause_scheduled",
        "subscription_scheduled_pause_removed",
        "subscription_paused",
        "subscription_resumption_scheduled",
        "subscription_scheduled_resumption_removed",
        "subscription_resumed",
    ]
    assert {(event.source, event.user) for event in events} == {("api", "full_access_key_v1")}
    assert {"subscription", "customer", "card"} == set(events[0].content)


def test_a_scheduled_pause_takes_effect_on_time_and_stops_billing(shop: SiteDriver, active: Any):
    shop.client.Subscription.pause(active.id, {"pause_option": "end_of_term"})
    shop.travel_past(active.current_term_end, 86_400)
    paused = shop.retrieve_subscription(active.id)
    assert attribute_values(paused, TABLE) == expected_row("paused", None, active.current_term_end, None, 0)
    event, mrr_event = shop.list_events()[-2:]
    assert (mrr_event.event_type, mrr_event.content["subscription"]["mrr"]) == ("mrr_updated", 0)
    assert (event.event_type, event.source) == ("subscription_paused", "scheduled_job")
    assert event.occurred_at == active.current_term_end
    assert len(shop.list_invoices(active.id)) == 1


def test_a_pause_for_billing_cycles_ends_with_a_charge(shop: SiteDriver, active: Any):
    params = {"pause_option": "billing_cycles", "skip_billing_cycles": 2}
    paused = shop.client.Subscription.pause(active.id, params).subscription
    shop.travel_past(paused.resume_date)
    resumed = shop.retrieve_subscription(active.id)
    assert (resumed.status, resumed.current_term_start) == ("active", paused.resume_date)
    assert [invoice.date for invoice in shop.list_invoices(active.id)] == [
        active.created_at,
        paused.resume_date,
    ]


def test_an_indefinite_pause_keeps_a_scheduled_cancellation(shop: SiteDriver, active: Any):
    shop.client.Subscription.cancel_for_items(active.id, {"cancel_option": "end_of_term"})
    shop.client.Subscription.pause(active.id, {"pause_option": "immediately"})
    shop.travel_past(active.current_term_end)
    ended = shop.retrieve_subscription(active.id)
    assert (ended.status, ended.cancelled_at) == ("cancelled", active.current_term_end)


def test_it_refuses_to_pause_a_paused_subscription(shop: SiteDriver, active: Any):
    shop.client.Subscription.pause(active.id, {"pause_option": "immediately"})
    with expect_refusal(409, "invalid_state_for_pause"):
        shop.client.Subscription.pause(active.id, {"pause_option": "end_of_term"})


def test_it_refuses_operations_that_the_state_does_not_allow(shop: SiteDriver, active: Any):
    do = shop.client.Subscription
    for attempt in (do.resume, do.remove_scheduled_pause, do.remove_scheduled_resumption):
        with expect_refusal(409, "invalid_state_for_request"):
            attempt(active.id)
    with expect_refusal(409, "invalid_state_for_request"):
        do.remove_scheduled_cancellation(active.id)
    assert shop.retrieve_subscription(active.id).resource_version == active.resource_version


@pytest.mark.parametrize(
    "params",
    [
        {"pause_option": "specific_date"},
        {"pause_option": "specific_date", "pause_date": 1},
        {"pause_option": "sometime"},
        {"pause_option": "billing_cycles"},
        {"pause_option": "end_of_term", "resume_date": 1},
    ],
)
def test_it_refuses_invalid_dates(shop: SiteDriver, active: Any, params: dict[str, Any]):
    with expect_refusal(400, "param_wrong_value"):
        shop.client.Subscription.pause(active.id, params)
    assert shop.retrieve_subscription(active.id).resource_version == active.resource_version


def test_a_pause_has_the_estimated_effect(shop: SiteDriver, active: Any):
    params = {
        "pause_option": "end_of_term",
        "subscription": {"resume_date": active.current_term_end + 86_400},
    }
    estimate = shop.client.Estimate.pause_subscription(active.id, params).estimate.subscription_estimate
    assert shop.retrieve_subscription(active.id).resource_version == active.resource_version
    params = {"pause_option": "end_of_term", "resume_date": active.current_term_end + 86_400}
    paused = shop.client.Subscription.pause(active.id, params).subscription
    compared = ("status", "next_billing_at", "pause_date", "resume_date", "currency_code")
    assert attribute_values(estimate, compared) == attribute_values(paused, compared)
