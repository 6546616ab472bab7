"""Invoices as documents: their PDF, and voiding one."""

from __future__ import annotations

import httpx

from chargebee_sandbox.tests.support.site_driver import SiteDriver, attribute_values, expect_refusal


def test_a_link_serves_the_invoice_as_pdf_for_an_hour(shop: SiteDriver):
    begun = shop.start_subscription(shop.add_customer())
    [invoice] = shop.list_invoices(begun.id)
    download = shop.client.Invoice.pdf(invoice.id, {"disposition_type": "inline"}).download
    served = httpx.get(download.download_url)
    assert (served.headers["content-type"], served.content[:8]) == ("application/pdf", b"%PDF-1.4")
    assert b"Total: 6.99 USD" in served.content
    assert httpx.get(download.download_url[:-1]).status_code == 404
    shop.travel_past(download.valid_till)
    assert httpx.get(download.download_url).status_code == 404


def test_an_unpaid_invoice_can_be_voided_and_its_credits_are_free_again(shop: SiteDriver):
    yearly = shop.start_subscription(shop.add_customer(), "faith-year")
    shop.change_items(yearly.id, "faith-month")
    before = shop.client.Customer.retrieve("ava").customer.refundable_credits
    answer = shop.change_items(yearly.id, "gospel-year", auto_collection="off")
    due = answer.invoice
    assert due.status == "payment_due"
    voided = shop.client.Invoice.void_invoice(due.id, {"comment": "A mistake"}).invoice
    assert attribute_values(voided, ("status", "amount_due", "credits_applied")) == {
        "status": "voided",
        "amount_due": 0,
        "credits_applied": 0,
    }
    customer = shop.client.Customer.retrieve("ava").customer
    assert customer.refundable_credits >= before
    assert shop.retrieve_subscription(yearly.id).due_invoices_count == 0
    with expect_refusal(409, "invalid_state_for_request"):
        shop.client.Invoice.void_invoice(due.id, {})


def test_a_billing_address_and_a_vat_number_can_be_replaced(shop: SiteDriver):
    shop.add_customer()
    params = {"billing_address": {"line1": "2 Main Street", "country": "DE"}, "vat_number": "DE123456789"}
    customer = shop.client.Customer.update_billing_info("ava", params).customer
    assert (customer.billing_address.line1, customer.vat_number) == ("2 Main Street", "DE123456789")
    assert shop.client.Customer.update_billing_info("ava", {}).customer.billing_address is None
