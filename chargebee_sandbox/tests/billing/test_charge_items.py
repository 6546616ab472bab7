"""Charge items: what a new subscription is charged once, such as a fee for setting it up."""

from __future__ import annotations

from typing import Any

import pytest

from chargebee_sandbox.tests.support.operation_walk import DAY
from chargebee_sandbox.tests.support.site_driver import SiteDriver, expect_refusal

ITEMS = [{"item_price_id": "faith-month"}, {"item_price_id": "setup"}]


@pytest.fixture
def selling(shop: SiteDriver) -> SiteDriver:
    """A shop that also sells a charge of $5.00."""
    shop.client.Item.create({"id": "setup", "name": "Setup", "type": "charge", "item_family_id": "streaming"})
    price = {"id": "setup", "name": "Setup", "item_id": "setup", "price": 500, "currency_code": "USD"}
    shop.client.ItemPrice.create(price)
    return shop


def start_with_charge(shop: SiteDriver, **more: Any) -> Any:
    answer = shop.client.Subscription.create_with_items(shop.add_customer(), {"subscription_items": ITEMS, **more})
    return answer.subscription


def test_a_charge_is_on_the_first_invoice_alone_and_then_among_the_charged_items(selling: SiteDriver):
    started = start_with_charge(selling)
    assert [item.item_price_id for item in started.subscription_items] == ["faith-month"]
    [charged] = started.charged_items
    assert (charged.item_price_id, charged.last_charged_at) == ("setup", started.current_term_start)
    assert started.mrr == 699
    selling.travel_past(started.current_term_end)
    first, second = selling.list_invoices(started.id)
    assert [(line.entity_id, line.entity_type, line.amount) for line in first.line_items] == [
        ("faith-month", "plan_item_price", 699),
        ("setup", "charge_item_price", 500),
    ]
    assert (first.total, second.total) == (1199, 699)


def test_a_charge_is_not_credited_when_the_term_is_cut(selling: SiteDriver):
    started = start_with_charge(selling)
    option = {"cancel_option": "immediately", "credit_option_for_current_term_charges": "full"}
    selling.client.Subscription.cancel_for_items(started.id, option)
    notes = [entry.credit_note for entry in selling.client.CreditNote.list({}).list]
    assert [note.total for note in notes] == [699]


def test_an_estimate_shows_the_charge(selling: SiteDriver):
    customer = selling.add_customer()
    estimate = selling.client.Estimate.create_sub_item_for_customer_estimate(customer, {"subscription_items": ITEMS})
    assert estimate.estimate.invoice_estimate.total == 1199


def test_a_charge_is_refused_where_no_term_begins(selling: SiteDriver):
    customer = selling.add_customer()
    trial_end = selling.client.Customer.retrieve(customer).customer.created_at + 5 * DAY
    with expect_refusal(400, "param_wrong_value") as refusal:
        create = selling.client.Subscription.create_with_items
        create(customer, {"subscription_items": ITEMS, "trial_end": trial_end})
    assert "charged once" in str(refusal.value)
    running = selling.start_subscription(customer)
    with expect_refusal(400, "param_wrong_value"):
        selling.change_items(running.id, "setup")
