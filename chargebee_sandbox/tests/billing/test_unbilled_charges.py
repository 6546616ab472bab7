"""Unbilled charges: charges that wait for the next invoice, by request or by the site's setting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chargebee_sandbox.tests.support.site_driver import SiteDriver, attribute_values


def list_waiting(shop: SiteDriver) -> list[int]:
    return [entry.unbilled_charge.amount for entry in shop.client.UnbilledCharge.list({}).list]


def test_a_charge_can_wait_for_the_next_invoice(shop: SiteDriver):
    answer = shop.client.Subscription.create_with_items(
        shop.add_customer(), {"subscription_items": [{"item_price_id": "faith-month"}], "invoice_immediately": False}
    )
    begun = answer.subscription
    [charge] = answer.unbilled_charges
    assert (begun.status, answer.invoice) == ("active", None)
    assert attribute_values(charge, ("amount", "entity_id", "date_to", "is_voided")) == {
        "amount": 699,
        "entity_id": "faith-month",
        "date_to": begun.current_term_end,
        "is_voided": False,
    }
    assert (list_waiting(shop), shop.client.Customer.retrieve("ava").customer.unbilled_charges) == ([699], 699)
    shop.travel_past(begun.current_term_end)
    [invoice] = shop.list_invoices(begun.id)
    assert ([line.amount for line in invoice.line_items], invoice.amount_paid) == ([699, 699], 2 * 699)
    assert (list_waiting(shop), shop.client.Customer.retrieve("ava").customer.unbilled_charges) == ([], 0)
    types = [event.event_type for event in shop.list_events()]
    assert {"unbilled_charges_created", "unbilled_charges_invoiced"} <= set(types)


def test_an_estimate_shows_the_charges_that_would_wait(shop: SiteDriver):
    monthly = shop.start_subscription(shop.add_customer())
    estimate = shop.estimate_change(monthly.id, "faith-year", invoice_immediately=False)
    assert estimate.invoice_estimate is None
    assert [charge.amount for charge in estimate.unbilled_charge_estimates] == [6999]
    assert estimate.next_invoice_estimate.sub_total == 2 * 6999
    assert list_waiting(shop) == []


def test_a_renewals_estimate_has_what_waits_only_by_request(shop: SiteDriver):
    begun = shop.start_subscription(shop.add_customer(), invoice_immediately=False)
    estimate = shop.client.Estimate.renewal_estimate
    assert estimate(begun.id).estimate.invoice_estimate.sub_total == 699
    with_waiting = estimate(begun.id, {"include_delayed_charges": True}).estimate.invoice_estimate
    assert (with_waiting.sub_total, list_waiting(shop)) == (2 * 699, [699])


def test_the_site_can_let_charges_wait_unless_a_request_wants_an_invoice(shop: SiteDriver):
    shop.sandbox.configure_site(unbilled_charges=True)
    first = shop.start_subscription(shop.add_customer())
    second = shop.start_subscription("ava", "gospel-month", invoice_immediately=True)
    assert [len(shop.list_invoices(row.id)) for row in (first, second)] == [0, 1]


@pytest.mark.parametrize(("option", "invoiced"), [("invoice", [699]), ("delete", [])])
def test_a_cancellation_invoices_or_voids_what_waits(shop: SiteDriver, option: str, invoiced: list[int]):
    begun = shop.start_subscription(shop.add_customer(), invoice_immediately=False)
    params = {"cancel_option": "immediately", "unbilled_charges_option": option}
    shop.client.Subscription.cancel_for_items(begun.id, params)
    assert [invoice.amount_paid for invoice in shop.list_invoices(begun.id)] == invoiced
    assert list_waiting(shop) == []
    voided = shop.client.UnbilledCharge.list({"is_voided": True}).list
    assert len(voided) == (option == "delete")


def test_a_resumption_and_a_pause_handle_what_waits(shop: SiteDriver):
    begun = shop.start_subscription(shop.add_customer())
    shop.client.Subscription.pause(begun.id, {"pause_option": "end_of_term"})
    shop.travel_past(begun.current_term_end, 86_400)
    resume: Callable[..., Any] = shop.client.Subscription.resume
    resumed = resume(begun.id, {"charges_handling": "add_to_unbilled_charges"})
    assert ([charge.amount for charge in resumed.unbilled_charges], resumed.invoice) == ([699], None)
    params = {"pause_option": "immediately", "unbilled_charges_handling": "invoice"}
    assert shop.client.Subscription.pause(begun.id, params).invoice.amount_paid == 699
    assert list_waiting(shop) == []


def test_a_cancellation_can_refund_what_it_credits(shop: SiteDriver):
    begun = shop.start_subscription(shop.add_customer())
    params = {
        "cancel_option": "immediately",
        "credit_option_for_current_term_charges": "full",
        "refundable_credits_handling": "schedule_refund",
    }
    shop.client.Subscription.cancel_for_items(begun.id, params)
    note = shop.client.CreditNote.list({}).list[0].credit_note
    assert (note.status, note.amount_refunded, note.amount_available) == ("refunded", 699, 0)
    refund = shop.client.Transaction.list({"type": {"is": "refund"}}).list[0].transaction
    assert (refund.amount, refund.status, note.linked_refunds[0].txn_id) == (699, "success", refund.id)
    assert shop.client.Customer.retrieve("ava").customer.refundable_credits == 0
