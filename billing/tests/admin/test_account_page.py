"""The account page: its sections by permission, and the actions of support."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import Settings

from accounts.mail.queue import queue_mail
from accounts.models import Account, AccountEvent, LoginChallenge, SessionToken, SignInEvent, User
from accounts.profile import events
from billing.mirror import webhook_processing
from billing.models import (
    CancellationFeedback,
    Command,
    Invoice,
    PauseSchedule,
    Subscription,
    WebhookEvent,
)
from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import (
    NOW,
    apply_catalog,
    apply_resources,
    make_invoice,
    make_resource,
    make_subscription,
    open_account,
    timestamp_at,
)
from billing.tests.api.synced_provider import DECLINING_CARD, UNREACHABLE_ENDPOINT, SyncedProvider
from billing.tests.support.live_provider import FAITH, Provider

pytestmark = pytest.mark.django_db

SECTIONS = [
    "Subscriptions",
    "Pauses",
    "Invoices",
    "Payment methods",
    "Commands",
    "Webhooks",
    "Emails",
    "Feedback",
    "Activity",
    "Sessions",
    "Sign-ins",
    "Whole lists",
]
PLANTED = "<img src=x onerror=alert(1)>"


def operator_client(group: str, name: str = "sam") -> Client:
    """Return a client signed in as an operator of a group."""
    user = User.objects.create_user(name, password="correct horse battery staple", is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    browser = Client()
    browser.force_login(user)
    return browser


@pytest.fixture
def support(db: None) -> Client:
    return operator_client("support")


@pytest.fixture
def alice() -> Account:
    """Return Alice with a row for every section of her page, and a script in every typed text."""
    apply_catalog()
    card = {"brand": "visa", "masked_number": "************1111", "expiry_month": 3, "expiry_year": 2031}
    account = open_account(
        "alice",
        make_resource("payment_source", "pm_1", customer_id="alice", type="card", status="valid", card=card),
        make_subscription("sub_1", status="paused", pause_date=timestamp_at(-2), next_billing_at=None),
        make_invoice("INV-17", amount_due=699, status="payment_due", dunning_status=PLANTED),
    )
    Account.objects.filter(pk=account.pk).update(first_name=PLANTED, last_name=PLANTED, birth_month=2, birth_day=29)
    PauseSchedule.objects.create(
        subscription=Subscription.objects.get(),
        state="paused",
        pause_date=NOW - timedelta(days=2),
        resume_date=NOW + timedelta(days=28),
        created_at=NOW,
    )
    Command.objects.create(account=account, key="key-1", kind="pause", actor=f"support:{PLANTED}", steps=[])
    WebhookEvent.objects.create(
        event_id="ev_1",
        event_type="subscription_paused",
        occurred_at=NOW,
        source="webhook",
        payload={"names": {"customer": ["alice"]}},
        owner="alice",
        error=PLANTED,
    )
    queue_mail(kind="receipt", to=account.email, account=account, context={"title": PLANTED})
    CancellationFeedback.objects.create(
        account=account,
        at=NOW,
        key="key-2",
        services=[PLANTED],
        reason="Too expensive",
        actor="you",
        outcome="cancelled",
    )
    events.record_event(account, kind="paused", text=PLANTED, actor="support:olga", at=NOW)
    SessionToken.objects.create(user=account.user, agent=PLANTED)
    SignInEvent.objects.create(kind="ok", email=account.email, account=account, agent=PLANTED, network="10.0.0.7")
    return account


def account_url(account: Account) -> str:
    return reverse("admin:accounts_account_change", args=[account.pk])


def read_account_page(browser: Client, account: Account) -> str:
    return browser.get(account_url(account)).content.decode()


def test_it_tells_the_whole_story(support: Client, alice: Account) -> None:
    story = read_account_page(support, alice)
    headings = re.findall(r'<h2 id="\S+-heading">([^<]+)</h2>', story)
    assert [heading for heading in headings if heading in SECTIONS] == SECTIONS
    for words in (
        "February 29",
        "Faith &amp; Family",
        "paused since 2026-03-08 12:00 UTC",
        "INV-17",
        "$6.99",
        "visa ************1111",
        "03/2031",
        "subscription paused",
        "Too expensive",
        "support:olga",
        "10.0.0.7",
    ):
        assert words in story


def test_whatever_was_typed_is_text(support: Client, alice: Account) -> None:
    story = read_account_page(support, alice)
    assert PLANTED not in story
    assert story.count("&lt;img src=x onerror=alert(1)&gt;") >= 8


@pytest.mark.shows("security-40")
def test_neither_codes_nor_tokens_are_in_it(support: Client, alice: Account) -> None:
    LoginChallenge.objects.create(email=alice.email, code_hash="md5$salt$hash", expires_at=NOW)
    queue_mail(kind="login_code", to=alice.email, account=alice, context={"agent": "Firefox"})
    story = read_account_page(support, alice)
    session = SessionToken.objects.get()
    assert "login_code" in story
    for secret in (session.digest, session.token_key, "md5$salt$hash"):
        assert secret not in story


def test_finance_sees_the_money_and_nothing_personal(alice: Account) -> None:
    story = read_account_page(operator_client("finance"), alice)
    headings = re.findall(r'<h2 id="\S+-heading">([^<]+)</h2>', story)
    assert headings == ["Subscriptions", "Invoices", "Payment methods", "Whole lists"]
    assert "Resume now" not in story
    assert "10.0.0.7" not in story


def test_every_link_on_it_opens(support: Client, alice: Account) -> None:
    content = read_account_page(support, alice)
    links = set(re.findall(r'href="(/admin/[^"]+)"', content[content.index('<div id="content"') :]))
    assert len(links) > 20
    answers = {link: support.get(link.replace("&amp;", "&")).status_code for link in links}
    assert {link: status for link, status in answers.items() if status != 200} == {
        link: 302 for link in links if "resume" in link
    }


def test_it_costs_the_same_for_a_long_story_as_for_a_short_one(
    support: Client, alice: Account, django_assert_max_num_queries: Any
) -> None:
    read_account_page(support, alice)
    with CaptureQueriesContext(connection) as short:
        read_account_page(support, alice)
    for number in range(30):
        events.record_event(alice, kind="paused", text=f"Event {number}", actor="you", at=NOW)
        Command.objects.create(account=alice, key=f"k{number}", kind="pause", actor="you", steps=[], state="succeeded")
        Invoice.objects.create(
            provider_id=f"INV-2{number}", customer=alice.customer, issued_at=NOW, status="paid", synced_at=NOW
        )
    with django_assert_max_num_queries(len(short)):
        story = read_account_page(support, alice)
    assert len(short) <= 30
    assert story.count("Event ") == 10
    assert f"/admin/accounts/accountevent/?account__id__exact={alice.pk}" in story


def test_a_customers_id_may_hold_any_character(support: Client) -> None:
    account = open_account("a&b+c", make_subscription("sub_1", customer_id="a&b+c"))
    for number in range(11):
        WebhookEvent.objects.create(
            event_id=f"ev-{number}", event_type="invoice_updated", occurred_at=NOW, payload={}, owner="a&b+c"
        )
    rest = re.search(r'href="(/admin/billing/webhookevent/\?owner[^"]+)"', read_account_page(support, account))
    assert rest is not None
    assert support.get(unescape(rest[1])).context["cl"].result_count == 11


def test_it_leads_to_the_rest_of_a_long_story(support: Client, alice: Account) -> None:
    bob = open_account("bob", make_invoice("BOB-1", owner="bob"))
    for number in range(12):
        term = timestamp_at(-100 - number)
        apply_resources(
            make_subscription(f"old_{number}", status="cancelled", created_at=term, cancelled_at=term),
            make_invoice(f"INV-{number}", days=-number),
            make_resource("payment_source", f"pm_{number + 2}", customer_id="alice", type="paypal_express_checkout"),
        )
        PauseSchedule.objects.create(
            subscription=Subscription.objects.get(provider_id=f"old_{number}"),
            state="resumed",
            pause_date=NOW - timedelta(days=60),
            resume_date=NOW - timedelta(days=30),
            created_at=NOW,
        )
        WebhookEvent.objects.create(
            event_id=f"ev-{number}", event_type="invoice_updated", occurred_at=NOW, payload={}, owner="alice"
        )
    lists = re.findall(r'<p class="story-rest"><a href="([^"]+)">', read_account_page(support, alice))
    assert [link.split("?")[0].split("/")[3] for link in lists] == [
        "subscription",
        "pauseschedule",
        "invoice",
        "paymentsource",
        "webhookevent",
    ]
    for link in lists:
        listing = support.get(link)
        assert listing.status_code == 200
        assert listing.context["cl"].result_count in (13, 14)
        assert str(bob) not in listing.content.decode()


def test_an_event_about_an_invoice_alone_finds_its_way_to_the_page(provider: Provider, support: Client) -> None:
    bob = provider.subscriber("bob", FAITH)
    number = provider.invoices(bob)[0].id
    event = WebhookEvent.objects.create(
        event_id="ev_9",
        event_type="invoice_updated",
        occurred_at=NOW,
        source="webhook",
        payload={"names": {"invoice": [number]}},
        next_attempt_at=NOW,
    )
    webhook_processing.process_event(event.pk)
    assert "invoice updated" in read_account_page(support, bob)


@pytest.fixture
def shop(provider: Provider) -> SyncedProvider:
    """The live provider, where Alice has a subscription with a scheduled pause."""
    shop = SyncedProvider(provider)
    browser = Browser(shop.customer("alice"))
    shop.subscribe("alice", FAITH)
    browser.post("/api/account/pause?days=30")
    return shop


@pytest.fixture
def paused(shop: SyncedProvider) -> SyncedProvider:
    """The same, once the pause is in effect."""
    shop.pass_term_end("alice", Subscription.objects.get().provider_id)
    return shop


class AccountPage:
    """Drives the actions of Alice's page: opens the link, reads the question, confirms."""

    def __init__(self, browser: Client) -> None:
        self.browser = browser
        self.account = Account.objects.get()

    def open_action(self, name: str) -> Any:
        """Open the confirmation page of an action."""
        links = re.findall(rf'href="([^"]*/{name}/[^"]*)"', read_account_page(self.browser, self.account))
        assert len(links) == 1, links
        return self.browser.get(links[0].replace("&amp;", "&"), follow=True)

    def confirm_action(self, question: Any) -> str:
        """Submit the confirmation form."""
        fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', question.content.decode()))
        answer = self.browser.post(question.request["PATH_INFO"], fields, follow=True)
        assert answer.redirect_chain == [(account_url(self.account), 302)]
        return str(answer.content.decode())

    def run_action(self, name: str) -> str:
        """Open and confirm an action."""
        return self.confirm_action(self.open_action(name))


