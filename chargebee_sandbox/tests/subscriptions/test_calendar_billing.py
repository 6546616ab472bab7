"""Calendar billing: all terms of a site end on one day of the month."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chargebee_sandbox.tests.support.site_driver import SiteDriver, utc_dates


@pytest.fixture
def shop_with_day(shop_on: Callable[..., SiteDriver]) -> Callable[..., SiteDriver]:
    """Return a function that opens a site on a date, whose subscriptions are billed on a day of the month."""

    def open_site(day: int, *date: int) -> SiteDriver:
        shop = shop_on(*date)
        shop.sandbox.configure_site(billing_day=day)
        return shop

    return open_site


@pytest.mark.parametrize(
    ("day", "begun", "price", "until", "expected"),
    [
        (15, (2026, 2, 5), "faith-month", (2026, 5, 1), ["2026-02-05", "2026-02-15", "2026-03-15", "2026-04-15"]),
        (31, (2027, 1, 20), "faith-month", (2027, 4, 1), ["2027-01-20", "2027-01-31", "2027-02-28", "2027-03-31"]),
        (1, (2026, 3, 1), "faith-month", (2026, 5, 2), ["2026-03-01", "2026-04-01", "2026-05-01"]),
        (1, (2026, 12, 10), "faith-year", (2028, 1, 2), ["2026-12-10", "2027-01-01", "2028-01-01"]),
    ],
)
def test_the_first_term_ends_on_the_billing_day_and_later_ones_are_whole(
    shop_with_day: Callable[..., SiteDriver], day: int, begun: Any, price: str, until: Any, expected: list[str]
):
    shop = shop_with_day(day, *begun)
    subscription = shop.start_subscription(shop.add_customer(), price)
    shop.travel_to(*until)
    assert utc_dates([invoice.date for invoice in shop.list_invoices(subscription.id)]) == expected


def test_a_cut_term_is_charged_in_proportion_to_a_whole_one(shop_with_day: Callable[..., SiteDriver]):
    shop = shop_with_day(15, 2026, 2, 5)
    subscription = shop.start_subscription(shop.add_customer())
    shop.travel_to(2026, 3, 20)
    first, second, third = shop.list_invoices(subscription.id)
    # Ten of the 28 days that a month from February 5 has.
    assert (first.total, second.total, third.total) == (250, 699, 699)
    assert "Prorated Charges for 05-Feb-2026 - 15-Feb-2026" in first.line_items[0].description


def test_an_item_added_to_a_cut_term_is_charged_for_the_rest_of_it(shop_with_day: Callable[..., SiteDriver]):
    shop = shop_with_day(15, 2026, 2, 5)
    addon = shop.add_addon("sports", "month", 280)
    subscription = shop.start_subscription(shop.add_customer())
    shop.travel_past(subscription.current_term_start, 5 * 86_400)
    changed = shop.change_items(subscription.id, addon)
    assert changed.invoice.total == 50


def test_a_change_of_the_period_begins_a_cut_term(shop_with_day: Callable[..., SiteDriver]):
    shop = shop_with_day(1, 2026, 3, 1)
    subscription = shop.start_subscription(shop.add_customer())
    shop.travel_to(2026, 3, 12)
    estimate = shop.estimate_change(subscription.id, "faith-year")
    changed = shop.change_items(subscription.id, "faith-year")
    assert changed.invoice.total == estimate.invoice_estimate.total
    assert 365 * changed.invoice.total == pytest.approx(20 * 6999, abs=365)
    assert utc_dates([changed.subscription.next_billing_at]) == ["2026-04-01"]
    shop.travel_to(2026, 4, 2)
    assert shop.list_invoices(subscription.id)[-1].total == 6999


def test_a_trial_is_followed_by_a_cut_term(shop_with_day: Callable[..., SiteDriver]):
    shop = shop_with_day(1, 2026, 3, 1)
    trial_end = shop.client.TimeMachine.retrieve("delorean").time_machine.genesis_time + 10 * 86_400
    subscription = shop.start_subscription(shop.add_customer(), trial_end=trial_end)
    shop.travel_to(2026, 4, 2)
    first, second = shop.list_invoices(subscription.id)
    assert utc_dates([first.date, second.date]) == ["2026-03-11", "2026-04-01"]
    assert (first.total < 699, second.total) == (True, 699)


def test_a_contract_counts_the_cut_term(shop_with_day: Callable[..., SiteDriver]):
    shop = shop_with_day(15, 2026, 2, 5)
    contract = {"action_at_term_end": "cancel"}
    bound = shop.start_subscription(shop.add_customer(), billing_cycles=3, contract_term=contract)
    assert utc_dates([bound.contract_term.contract_end]) == ["2026-04-15"]
    shop.travel_to(2026, 4, 16)
    assert shop.retrieve_subscription(bound.id).status == "cancelled"
