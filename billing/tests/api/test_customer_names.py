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
    """Alice, whom the provider knows."""
    return Browser(shop.customer("alice"))


def provider_names(shop: SyncedProvider) -> tuple[Any, Any]:
    """What the provider calls her."""
    held = shop.client.Customer.retrieve("alice").customer.raw_data
    return held.get("first_name"), held.get("last_name")


@pytest.mark.shows("api-7")
def test_names_are_the_providers_the_mirrors_and_the_account_homes(alice: Browser, shop: SyncedProvider) -> None:
    answer = alice.post(SAVE, {**NEW, "email": "eve@example.com", "customerId": "bob"})
    assert (answer.status_code, answer.json()) == (200, {**NEW, "email": "alice@example.com"})
    assert provider_names(shop) == ("Alicia", "Stone")
    assert Customer.objects.get().payload["first_name"] == "Alicia"
    assert alice.get("/api/account").json()["name"] == "Alicia Stone"


def test_a_birthday_alone_is_none_of_the_providers_business(alice: Browser, shop: SyncedProvider) -> None:
    alice.post(SAVE, NEW)
    changes = shop.count_events("customer_changed")
    assert alice.post(SAVE, {**NEW, "bday": 5}).json()["bday"] == 5
    assert shop.count_events("customer_changed") == changes


def test_names_go_back_and_forth(alice: Browser, shop: SyncedProvider) -> None:
    for first_name in ("Alicia", "Alice", "Alicia"):
        assert alice.post(SAVE, {**NEW, "firstName": first_name}).status_code == 200
    assert provider_names(shop) == ("Alicia", "Stone")


def test_an_unreachable_provider_refuses_the_save_whole(alice: Browser, settings: Settings) -> None:
    before = alice.get(READ).json()
    settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT
    answer = alice.post(SAVE, NEW)
    assert (answer.status_code, answer.json()["code"]) == (503, "billing_unavailable")
    assert "Retry-After" in answer
    assert alice.get(READ).json() == before


def test_the_same_form_ends_alike_after_an_unknown_outcome(
    alice: Browser, shop: SyncedProvider, faulty_proxy: FaultyProxy
) -> None:
    before = alice.get(READ).json()
    faulty_proxy.lose_write(1)
    headers = {"Idempotency-Key": "one"}
    lost = alice.post(SAVE, NEW, headers=headers)
    assert (lost.status_code, lost.json()["code"]) == (503, "billing_unconfirmed")
    assert alice.get(READ).json() == before
    again = alice.post(SAVE, NEW, headers=headers)
    assert (again.status_code, again.json()["firstName"]) == (200, "Alicia")
    assert provider_names(shop) == ("Alicia", "Stone")
    assert shop.count_events("customer_changed") == 1


def test_a_subscriber_whom_the_provider_does_not_know_is_renamed_here(no_provider: None) -> None:
    account = open_account("bob")
    Customer.objects.update(deleted=True)
    assert Browser(account).post(SAVE, NEW).json()["firstName"] == "Alicia"