@pytest.fixture
def desk(support: Client) -> Callable[[], AccountPage]:
    return lambda: AccountPage(support)


def test_support_is_told_the_amount_before_a_resume_charges_it(
    paused: SyncedProvider, desk: Callable[[], AccountPage]
) -> None:
    question = desk().open_action("resume").content.decode()
    assert "This charges $6.99 now" in question
    assert 'value="Resume and charge $6.99"' in question
    assert Subscription.objects.get().status == "paused"
    assert len(paused.invoices("alice")) == 1


def test_support_resumes_and_both_are_told_by_whom(paused: SyncedProvider, desk: Callable[[], AccountPage]) -> None:
    assert "is active again." in desk().run_action("resume")
    assert paused.subscription(Subscription.objects.get().provider_id)["status"] == "active"
    assert AccountEvent.objects.get(kind="resumed").actor == "support:sam"
    assert Command.objects.get(kind="resume").actor == "support:sam"
    entry = LogEntry.objects.get()
    assert (entry.user.get_username(), entry.object_repr) == ("sam", "alice@example.com")
    assert "is active again." in entry.change_message


def test_pressing_twice_resumes_once(paused: SyncedProvider, desk: Callable[[], AccountPage]) -> None:
    page = desk()
    question = page.open_action("resume")
    page.confirm_action(question)
    assert "is active again." in page.confirm_action(question)
    assert len(paused.invoices("alice")) == 2


