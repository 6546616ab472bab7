"""Several customers with one address: each is shown, and the session can continue in it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from accounts.models import Account
from accounts.tests.sign_in.sign_in_client import SignInClient
from billing import clock
from billing.health import checks
from billing.health.checks import HealthCheck
from billing.jobs import schedule
from billing.models import Customer, JobRun
from billing.tests.support.live_provider import FAITH, GOSPEL, KIDS, Provider

pytestmark = pytest.mark.django_db(transaction=True)

OTHERS, SWITCH = "/api/account/others", "/api/account/others/switch"
SESSIONS = "/api/account/sessions"


def subscribe_customer(provider: Provider, customer: str, address: str, plan: str) -> None:
    """Create a customer with a card and a subscription, an hour before what comes next."""
    provider.sdk.Customer.create({"id": customer, "email": address, "first_name": customer})
    provider.add_card(customer, "4111111111111111")
    provider.subscribe(customer, plan)
    provider.travel(hours=1)


@pytest.fixture
def twice(provider: Provider) -> SignInClient:
    """Ella has two customers, each with a subscription, and has signed in: to the newer one."""
    subscribe_customer(provider, "ella", "ella@example.com", FAITH)
    subscribe_customer(provider, "ella-2", "Ella@example.com", GOSPEL)
    browser = SignInClient()
    browser.sign_in("Ella@example.com")
    return browser


def names(browser: SignInClient) -> list[str]:
    return [plan["name"] for plan in browser.api.get("/api/account").json()["plans"]]


def switch(browser: SignInClient, customer_id: str) -> Any:
    return browser.api.post(SWITCH, {"customerId": customer_id}, format="json")


def count_addresses(*, hours: int = 0) -> None:
    """Run the hourly count for the slot that is so many hours later."""
    slot = schedule.newest_hour(clock.billing_now() + timedelta(hours=hours))
    assert schedule.run_job("addresses", slot, now=slot) is not None


def read_check() -> HealthCheck:
    """Return the row of system health."""
    (check,) = [
        check for check in checks.run_health_checks(now=clock.billing_now()) if check.name == "addresses_shared"
    ]
    return check


@pytest.mark.shows("rule-13", "rule-18", "api-60")
def test_what_every_customer_of_the_address_pays_for_is_shown(twice: SignInClient) -> None:
    assert names(twice) == ["Gospel TV"]
    (other,) = twice.api.get(OTHERS).json()
    assert other["id"] == "ella"
    (plan,) = other["plans"]
    shown = ("name", "amount", "currencyCode", "period", "periodUnit", "status")
    assert [plan[name] for name in shown] == ["Faith & Family", 699, "USD", 1, "month", "ACTIVE"]


@pytest.mark.shows("rule-18", "api-61")
def test_the_session_continues_in_the_other_customer_where_its_plans_can_be_ended(
    twice: SignInClient, provider: Provider
) -> None:
    assert switch(twice, "ella").status_code == 204

    assert names(twice) == ["Faith & Family"]
    assert [other["id"] for other in twice.api.get(OTHERS).json()] == ["ella-2"]
    assert twice.api.post("/api/account/cancel", {}, format="json").status_code == 200
    assert provider.subscription(Account.objects.get(customer__provider_id="ella"), FAITH).status == "non_renewing"
    assert provider.subscription(Account.objects.get(customer__provider_id="ella-2"), GOSPEL).status == "active"


@pytest.mark.shows("rule-18", "api-16")
def test_a_pause_of_everything_shown_before_the_switch_pauses_nothing_of_the_other_customer(
    twice: SignInClient, provider: Provider
) -> None:
    shown = twice.api.get("/api/account").json()["plans"][0]["subId"]
    switch(twice, "ella")

    response = twice.api.post(f"/api/account/pause?days=30&subscriptionId={shown}")

    assert (response.status_code, response.json()["code"]) == (404, "not_found")
    (subscription,) = provider.raw_subscriptions("ella").values()
    assert "pause_date" not in subscription


@pytest.fixture
def parked(twice: SignInClient) -> SignInClient:
    """A browser that somebody took from Ella, whose session was continued in her other customer."""
    assert switch(twice, "ella").status_code == 204
    return twice


@pytest.mark.shows("security-17", "api-36", "api-37")
def test_signing_out_everywhere_else_ends_a_session_in_the_other_customer(parked: SignInClient) -> None:
    owner = SignInClient(APIClient(REMOTE_ADDR="198.51.100.9"))
    owner.sign_in("ella@example.com")
    assert names(owner) == ["Gospel TV"]
    assert sorted(session["current"] for session in owner.api.get(SESSIONS).json()) == [False, True]
    assert owner.api.post(f"{SESSIONS}/revoke-others").status_code == 200
    assert [browser.api.get(SESSIONS).status_code for browser in (owner, parked)] == [200, 401]


@pytest.mark.shows("security-17")
def test_an_operator_who_signs_a_customer_out_ends_a_session_in_the_other_one(
    parked: SignInClient, admin_client: Client
) -> None:
    account = Account.objects.get(customer__provider_id="ella-2")
    desk = admin_client.get(reverse("admin:accounts_account_change", args=[account.pk])).content.decode()
    assert "Not signed in anywhere" not in desk
    address = reverse("admin:accounts_account_act", args=[account.pk, "sign-out-everywhere"])
    page = admin_client.post(address, {"reason": "Lost phone"}, follow=True).content.decode()
    assert "Sessions ended: 1." in page
    assert switch(parked, "ella-2").status_code == 401


@pytest.mark.shows("rule-13")
def test_customers_of_two_business_entities_are_shown_alike_and_stay_in_theirs(provider: Provider) -> None:
    subscribe_customer(provider, "ella", "ella@example.com", FAITH)
    provider.sandbox.configure_site(business_entity="family")
    subscribe_customer(provider, "ella-2", "ella@example.com", GOSPEL)
    browser = SignInClient()
    browser.sign_in("ella@example.com")
    assert (names(browser), [other["id"] for other in browser.api.get(OTHERS).json()]) == (["Gospel TV"], ["ella"])
    services = {"planIds": [GOSPEL, KIDS]}
    quote = browser.api.post("/api/account/add-remove-service/estimate", services, format="json").json()["quote"]
    added = browser.api.post("/api/account/add-remove-service", {**services, "quote": quote}, format="json")
    assert added.status_code == 200
    account = Account.objects.get(customer__provider_id="ella-2")
    assert provider.subscription(account, KIDS).business_entity_id == "family"


@pytest.mark.shows("api-61", "request-7")
def test_a_customer_of_another_address_is_not_found(twice: SignInClient, provider: Provider) -> None:
    provider.subscriber("bob", FAITH)

    assert [switch(twice, customer_id).status_code for customer_id in ("bob", "nobody")] == [404, 404]
    assert names(twice) == ["Gospel TV"]


@pytest.mark.shows("rule-18", "api-61")
def test_a_customer_whose_address_has_changed_is_not_found_any_more(twice: SignInClient, provider: Provider) -> None:
    switch(twice, "ella")
    switch(twice, "ella-2")
    Customer.objects.filter(provider_id="ella").update(email="new@example.com")

    assert switch(twice, "ella").status_code == 404


def test_the_list_costs_a_constant_number_of_queries(
    twice: SignInClient, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(5):
        twice.api.get(OTHERS)


@pytest.mark.shows("rule-13", "rule-18")
def test_operators_see_the_address_in_system_health(twice: SignInClient) -> None:
    assert read_check().found == "Not looked for yet"
    count_addresses()
    check = read_check()
    assert check.found.startswith("1 address, 1 with several paying customers, looked for ")
    assert (check.number, check.needs_somebody) == (1, True)
    assert "merge the customers" in check.todo

    Customer.objects.filter(provider_id="ella-2").update(deleted=True)
    count_addresses(hours=1)
    check = read_check()
    assert check.found.startswith("none, looked for ")
    assert not check.needs_somebody


def listed_customers(operator: Client) -> list[str]:
    """Return the customers of the list that system health links to."""
    check = read_check()
    page = operator.get(f"{reverse(f'admin:{check.admin_list}_changelist')}?{check.admin_filter}")
    return sorted(customer.provider_id for customer in page.context["cl"].result_list)


def test_the_list_of_customers_with_a_shared_address_agrees_with_system_health(
    twice: SignInClient, provider: Provider, admin_client: Client
) -> None:
    subscribe_customer(provider, "finn", "finn@example.com", FAITH)
    count_addresses()
    assert (read_check().number, listed_customers(admin_client)) == (1, ["ella", "ella-2"])

    provider.sdk.Customer.update("ella-2", {"email": "other@example.com"})
    browser = SignInClient()
    browser.sign_in("other@example.com")
    assert (read_check().number, listed_customers(admin_client)) == (0, [])


def test_a_count_that_is_repeated_after_a_kill_counts_once(twice: SignInClient) -> None:
    count_addresses()
    JobRun.objects.filter(job="addresses").update(finished_at=None, next_attempt_at=JobRun.objects.get().started_at)
    count_addresses()
    assert JobRun.objects.get(job="addresses").counts == {"shared": 1, "paying": 1}
