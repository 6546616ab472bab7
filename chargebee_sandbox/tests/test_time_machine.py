"""The documented time machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from chargebee import InvalidRequestError

from chargebee_sandbox.tests.support.site_driver import SiteDriver, expect_refusal

DAY = 86_400


def to_instant(year: int, month: int, day: int) -> int:
    return int(datetime(year, month, day, tzinfo=UTC).timestamp())


def wait_for_arrival(client: Any) -> Any:
    deadline = time.monotonic() + 30
    while (machine := client.TimeMachine.retrieve("delorean").time_machine).time_travel_status == "in_progress":
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return machine


def test_starting_afresh_erases_everything_and_sets_the_clock(shop: SiteDriver):
    shop.start_subscription(shop.add_customer())
    genesis = to_instant(2031, 5, 4)
    machine = shop.client.TimeMachine.start_afresh("delorean", {"genesis_time": genesis}).time_machine
    assert (machine.name, machine.time_travel_status, machine.genesis_time) == (
        "delorean",
        "succeeded",
        genesis,
    )
    for resource in (shop.client.Customer, shop.client.Invoice, shop.client.Event, shop.client.ItemPrice):
        assert resource.list({}).list == []
    shop.add_customer(card=None)
    assert 0 <= shop.client.Customer.retrieve("ava").customer.created_at - genesis < 30


def test_time_travel_responds_at_once_and_succeeds_later(shop: SiteDriver):
    subscription = shop.start_subscription(shop.add_customer())
    destination = subscription.current_term_end + 200 * DAY
    machine = shop.client.TimeMachine.travel_forward("delorean", {"destination_time": destination}).time_machine
    assert (machine.time_travel_status, machine.destination_time) == ("in_progress", destination)
    assert wait_for_arrival(shop.client).time_travel_status == "succeeded"
    assert len(shop.list_invoices(subscription.id)) == 8


def test_a_second_time_travel_waits_for_the_first(shop: SiteDriver):
    shop.add_customer()
    for _ in range(10):
        subscription = shop.start_subscription("ava")
    # Decades away, so that time travel is still in progress even on a fast machine; start_afresh ends it.
    far = subscription.current_term_end + 20_000 * DAY
    shop.client.TimeMachine.travel_forward("delorean", {"destination_time": far})
    with expect_refusal(409, "invalid_state_for_request"):
        shop.client.TimeMachine.travel_forward("delorean", {"destination_time": far + DAY})


def test_travel_to_the_current_second_does_not_move_the_clock_back(shop: SiteDriver):
    def travel_to_current_second() -> int:
        made = [shop.client.Customer.create({}).customer]
        while not 300 <= made[-1].resource_version % 1000 <= 600:
            made.append(shop.client.Customer.create({}).customer)
        try:
            shop.client.TimeMachine.travel_forward("delorean", {"destination_time": made[-1].created_at})
        except InvalidRequestError:  # that second had passed by then
            return travel_to_current_second()
        return int(made[-1].resource_version)

    before = travel_to_current_second()
    wait_for_arrival(shop.client)
    assert shop.client.Customer.create({}).customer.resource_version > before


def test_starting_afresh_ends_time_travel(shop: SiteDriver):
    shop.add_customer()
    for _ in range(10):
        subscription = shop.start_subscription("ava")
    far = subscription.current_term_end + 2000 * DAY
    shop.client.TimeMachine.travel_forward("delorean", {"destination_time": far})
    genesis = to_instant(2030, 1, 1)
    shop.client.TimeMachine.start_afresh("delorean", {"genesis_time": genesis})
    assert wait_for_arrival(shop.client).destination_time == genesis
    shop.add_customer(card=None)
    assert shop.client.Customer.retrieve("ava").customer.created_at - genesis < 30
    assert shop.client.Invoice.list({}).list == []


def test_it_only_travels_forward_and_there_is_only_one(shop: SiteDriver):
    with expect_refusal(400, "param_wrong_value"):
        shop.client.TimeMachine.travel_forward("delorean", {"destination_time": to_instant(2020, 1, 1)})
    with expect_refusal(400, "param_wrong_value"):
        shop.client.TimeMachine.travel_forward("delorean", {})
    with expect_refusal(404, "resource_not_found"):
        shop.client.TimeMachine.retrieve("tardis")


def test_the_clock_keeps_running(shop: SiteDriver):
    shop.add_customer()
    trial_end = shop.client.Customer.retrieve("ava").customer.created_at + DAY
    trial = shop.start_subscription("ava", trial_end=trial_end)
    # Close enough to pass soon, and far enough that a busy machine gets there before it has passed.
    shop.client.TimeMachine.travel_forward("delorean", {"destination_time": trial_end - 3})
    wait_for_arrival(shop.client)
    deadline = time.monotonic() + 60
    while shop.retrieve_subscription(trial.id).status == "in_trial" and time.monotonic() < deadline:
        time.sleep(0.1)
    assert shop.retrieve_subscription(trial.id).activated_at == trial_end


def test_interrupted_time_travel_finishes_after_a_restart(launch_sandbox: Callable[..., Any]):
    first = launch_sandbox()
    first.start_afresh(datetime(2026, 1, 31, 12, tzinfo=UTC))
    shop = SiteDriver.open_site(first.client(), first)
    shop.add_customer()
    for _ in range(10):
        subscription = shop.start_subscription("ava")
    far = subscription.current_term_end + 700 * DAY
    shop.client.TimeMachine.travel_forward("delorean", {"destination_time": far})
    first.process.kill()
    first.process.wait()
    second = launch_sandbox()
    assert wait_for_arrival(second.client()).destination_time == far
    shop.client = second.client()
    dates = [invoice.date for invoice in shop.list_invoices(subscription.id)]
    assert len(dates) == len(set(dates)) == 24
    assert shop.retrieve_subscription(subscription.id).next_billing_at > far
