"""Contract terms: a subscription is bound for a number of billing cycles."""

from __future__ import annotations

from typing import Any

import pytest

from chargebee_sandbox.tests.support.operation_walk import DAY
from chargebee_sandbox.tests.support.site_driver import SiteDriver, expect_refusal


def start_with_contract(shop: SiteDriver, action: str, cycles: int = 3, **more: Any) -> Any:
    contract = {"action_at_term_end": action}
    return shop.start_subscription(shop.add_customer(), billing_cycles=cycles, contract_term=contract, **more)


def test_a_contract_begins_with_the_first_term_and_counts_the_others(shop: SiteDriver):
    started = start_with_contract(shop, "renew")
    contract = started.contract_term
    assert (contract.status, contract.billing_cycle, contract.remaining_billing_cycles) == ("active", 3, 2)
    assert contract.contract_start == started.current_term_start
    assert contract.total_contract_value_before_tax == 3 * started.subscription_items[0].amount
    assert started.status == "active"
    assert started.cancelled_at is None
    shop.travel_past(started.current_term_end)
    assert shop.retrieve_subscription(started.id).contract_term.remaining_billing_cycles == 1
    assert "contract_term_created" in [event.event_type for event in shop.list_events()]


@pytest.mark.parametrize(("action", "following"), [("renew", "renew"), ("renew_once", "evergreen")])
def test_a_contract_that_renews_begins_the_next_one_at_its_end(shop: SiteDriver, action: str, following: str):
    started = start_with_contract(shop, action)
    shop.travel_past(started.contract_term.contract_end)
    renewed = shop.retrieve_subscription(started.id)
    assert renewed.contract_term.contract_start == started.contract_term.contract_end
    assert renewed.contract_term.action_at_term_end == following


def test_an_evergreen_subscription_goes_on_without_its_contract(shop: SiteDriver):
    started = start_with_contract(shop, "evergreen", cycles=1)
    shop.travel_past(started.contract_term.contract_end)
    after = shop.retrieve_subscription(started.id)
    assert (after.status, after.contract_term) == ("active", None)


def test_a_trial_begins_its_contract_with_its_first_paid_term(shop: SiteDriver):
    created = shop.client.Customer.retrieve(shop.add_customer("eve")).customer.created_at
    trial_end = created + 7 * DAY
    started = start_with_contract(shop, "renew", trial_end=trial_end)
    assert started.contract_term is None
    shop.travel_past(trial_end)
    assert shop.retrieve_subscription(started.id).contract_term.contract_start == trial_end


def test_it_cannot_be_paused_while_a_contract_runs(shop: SiteDriver):
    started = start_with_contract(shop, "renew")
    with expect_refusal(409, "invalid_state_for_pause"):
        shop.client.Subscription.pause(started.id, {"pause_option": "end_of_term"})


def test_it_ends_with_its_contract_and_bills_until_then(shop: SiteDriver):
    started = start_with_contract(shop, "renew")
    ending = shop.client.Subscription.cancel_for_items(
        started.id, {"contract_term_cancel_option": "end_of_contract_term"}
    ).subscription
    assert ending.status == "active"
    assert ending.cancelled_at == started.contract_term.contract_end
    assert ending.next_billing_at == started.current_term_end
    shop.travel_past(started.contract_term.contract_end)
    assert shop.retrieve_subscription(started.id).status == "cancelled"
    assert len(shop.list_invoices(started.id)) == 3


def test_removing_the_cancellation_leaves_no_end_of_the_contracts_subscription(shop: SiteDriver):
    started = start_with_contract(shop, "cancel", cycles=1)
    assert started.status == "non_renewing"
    kept = shop.client.Subscription.remove_scheduled_cancellation(started.id, {}).subscription
    assert (kept.status, kept.cancelled_at) == ("active", None)
    shop.travel_past(started.contract_term.contract_end)
    after = shop.retrieve_subscription(started.id)
    assert (after.status, after.contract_term) == ("active", None)


def test_terminating_a_contract_cancels_its_subscription_now(shop: SiteDriver):
    started = start_with_contract(shop, "renew")
    ended = shop.client.Subscription.cancel_for_items(
        started.id, {"contract_term_cancel_option": "terminate_immediately"}
    ).subscription
    assert (ended.status, ended.contract_term) == ("cancelled", None)
    assert "contract_term_terminated" in [event.event_type for event in shop.list_events()]


def test_a_cancellation_names_the_contract_exactly_where_there_is_one(shop: SiteDriver):
    bound = start_with_contract(shop, "renew")
    with expect_refusal(400, "param_wrong_value"):
        shop.client.Subscription.cancel_for_items(bound.id, {"cancel_option": "end_of_term"})
    free = shop.start_subscription(shop.add_customer("eve"))
    with expect_refusal(400, "param_wrong_value"):
        shop.client.Subscription.cancel_for_items(free.id, {"contract_term_cancel_option": "end_of_contract_term"})