def test_an_amount_that_changed_is_asked_about_again(paused: SyncedProvider, desk: Callable[[], AccountPage]) -> None:
    page = desk()
    question = page.open_action("resume")
    question.content = question.content.replace(b'name="quote" value="', b'name="quote" value="q')
    assert "(quote_changed)" in page.confirm_action(question)
    assert Subscription.objects.get().status == "paused"


def test_a_declined_card_is_a_message(paused: SyncedProvider, desk: Callable[[], AccountPage]) -> None:
    paused.provider.add_card("alice", DECLINING_CARD)
    assert "(payment_processing_failed)" in desk().run_action("resume")
    assert Subscription.objects.get().status == "paused"
    assert "(payment_processing_failed)" in LogEntry.objects.get().change_message


def test_support_removes_a_scheduled_pause(shop: SyncedProvider, desk: Callable[[], AccountPage]) -> None:
    assert "was removed." in desk().run_action("remove-scheduled-pause")
    assert PauseSchedule.objects.get().state == "removed"
    assert "pause_date" not in shop.subscription(Subscription.objects.get().provider_id)
    assert AccountEvent.objects.filter(actor="support:sam").count() == 1


def test_what_was_removed_meanwhile_is_a_message(shop: SyncedProvider, desk: Callable[[], AccountPage]) -> None:
    page = desk()
    question = page.open_action("remove-scheduled-pause")
    page.confirm_action(question)
    again = page.browser.get(
        question.request["PATH_INFO"], {"about": Subscription.objects.get().provider_id}, follow=True
    )
    assert "There&#x27;s no scheduled pause to cancel. (invalid_state)" in again.content.decode()


