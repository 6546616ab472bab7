"""Support corrects an email address: at the provider, here, and told to both addresses."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry

from accounts.models import Account, AccountEvent, OutgoingMail, SessionToken
from billing.models import Command, Customer
from billing.tests.admin.act_page import REASON, ActPage
from billing.tests.api.browser import Browser
from billing.tests.api.synced_provider import SyncedProvider
from billing.tests.support.faulty_proxy import FaultyProxy
from billing.tests.support.invariants import expire_leases
from billing.tests.support.live_provider import Provider

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop(provider: Provider) -> SyncedProvider:
    return SyncedProvider(provider)


@pytest.fixture
def ava(shop: SyncedProvider) -> Account:
    return shop.customer("ava")


@pytest.fixture
def page(ava: Account) -> ActPage:
    return ActPage(ava)


def provider_address(shop: SyncedProvider) -> str:
    return str(shop.client.Customer.retrieve("ava").customer.email)


@pytest.mark.shows("rule-18")
def test_support_corrects_an_address(shop: SyncedProvider, ava: Account, page: ActPage) -> None:
    Browser(ava)
    question = page.ask("correct-address", address="Ava.New@example.com")
    assert "ava@example.com no longer signs in to this account; ava.new@example.com does." in question.content.decode()
    assert "The email address was corrected." in page.confirm(question)

    ava.refresh_from_db()
    assert (provider_address(shop), ava.email) == ("ava.new@example.com", "ava.new@example.com")
    assert not SessionToken.objects.filter(user=ava.user).exists()
    told = OutgoingMail.objects.order_by("pk").values_list("to", "context__title")
    assert [(to, title) for to, title in told] == [
        ("ava@example.com", "This email address no longer signs in to your account"),
        ("ava.new@example.com", "Your email address was changed"),
    ]
    event = AccountEvent.objects.get(kind="address_changed")
    assert (event.actor, event.reason) == ("support:sam", REASON)
    assert f"Reason: {REASON}" in LogEntry.objects.get().change_message
    assert "The email address was corrected." in page.confirm(question)
    assert OutgoingMail.objects.count() == 2


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("ava@example.com", "no_change"),
        ("AVA@example.com", "no_change"),
        ("ava", "Enter a valid"),
        ("eva@exämple.com", "Enter a valid"),
    ],
)
def test_an_address_that_changes_nothing_or_is_none_is_refused(
    shop: SyncedProvider, page: ActPage, address: str, words: str
) -> None:
    assert words in page.ask("correct-address", address=address).content.decode()
    assert (provider_address(shop), Command.objects.count()) == ("ava@example.com", 0)


@pytest.mark.shows("error-42")
def test_an_address_that_the_provider_refuses_changes_nothing(
    shop: SyncedProvider, ava: Account, page: ActPage
) -> None:
    question = page.ask("correct-address", address="ava.new@example.com")
    shop.provider.sandbox.order_fault(kind="error", method="POST", path="/customers/ava", status=400)
    assert "accept this address. Nothing was changed. (address_refused)" in page.confirm(question)
    ava.refresh_from_db()
    assert (provider_address(shop), ava.email) == ("ava@example.com", "ava@example.com")
    assert not OutgoingMail.objects.exists()


def test_it_says_that_another_customer_has_the_address(shop: SyncedProvider, page: ActPage) -> None:
    shop.customer("bob")
    question = page.ask("correct-address", address="bob@example.com")
    assert "Another customer has this address, too." in question.content.decode()


def test_a_lost_answer_is_found_by_the_same_confirmation(
    shop: SyncedProvider, faulty_proxy: FaultyProxy, page: ActPage
) -> None:
    question = page.ask("correct-address", address="ava.new@example.com")
    faulty_proxy.lose_write(1)
    assert "Chargebee hasn't confirmed this yet." in page.confirm(question)
    faulty_proxy.restore()
    expire_leases()
    assert "The email address was corrected." in page.confirm(question)
    assert Customer.objects.get().email == provider_address(shop) == "ava.new@example.com"
    assert OutgoingMail.objects.count() == 2
