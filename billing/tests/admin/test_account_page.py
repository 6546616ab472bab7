"""An account's page: its whole story for who may read it, and what support does for its owner."""

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

from accounts import events
from accounts.mail import queue
from accounts.models import Account, AccountEvent, LoginChallenge, SessionToken, SignInEvent, User
from billing.models import (
    CancellationFeedback,
    Command,
    Invoice,
    PauseSchedule,
    Subscription,
    WebhookEvent,
)
from billing.services import webhooks
from billing.tests.api.browser import Browser
from billing.tests.api.mirrored import (
    NOW,
    at,
    invoice,
    open_account,
    put,
    resource,
    sell_everything,
    subscription,
)
from billing.tests.api.shop import DECLINES, NOBODY, Shop
from billing.tests.live import FAITH, Provider

pytestmark = pytest.mark.django_db

SECTIONS = [
    "Subscriptions",
    "Pauses",
    "Invoices",
    "Payment methods",
    "Commands",
    "Webhooks",
    "Mails",
    "Feedback",
    "Activity",
    "Signed in at",
    "Sign-ins",
    "Whole lists",
]
PLANTED = "<img src=x onerror=alert(1)>"


def member(group: str, name: str = "sam") -> Client:
    """The browser of an operator in a group."""
    user = User.objects.create_user(name, password="correct horse battery staple", is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    browser = Client()
    browser.force_login(user)
    return browser


@pytest.fixture
def support(db: None) -> Client:
    return member("support")


@pytest.fixture
def alice() -> Account:
    """Alice, with one of everything that her page tells, and a script in whatever she or anybody typed."""
    sell_everything()
    card = {"brand": "visa", "masked_number": "************1111", "expiry_month": 3, "expiry_year": 2031}
    account = open_account(
        "alice",
        resource("payment_source", "pm_1", customer_id="alice", type="card", status="valid", card=card),
        subscription("sub_1", status="paused", pause_date=at(-2), next_billing_at=None),
        invoice("INV-17", amount_due=699, status="payment_due", dunning_status=PLANTED),
    )
    Account.objects.filter(pk=account.pk).update(
        first_name=PLANTED, last_name=PLANTED, birth_month=2, birth_day=29
    )
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
    queue(kind="receipt", to=account.email, account=account, context={"title": PLANTED})
    CancellationFeedback.objects.create(
        account=account,
        at=NOW,
        key="key-2",
        services=[PLANTED],
        reason="Too expensive",
        actor="you",
        outcome="cancelled",
    )
    events.record(account, kind="paused", text=PLANTED, actor="support:olga", at=NOW)
    SessionToken.objects.create(user=account.user, agent=PLANTED)
    SignInEvent.objects.create(
        kind="ok", email=account.email, account=account, agent=PLANTED, network="10.0.0.7"
    )
    return account


def page(account: Account) -> str:
    return reverse("admin:accounts_account_change", args=[account.pk])


def shown(browser: Client, account: Account) -> str:
    return browser.get(page(account)).content.decode()


def test_it_tells_the_whole_story(support: Client, alice: Account) -> None:
    story = shown(support, alice)
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
    story = shown(support, alice)
    assert PLANTED not in story
    assert story.count("&lt;img src=x onerror=alert(1)&gt;") >= 8


def test_neither_codes_nor_tokens_are_in_it(support: Client, alice: Account) -> None:
    LoginChallenge.objects.create(email=alice.email, code_hash="md5$salt$hash", expires_at=NOW)
    queue(kind="login_code", to=alice.email, account=alice, context={"agent": "Firefox"})
    story = shown(support, alice)
    session = SessionToken.objects.get()
    assert "login_code" in story
    for secret in (session.digest, session.token_key, "md5$salt$hash"):
        assert secret not in story


def test_finance_sees_the_money_and_nothing_personal(alice: Account) -> None:
    story = shown(member("finance"), alice)
    headings = re.findall(r'<h2 id="\S+-heading">([^<]+)</h2>', story)
    assert headings == ["Subscriptions", "Invoices", "Payment methods", "Whole lists"]
    assert "Resume now" not in story
    assert "10.0.0.7" not in story


def test_every_link_on_it_opens(support: Client, alice: Account) -> None:
    content = shown(support, alice)
    links = set(re.findall(r'href="(/admin/[^"]+)"', content[content.index('<div id="content"') :]))
    assert len(links) > 20
    answers = {link: support.get(link.replace("&amp;", "&")).status_code for link in links}
    assert {link: status for link, status in answers.items() if status != 200} == {
        link: 302 for link in links if "resume" in link
    }


def test_it_costs_the_same_for_a_long_story_as_for_a_short_one(
    support: Client, alice: Account, django_assert_max_num_queries: Any
) -> None:
    shown(support, alice)
    with CaptureQueriesContext(connection) as short:
        shown(support, alice)
    for number in range(30):
        events.record(alice, kind="paused", text=f"Event {number}", actor="you", at=NOW)
        Command.objects.create(
            account=alice, key=f"k{number}", kind="pause", actor="you", steps=[], state="succeeded"
        )
        Invoice.objects.create(
            provider_id=f"INV-2{number}", customer=alice.customer, issued_at=NOW, status="paid", synced_at=NOW
        )
    with django_assert_max_num_queries(len(short)):
        story = shown(support, alice)
    assert len(short) <= 30
    assert story.count("Event ") == 10
    assert f"/admin/accounts/accountevent/?account__id__exact={alice.pk}" in story


def test_a_customers_id_may_hold_any_character(support: Client) -> None:
    account = open_account("a&b+c", subscription("sub_1", customer_id="a&b+c"))
    for number in range(11):
        WebhookEvent.objects.create(
            event_id=f"ev-{number}", event_type="invoice_updated", occurred_at=NOW, payload={}, owner="a&b+c"
        )
    rest = re.search(r'href="(/admin/billing/webhookevent/\?owner[^"]+)"', shown(support, account))
    assert rest is not None
    assert support.get(unescape(rest[1])).context["cl"].result_count == 11


def test_it_leads_to_the_rest_of_a_long_story(support: Client, alice: Account) -> None:
    bob = open_account("bob", invoice("BOB-1", owner="bob"))
    for number in range(12):
        term = at(-100 - number)
        put(
            subscription(f"old_{number}", status="cancelled", created_at=term, cancelled_at=term),
            invoice(f"INV-{number}", days=-number),
            resource(
                "payment_source", f"pm_{number + 2}", customer_id="alice", type="paypal_express_checkout"
            ),
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
    lists = re.findall(r'<p class="story-rest"><a href="([^"]+)">', shown(support, alice))
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


def test_an_event_about_an_invoice_alone_finds_its_way_to_the_page(
    provider: Provider, support: Client
) -> None:
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
    webhooks.process(event.pk)
    assert "invoice updated" in shown(support, bob)


@pytest.fixture
def shop(provider: Provider) -> Shop:
    """The live provider, where Alice is subscribed and has asked for a pause."""
    shop = Shop(provider)
    browser = Browser(shop.customer("alice"))
    shop.subscribe("alice", FAITH)
    browser.post("/api/account/pause?days=30")
    return shop


@pytest.fixture
def paused(shop: Shop) -> Shop:
    """The same, once the pause is in effect."""
    shop.pass_term_end("alice", Subscription.objects.get().provider_id)
    return shop


class Desk:
    """Does things for Alice as the page offers them: follows the link, reads the question, answers it."""

    def __init__(self, browser: Client) -> None:
        self.browser = browser
        self.account = Account.objects.get()

    def ask(self, name: str) -> Any:
        """Follow the page's link to an act."""
        links = re.findall(rf'href="([^"]*/{name}/[^"]*)"', shown(self.browser, self.account))
        assert len(links) == 1, links
        return self.browser.get(links[0].replace("&amp;", "&"), follow=True)

    def confirm(self, asked: Any) -> str:
        """Answer the question as it was asked."""
        fields = dict(
            re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', asked.content.decode())
        )
        answer = self.browser.post(asked.request["PATH_INFO"], fields, follow=True)
        assert answer.redirect_chain == [(page(self.account), 302)]
        return str(answer.content.decode())

    def do(self, name: str) -> str:
        """Ask and confirm."""
        return self.confirm(self.ask(name))


@pytest.fixture
def desk(support: Client) -> Callable[[], Desk]:
    return lambda: Desk(support)


def test_support_is_told_the_amount_before_a_resume_charges_it(
    paused: Shop, desk: Callable[[], Desk]
) -> None:
    asked = desk().ask("resume").content.decode()
    assert "This charges $6.99 now" in asked
    assert 'value="Resume, and charge $6.99"' in asked
    assert Subscription.objects.get().status == "paused"
    assert len(paused.invoices("alice")) == 1


def test_support_resumes_and_both_are_told_by_whom(paused: Shop, desk: Callable[[], Desk]) -> None:
    assert "is resumed." in desk().do("resume")
    assert paused.subscription(Subscription.objects.get().provider_id)["status"] == "active"
    assert AccountEvent.objects.get(kind="resumed").actor == "support:sam"
    assert Command.objects.get(kind="resume").actor == "support:sam"
    entry = LogEntry.objects.get()
    assert (entry.user.get_username(), entry.object_repr) == ("sam", "alice@example.com")
    assert "is resumed." in entry.change_message


def test_pressing_twice_resumes_once(paused: Shop, desk: Callable[[], Desk]) -> None:
    at_the_desk = desk()
    asked = at_the_desk.ask("resume")
    at_the_desk.confirm(asked)
    assert "is resumed." in at_the_desk.confirm(asked)
    assert len(paused.invoices("alice")) == 2


def test_an_amount_that_changed_is_asked_about_again(paused: Shop, desk: Callable[[], Desk]) -> None:
    at_the_desk = desk()
    asked = at_the_desk.ask("resume")
    asked.content = asked.content.replace(b'name="quote" value="', b'name="quote" value="q')
    assert "(quote_changed)" in at_the_desk.confirm(asked)
    assert Subscription.objects.get().status == "paused"


def test_a_declined_card_is_a_message(paused: Shop, desk: Callable[[], Desk]) -> None:
    paused.provider.add_card("alice", DECLINES)
    assert "(payment_processing_failed)" in desk().do("resume")
    assert Subscription.objects.get().status == "paused"
    assert "(payment_processing_failed)" in LogEntry.objects.get().change_message


def test_support_removes_a_scheduled_pause(shop: Shop, desk: Callable[[], Desk]) -> None:
    assert "is removed." in desk().do("remove-scheduled-pause")
    assert PauseSchedule.objects.get().state == "removed"
    assert "pause_date" not in shop.subscription(Subscription.objects.get().provider_id)
    assert AccountEvent.objects.filter(actor="support:sam").count() == 1


def test_what_was_removed_meanwhile_is_a_message(shop: Shop, desk: Callable[[], Desk]) -> None:
    at_the_desk = desk()
    asked = at_the_desk.ask("remove-scheduled-pause")
    at_the_desk.confirm(asked)
    again = at_the_desk.browser.get(
        asked.request["PATH_INFO"], {"about": Subscription.objects.get().provider_id}, follow=True
    )
    assert "There is no scheduled pause to cancel. (invalid_state)" in again.content.decode()


def test_support_reads_the_provider_again(paused: Shop, desk: Callable[[], Desk]) -> None:
    paused.client.Subscription.resume(
        Subscription.objects.get().provider_id, {"resume_option": "immediately"}
    )
    assert "Everything is as the provider has it." in desk().do("resync")
    assert Subscription.objects.get().status == "active"
    assert AccountEvent.objects.get(kind="resynced").actor == "support:sam"


def test_a_provider_that_is_away_is_a_message(
    paused: Shop, desk: Callable[[], Desk], settings: Settings
) -> None:
    at_the_desk = desk()
    settings.CHARGEBEE_ENDPOINT = NOBODY
    assert "The billing provider could not be asked. (billing_unavailable)" in at_the_desk.do("resync")
    assert "(billing_unavailable)" in at_the_desk.ask("resume").content.decode()
    assert not AccountEvent.objects.filter(kind="resynced").exists()


def test_support_signs_out_everywhere(shop: Shop, desk: Callable[[], Desk]) -> None:
    browser = Browser(Account.objects.get())
    assert "Sessions ended: 2." in desk().do("sign-out-everywhere")
    assert browser.get("/api/account").status_code == 401
    assert AccountEvent.objects.get(kind="signed_out").actor == "support:sam"


def test_another_accounts_subscription_is_not_found(paused: Shop, support: Client) -> None:
    bob = paused.customer("bob")
    address = reverse("admin:accounts_account_act", args=[bob.pk, "resume"])
    theirs = {"about": Subscription.objects.get().provider_id}
    for answer in (support.get(address, theirs, follow=True), support.post(address, theirs, follow=True)):
        assert "(not_found)" in answer.content.decode()
    assert Subscription.objects.get().status == "paused"


def test_an_act_that_there_is_not_is_not_found(support: Client, alice: Account) -> None:
    assert (
        support.post(reverse("admin:accounts_account_act", args=[alice.pk, "charge-twice"])).status_code
        == 404
    )
    assert support.post(reverse("admin:accounts_account_act", args=[0, "resync"])).status_code == 404
