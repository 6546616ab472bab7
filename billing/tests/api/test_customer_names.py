"""A customer's name is saved at the provider first; when that fails, nothing is saved."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django import Settings

from billing.models import Customer
from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import open_account
from billing.tests.api.synced_provider import UNREACHABLE_ENDPOINT, SyncedProvider
from billing.tests.support.faulty_proxy import FaultyProxy

pytestmark = pytest.mark.django_db

READ, SAVE = "/api/account/profile", "/api/account/profile/update"
NEW = {"firstName": "Alicia", "lastName": "Stone", "bmonth": 5, "bday": 4}


@pytest.fixture
def alice(shop: SyncedProvider) -> Browser:
    """Return Alice's browser; she is a customer at the provider."""
    return Browser(shop.customer("alice"))


def provider_names(shop: SyncedProvider) -> tuple[Any, Any]:
    """Return Alice's first and last name at the provider."""
    customer = shop.client.Customer.retrieve("alice").customer.raw_data
    return customer.get("first_name"), customer.get("last_name")


@pytest.mark.shows("api-7")
def test_a_saved_name_reaches_the_provider_the_mirror_and_the_account(alice: Browser, shop: SyncedProvider) -> None:
    response = alice.post(SAVE, {**NEW, "email": "eve@example.com", "customerId": "bob"})
    assert (response.status_code, response.json()) == (200, {**NEW, "email": "alice@example.com"})
    assert provider_names(shop) == ("Alicia", "Stone")
    assert Customer.objects.get().payload["first_name"] == "Alicia"
    assert alice.get("/api/account").json()["name"] == "Alicia Stone"


def test_a_birthday_alone_is_not_sent_to_the_provider(alice: Browser, shop: SyncedProvider) -> None:
    alice.post(SAVE, NEW)
    changes = shop.count_events("customer_changed")
    assert alice.post(SAVE, {**NEW, "bday": 5}).json()["bday"] == 5
    assert shop.count_events("customer_changed") == changes


def test_a_name_can_be_changed_back(alice: Browser, shop: SyncedProvider) -> None:
    for first_name in ("Alicia", "Alice", "Alicia"):
        assert alice.post(SAVE, {**NEW, "firstName": first_name}).status_code == 200
    assert provider_names(shop) == ("Alicia", "Stone")


def test_an_unreachable_provider_leaves_the_profile_unchanged(alice: Browser, settings: Settings) -> None:
    before = alice.get(READ).json()
    settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT
    response = alice.post(SAVE, NEW)
    assert (response.status_code, response.json()["code"]) == (503, "billing_unavailable")
    assert "Retry-After" in response
    assert alice.get(READ).json() == before


def test_a_retried_save_succeeds_after_an_unknown_outcome(
    alice: Browser, shop: SyncedProvider, faulty_proxy: FaultyProxy
) -> None:
    before = alice.get(READ).json()
    faulty_proxy.lose_write(1)
    headers = {"Idempotency-Key": "one"}
    unconfirmed = alice.post(SAVE, NEW, headers=headers)
    assert (unconfirmed.status_code, unconfirmed.json()["code"]) == (503, "billing_unconfirmed")
    assert alice.get(READ).json() == before
    retried = alice.post(SAVE, NEW, headers=headers)
    assert (retried.status_code, retried.json()["firstName"]) == (200, "Alicia")
    assert provider_names(shop) == ("Alicia", "Stone")
    assert shop.count_events("customer_changed") == 1


def test_a_name_without_a_provider_customer_is_saved_locally(no_provider: None) -> None:
    account = open_account("bob")
    Customer.objects.update(deleted=True)
    assert Browser(account).post(SAVE, NEW).json()["firstName"] == "Alicia"