def test_support_reads_the_provider_again(paused: SyncedProvider, desk: Callable[[], AccountPage]) -> None:
    paused.client.Subscription.resume(Subscription.objects.get().provider_id, {"resume_option": "immediately"})
    assert "Refreshed from Chargebee." in desk().run_action("resync")
    assert Subscription.objects.get().status == "active"
    assert AccountEvent.objects.get(kind="resynced").actor == "support:sam"


def test_a_provider_that_is_away_is_a_message(
    paused: SyncedProvider, desk: Callable[[], AccountPage], settings: Settings
) -> None:
    page = desk()
    settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT
    assert "We couldn&#x27;t reach Chargebee. (billing_unavailable)" in page.run_action("resync")
    assert "(billing_unavailable)" in page.open_action("resume").content.decode()
    assert not AccountEvent.objects.filter(kind="resynced").exists()


def test_support_signs_out_everywhere(shop: SyncedProvider, desk: Callable[[], AccountPage]) -> None:
    browser = Browser(Account.objects.get())
    assert "Sessions ended: 2." in desk().run_action("sign-out-everywhere")
    assert browser.get("/api/account").status_code == 401
    assert AccountEvent.objects.get(kind="signed_out").actor == "support:sam"


def test_another_accounts_subscription_is_not_found(paused: SyncedProvider, support: Client) -> None:
    bob = paused.customer("bob")
    address = reverse("admin:accounts_account_act", args=[bob.pk, "resume"])
    theirs = {"about": Subscription.objects.get().provider_id}
    for answer in (support.get(address, theirs, follow=True), support.post(address, theirs, follow=True)):
        assert "(not_found)" in answer.content.decode()
    assert Subscription.objects.get().status == "paused"


def test_an_act_that_there_is_not_is_not_found(support: Client, alice: Account) -> None:
    assert support.post(reverse("admin:accounts_account_act", args=[alice.pk, "charge-twice"])).status_code == 404
    assert support.post(reverse("admin:accounts_account_act", args=[0, "resync"])).status_code == 404
