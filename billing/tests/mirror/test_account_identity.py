"""An account is whose the provider says: changed, swapped, shared and mixed-case addresses, deletions and merges."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO

import pytest
from django.core import mail
from django.core.management import call_command
from rest_framework.test import APIClient

from accounts.mail import queue
from accounts.models import Account, LoginChallenge, OutgoingMail, SessionToken
from accounts.tests.sign_in.sign_in_client import CODE_PATTERN, SignInClient, send_due_mail
from billing import clock
from billing.mirror import reconcile
from billing.models import Customer
from billing.tests.support.faulty_proxy import FaultyProxy
from billing.tests.support.invariants import reconcile_output
from billing.tests.support.live_provider import FAITH, GOSPEL, Provider
from billing.tests.support.webhook_delivery import WebhookDelivery
from core.models import LimitCounter

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def delivery(provider: Provider) -> WebhookDelivery:
    return WebhookDelivery(provider)


def deliver_webhooks(provider: Provider) -> None:
    delivery = WebhookDelivery(provider)
    delivery.collect_new()
    delivery.deliver_all()


def pass_night(_: Provider) -> None:
    reconcile.repair_mirror(now=clock.billing_now())


def change_address(provider: Provider, customer: str, address: str) -> None:
    provider.sdk.Customer.update(customer, {"email": address})


def signed_in(address: str) -> SignInClient:
    LimitCounter.objects.all().delete()
    browser = SignInClient()
    browser.sign_in(address)
    return browser


def gets_code(address: str) -> bool:
    LimitCounter.objects.all().delete()
    SignInClient().request_code(address)
    mail.outbox.clear()
    send_due_mail()
    return [address.lower()] in [message.to for message in mail.outbox if CODE_PATTERN.search(str(message.body))]


def plan_ids(browser: SignInClient) -> list[str]:
    return [plan["id"] for plan in browser.api.get("/api/account").json()["plans"]]


@pytest.mark.shows("rule-18")
@pytest.mark.parametrize("learn", [deliver_webhooks, pass_night])
def test_an_account_follows_an_address_that_customer_service_changed(
    provider: Provider, learn: Callable[[Provider], None]
) -> None:
    account = provider.subscriber("ella", FAITH)
    browser = signed_in("ella@example.com")
    LimitCounter.objects.all().delete()
    SignInClient().request_code("ella@example.com")
    send_due_mail()
    change_address(provider, "ella", "new@example.com")

    learn(provider)
    mail.outbox.clear()
    send_due_mail()

    assert browser.api.get("/api/account").status_code == 401
    account.refresh_from_db()
    assert account.email == "new@example.com"
    told = {message.to[0]: str(message.body) for message in mail.outbox}
    assert set(told) == {"ella@example.com", "new@example.com"}
    assert "new@example.com" not in told["ella@example.com"]
    assert "Ella" not in told["ella@example.com"]
    assert not LoginChallenge.objects.filter(used_at=None, lapsed_at=None).exists()
    assert account.events.filter(kind="address_changed", actor="system").count() == 1
    assert plan_ids(signed_in("new@example.com")) == [FAITH]
    assert reconcile_output() == ""


@pytest.mark.shows("rule-18")
def test_whoever_owns_the_previous_mailbox_sees_only_their_own_customer(provider: Provider) -> None:
    ella = provider.subscriber("ella", FAITH)
    signed_in("ella@example.com")
    change_address(provider, "ella", "new@example.com")
    provider.sdk.Customer.create({"id": "other", "email": "ella@example.com", "first_name": "Other"})
    provider.subscribe("other", GOSPEL, auto_collection="off")

    # No webhook and no night has passed.
    browser = signed_in("ella@example.com")

    answer = browser.api.get("/api/account").json()
    assert answer["name"] == "Other"
    assert plan_ids(browser) == ["gospel-tv-plan"]
    ella.refresh_from_db()
    assert ella.email == "new@example.com"


@pytest.mark.shows("rule-18")
def test_an_address_that_the_provider_gave_to_nobody_gets_no_code(provider: Provider) -> None:
    provider.subscriber("ella", FAITH)
    change_address(provider, "ella", "new@example.com")

    assert not gets_code("ella@example.com")
    assert gets_code("new@example.com")


@pytest.mark.shows("rule-18")
def test_a_code_for_the_previous_address_signs_nobody_in(provider: Provider) -> None:
    provider.subscriber("ella", FAITH)
    browser = SignInClient()
    challenge = browser.request_code("ella@example.com").json()["challengeId"]
    code = browser.read_code()
    change_address(provider, "ella", "new@example.com")
    deliver_webhooks(provider)

    answer = browser.submit_code(code, "ella@example.com", challengeId=challenge)

    assert answer.status_code == 400
    assert not SessionToken.objects.exists()


@pytest.mark.shows("rule-18")
def test_mail_that_waits_goes_to_the_new_address(provider: Provider) -> None:
    account = provider.subscriber("ella", FAITH)
    queue.queue_mail(kind="receipt", to=account.email, account=account, context={"title": "Your receipt"})
    change_address(provider, "ella", "new@example.com")
    deliver_webhooks(provider)

    mail.outbox.clear()
    send_due_mail()

    receipts = [message.to for message in mail.outbox if message.subject == "Your receipt"]
    assert receipts == [["new@example.com"]]


@pytest.mark.shows("rule-18")
@pytest.mark.parametrize("first_heard", ["ava", "ben"])
@pytest.mark.parametrize("learn_rest", [deliver_webhooks, pass_night])
def test_swapped_addresses_come_out_right_in_any_order(
    provider: Provider, delivery: WebhookDelivery, first_heard: str, learn_rest: Callable[[Provider], None]
) -> None:
    accounts = {name: provider.subscriber(name, FAITH) for name in ("ava", "ben")}
    delivery.collect_new()
    delivery.deliver_all()
    change_address(provider, "ava", "between@example.com")
    change_address(provider, "ben", "ava@example.com")
    change_address(provider, "ava", "ben@example.com")
    events = delivery.collect_new()
    delivery.under_way = [event for event in events if event["content"]["customer"]["id"] == first_heard]
    delivery.deliver_all()

    learn_rest(provider)

    for account in accounts.values():
        account.refresh_from_db()
    assert (accounts["ava"].email, accounts["ben"].email) == ("ben@example.com", "ava@example.com")
    for name, address in (("ava", "ben@example.com"), ("ben", "ava@example.com")):
        browser = signed_in(address)
        assert browser.api.get("/api/account").json()["name"] == f"{name.title()} Tester"
    assert reconcile_output() == ""


@pytest.mark.shows("rule-18")
def test_an_account_whose_customer_lost_its_address_signs_nobody_in_and_gets_no_mail(provider: Provider) -> None:
    account = provider.subscriber("ella", FAITH)
    browser = signed_in("ella@example.com")
    change_address(provider, "ella", "")
    deliver_webhooks(provider)
    account.refresh_from_db()
    queue.queue_mail(kind="receipt", to=account.email, account=account, context={"title": "Your receipt"})
    mail.outbox.clear()
    send_due_mail()

    assert browser.api.get("/api/account").status_code == 401
    assert account.email == ""
    assert [message.to for message in mail.outbox] == [["ella@example.com"]]
    assert OutgoingMail.objects.filter(state=OutgoingMail.State.PENDING).count() == 0


@pytest.mark.shows("rule-13")
@pytest.mark.parametrize("stored", ["Mixed.Case@Example.com", "mixed.case@example.com"])
@pytest.mark.parametrize("typed", ["Mixed.Case@Example.com", "mixed.case@example.com"])
def test_a_mixed_case_address_gets_its_code(provider: Provider, stored: str, typed: str) -> None:
    provider.sdk.Customer.create({"id": "mixed", "email": stored})
    if stored != typed:
        # The lower-case spelling of an address with capitals is found once the mirror knows the customer.
        signed_in(stored)

    assert gets_code(typed)


@pytest.mark.shows("rule-13", "rule-18")
@pytest.mark.parametrize("learn", [deliver_webhooks, pass_night])
def test_a_second_customer_with_the_address_of_an_account_is_noticed(
    provider: Provider, learn: Callable[[Provider], None]
) -> None:
    provider.subscriber("hugo")
    browser = signed_in("hugo@example.com")
    provider.travel(hours=1)
    provider.sdk.Customer.create({"id": "again", "email": "Hugo@example.com"})
    provider.add_card("again", "4111111111111111")
    provider.subscribe("again", GOSPEL)
    assert "customer again: missing" in reconcile_output()

    learn(provider)

    assert Customer.objects.get(provider_id="again").subscriptions.count() == 1
    assert plan_ids(browser) == ["gospel-tv-plan"]
    assert reconcile_output() == ""


@pytest.mark.shows("rule-13", "rule-18")
def test_a_customer_without_an_account_at_its_address_stays_unknown(provider: Provider) -> None:
    provider.subscriber("hugo")
    provider.sdk.Customer.create({"id": "stranger", "email": "stranger@example.com"})

    deliver_webhooks(provider)

    assert not Customer.objects.filter(provider_id="stranger").exists()


@pytest.mark.shows("rule-18")
@pytest.mark.parametrize("learn", [deliver_webhooks, pass_night])
def test_a_customer_deleted_at_the_provider_is_signed_out_for_good(
    provider: Provider, learn: Callable[[Provider], None]
) -> None:
    provider.subscriber("ella", FAITH)
    browser = signed_in("ella@example.com")
    provider.sdk.Customer.delete("ella", {})

    learn(provider)

    assert browser.api.get("/api/account").status_code == 401
    assert not gets_code("ella@example.com")
    assert reconcile_output() == ""


@pytest.mark.shows("rule-18")
def test_no_open_code_signs_in_to_a_deleted_customer(provider: Provider) -> None:
    provider.subscriber("ella", FAITH)
    strangers = [SignInClient(APIClient(REMOTE_ADDR=f"198.51.100.{number}")) for number in range(8)]
    challenges = [stranger.request_code("ella@example.com").json()["challengeId"] for stranger in strangers]
    # The last one shares the code that was mailed last.
    code = strangers[-1].read_code()
    assert LoginChallenge.objects.get(pk=challenges[-1]).shares_code_of is not None
    provider.sdk.Customer.delete("ella", {})
    deliver_webhooks(provider)

    answers = [
        stranger.submit_code(code, "ella@example.com", challengeId=challenge)
        for stranger, challenge in zip(strangers, challenges, strict=True)
    ]

    assert {answer.status_code for answer in answers} == {400}
    assert not SessionToken.objects.exists()


@pytest.mark.shows("rule-18")
def test_a_deleted_customer_gets_no_code_before_the_portal_has_heard_of_it(provider: Provider) -> None:
    provider.subscriber("ella", FAITH)
    provider.sdk.Customer.delete("ella", {})

    assert not gets_code("ella@example.com")
    assert Customer.objects.get().deleted


NAMES = {"firstName": "Ada", "lastName": "Stone", "bmonth": 0, "bday": 0}


@pytest.mark.shows("rule-18", "error-35")
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("post", "cancel", {}),
        ("get", "upgrade/estimate", {}),
        ("post", "pause?days=30", {}),
        ("post", "profile/update", NAMES),
    ],
)
def test_what_is_tried_with_a_deleted_customer_is_refused_finally(
    provider: Provider, method: str, path: str, body: dict[str, object]
) -> None:
    provider.subscriber("ella", FAITH)
    browser = signed_in("ella@example.com")
    provider.sdk.Customer.delete("ella", {})

    answer = getattr(browser.api, method)(f"/api/account/{path}", body, format="json")

    assert (answer.status_code, answer.json()["code"]) == (409, "no_longer_exists")
    assert "no longer exists" in answer.json()["message"]
    assert "Retry-After" not in answer.headers


@pytest.mark.shows("rule-18")
def test_a_change_that_finds_the_customer_deleted_ends_the_sessions(provider: Provider) -> None:
    provider.subscriber("ella", FAITH)
    browser = signed_in("ella@example.com")
    provider.sdk.Customer.delete("ella", {})

    browser.api.post("/api/account/cancel", {})

    assert browser.api.get("/api/account").status_code == 401


@pytest.mark.shows("rule-18")
def test_after_a_merge_the_address_signs_in_to_the_customer_that_is_left(provider: Provider) -> None:
    provider.subscriber("ella", FAITH)
    provider.sdk.Customer.create({"id": "kept", "email": "ella@example.com"})
    provider.sdk.Customer.merge({"from_customer_id": "ella", "to_customer_id": "kept"})
    deliver_webhooks(provider)
    call_command("reconcile", stdout=StringIO())

    browser = signed_in("ella@example.com")

    assert plan_ids(browser) == [FAITH]
    assert Account.objects.get(user__auth_token_set__isnull=False).customer.provider_id == "kept"
    assert reconcile_output() == ""


@pytest.mark.shows("reliability-1")
def test_a_known_address_gets_its_code_while_the_provider_is_down(
    provider: Provider, faulty_proxy: FaultyProxy
) -> None:
    provider.subscriber("ella", FAITH)
    faulty_proxy.close()

    assert gets_code("ella@example.com")


@pytest.mark.shows("rule-18")
def test_the_check_reports_an_account_with_another_address_and_the_night_repairs_it(provider: Provider) -> None:
    account = provider.subscriber("ella", FAITH)
    Account.objects.filter(pk=account.pk).update(email="wrong@example.com")
    assert "customer ella: its account has another email address" in reconcile_output()

    pass_night(provider)

    account.refresh_from_db()
    assert account.email == "ella@example.com"
    assert reconcile_output() == ""
