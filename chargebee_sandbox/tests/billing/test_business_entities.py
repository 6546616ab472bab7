"""Business entities: the rows of a site with several name the one that they belong to."""

from __future__ import annotations

from typing import Any

from chargebee_sandbox.tests.support.site_driver import SiteDriver


def entities_of(shop: SiteDriver, customer: str) -> dict[str, Any]:
    """Return the entity that the customer, and each kind of row of the customer, names."""
    mine = {"customer_id": {"is": customer}}
    client = shop.client
    return {
        "customer": client.Customer.retrieve(customer).customer.business_entity_id,
        "source": client.PaymentSource.list(mine).list[0].payment_source.business_entity_id,
        "subscription": client.Subscription.list(mine).list[0].subscription.business_entity_id,
        "invoice": client.Invoice.list(mine).list[0].invoice.business_entity_id,
        "transaction": client.Transaction.list(mine).list[0].transaction.business_entity_id,
    }


def test_all_that_is_a_customers_names_the_entity_of_the_customer(shop: SiteDriver):
    before = shop.add_customer("ben")
    shop.start_subscription(before)
    shop.sandbox.configure_site(business_entity="family")
    after = shop.add_customer("ava")
    for customer in (before, after):
        shop.start_subscription(customer)
    assert set(entities_of(shop, after).values()) == {"family"}
    # An entity is the customer's from the beginning.
    assert set(entities_of(shop, before).values()) == {None}
