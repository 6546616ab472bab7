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


def test_it_shows_every_section(support: Client, alice: Account) -> None:
    html = read_account_page(support, alice)
    headings = re.findall(r'<h2 id="\S+-heading">([^<]+)</h2>', html)
    assert [heading for heading in headings if heading in SECTIONS] == SECTIONS
    for text in (
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
        assert text in html


def test_typed_text_is_escaped(support: Client, alice: Account) -> None:
    html = read_account_page(support, alice)
    assert PLANTED not in html
    assert html.count("&lt;img src=x onerror=alert(1)&gt;") >= 8


@pytest.mark.shows("security-40")
def test_it_contains_no_codes_or_tokens(support: Client, alice: Account) -> None:
    LoginChallenge.objects.create(email=alice.email, code_hash="md5$salt$hash", expires_at=NOW)
    queue_mail(kind="login_code", to=alice.email, account=alice, context={"agent": "Firefox"})
    html = read_account_page(support, alice)
    session = SessionToken.objects.get()
    assert "login_code" in html
    for secret in (session.digest, session.token_key, "md5$salt$hash"):
        assert secret not in html


def test_finance_sees_payments_but_no_personal_data(alice: Account) -> None:
    html = read_account_page(operator_client("finance"), alice)
    headings = re.findall(r'<h2 id="\S+-heading">([^<]+)</h2>', html)
    assert headings == ["Subscriptions", "Invoices", "Payment methods", "Whole lists"]
    assert "Resume now" not in html
    assert "10.0.0.7" not in html


def test_every_link_opens(support: Client, alice: Account) -> None:
    content = read_account_page(support, alice)
    links = set(re.findall(r'href="(/admin/[^"]+)"', content[content.index('<div id="content"') :]))
    assert len(links) > 20
    responses = {link: support.get(link.replace("&amp;", "&")).status_code for link in links}
    assert {link: status for link, status in responses.items() if status != 200} == {
        link: 302 for link in links if "resume" in link
    }


def test_the_number_of_queries_does_not_grow_with_the_history(
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
        html = read_account_page(support, alice)
    assert len(short) <= 30
    assert html.count("Event ") == 10
    assert f"/admin/accounts/accountevent/?account__id__exact={alice.pk}" in html


def test_a_customer_id_can_contain_special_characters(support: Client) -> None:
    account = open_account("a&b+c", make_subscription("sub_1", customer_id="a&b+c"))
    for number in range(11):
        WebhookEvent.objects.create(
            event_id=f"ev-{number}", event_type="invoice_updated", occurred_at=NOW, payload={}, owner="a&b+c"
        )
    list_link = re.search(r'href="(/admin/billing/webhookevent/\?owner[^"]+)"', read_account_page(support, account))
    assert list_link is not None
    assert support.get(unescape(list_link[1])).context["cl"].result_count == 11


def test_shortened_sections_link_to_the_whole_list(support: Client, alice: Account) -> None:
    bob = open_account("bob", make_invoice("BOB-1", owner="bob"))
    for number in range(12):
        timestamp = timestamp_at(-100 - number)
        apply_resources(
            make_subscription(f"old_{number}", status="cancelled", created_at=timestamp, cancelled_at=timestamp),
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
    links = re.findall(r'<p class="story-rest"><a href="([^"]+)">', read_account_page(support, alice))
    assert [link.split("?")[0].split("/")[3] for link in links] == [
        "subscription",
        "pauseschedule",
        "invoice",
        "paymentsource",
        "webhookevent",
    ]
    for link in links:
        listing = support.get(link)
        assert listing.status_code == 200
        assert listing.context["cl"].result_count in (13, 14)
        assert str(bob) not in listing.content.decode()


def test_an_invoice_webhook_is_shown_on_its_customers_page(provider: Provider, support: Client) -> None:
    bob = provider.subscriber("bob", FAITH)
    number = provider.invoices(bob)[0].id
    event = WebhookEvent.objects.create(
        event_id="ev_9",
        event_type="invoice_updated",
        occurred_at=NOW,
        source="webhook",
        payload={"names": {"invoice": [number]}},
        sought_at=NOW,
        next_attempt_at=NOW,
    )
    webhook_processing.process_event(event.pk)
    assert "invoice updated" in read_account_page(support, bob)


@pytest.fixture
def shop(provider: Provider) -> SyncedProvider:
    """Return the live provider, where Alice has a subscription with a scheduled pause."""
    shop = SyncedProvider(provider)
    browser = Browser(shop.customer("alice"))
    shop.subscribe("alice", FAITH)
    browser.post("/api/account/pause?days=30")
    return shop


@pytest.fixture
def paused_shop(shop: SyncedProvider) -> SyncedProvider:
    """Return the shop once Alice's pause is in effect."""
    shop.pass_term_end("alice", Subscription.objects.get().provider_id)
    return shop


class AccountPage:
    """Runs the actions of Alice's page: opens the link, reads the confirmation, submits it."""

    def __init__(self, browser: Client) -> None:
        self.browser = browser
        self.account = Account.objects.get()

    def open_action(self, name: str) -> Any:
        """Open the confirmation page of an action."""
        links = re.findall(rf'href="([^"]*/{name}/[^"]*)"', read_account_page(self.browser, self.account))
        assert len(links) == 1, links
        return self.browser.get(links[0].replace("&amp;", "&"), follow=True)

    def confirm_action(self, confirmation: Any) -> str:
        """Submit the confirmation form."""
        fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', confirmation.content.decode()))
        response = self.browser.post(confirmation.request["PATH_INFO"], fields, follow=True)
        assert response.redirect_chain == [(account_url(self.account), 302)]
        return str(response.content.decode())

    def run_action(self, name: str) -> str:
        """Open and confirm an action."""
        return self.confirm_action(self.open_action(name))


@pytest.fixture
def open_page(support: Client) -> Callable[[], AccountPage]:
    return lambda: AccountPage(support)


def test_the_resume_confirmation_shows_the_amount(
    paused_shop: SyncedProvider, open_page: Callable[[], AccountPage]
) -> None:
    confirmation = open_page().open_action("resume").content.decode()
    assert "This charges $6.99 now" in confirmation
    assert 'value="Resume and charge $6.99"' in confirmation
    assert Subscription.objects.get().status == "paused"
    assert len(paused_shop.invoices("alice")) == 1


def test_a_resume_by_support_records_the_actor(
    paused_shop: SyncedProvider, open_page: Callable[[], AccountPage]
) -> None:
    assert "is active again." in open_page().run_action("resume")
    assert paused_shop.subscription(Subscription.objects.get().provider_id)["status"] == "active"
    assert AccountEvent.objects.get(kind="resumed").actor == "support:sam"
    assert Command.objects.get(kind="resume").actor == "support:sam"
    entry = LogEntry.objects.get()
    assert (entry.user.get_username(), entry.object_repr) == ("sam", "alice@example.com")
    assert "is active again." in entry.change_message


def test_confirming_twice_resumes_once(paused_shop: SyncedProvider, open_page: Callable[[], AccountPage]) -> None:
    page = open_page()
    confirmation = page.open_action("resume")
    page.confirm_action(confirmation)
    assert "is active again." in page.confirm_action(confirmation)
    assert len(paused_shop.invoices("alice")) == 2


def test_an_outdated_quote_is_reported(paused_shop: SyncedProvider, open_page: Callable[[], AccountPage]) -> None:
    page = open_page()
    confirmation = page.open_action("resume")
    confirmation.content = confirmation.content.replace(b'name="quote" value="', b'name="quote" value="q')
    assert "(quote_changed)" in page.confirm_action(confirmation)
    assert Subscription.objects.get().status == "paused"


def test_a_declined_card_is_reported_and_logged(
    paused_shop: SyncedProvider, open_page: Callable[[], AccountPage]
) -> None:
    paused_shop.provider.add_card("alice", DECLINING_CARD)
    assert "(payment_processing_failed)" in open_page().run_action("resume")
    assert Subscription.objects.get().status == "paused"
    assert "(payment_processing_failed)" in LogEntry.objects.get().change_message


def test_support_removes_a_scheduled_pause(shop: SyncedProvider, open_page: Callable[[], AccountPage]) -> None:
    assert "was removed." in open_page().run_action("remove-scheduled-pause")
    assert PauseSchedule.objects.get().state == "removed"
    assert "pause_date" not in shop.subscription(Subscription.objects.get().provider_id)
    assert AccountEvent.objects.filter(actor="support:sam").count() == 1


def test_removing_a_pause_twice_is_reported(shop: SyncedProvider, open_page: Callable[[], AccountPage]) -> None:
    page = open_page()
    confirmation = page.open_action("remove-scheduled-pause")
    page.confirm_action(confirmation)
    again = page.browser.get(
        confirmation.request["PATH_INFO"], {"about": Subscription.objects.get().provider_id}, follow=True
    )
    assert "There&#x27;s no scheduled pause to cancel. (invalid_state)" in again.content.decode()


def test_support_refreshes_the_account_from_chargebee(
    paused_shop: SyncedProvider, open_page: Callable[[], AccountPage]
) -> None:
    paused_shop.client.Subscription.resume(Subscription.objects.get().provider_id, {"resume_option": "immediately"})
    assert "Refreshed from Chargebee." in open_page().run_action("resync")
    assert Subscription.objects.get().status == "active"
    assert AccountEvent.objects.get(kind="resynced").actor == "support:sam"


def test_an_unavailable_provider_is_reported(
    paused_shop: SyncedProvider, open_page: Callable[[], AccountPage], settings: Settings
) -> None:
    page = open_page()
    settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT
    assert "We couldn&#x27;t reach Chargebee. (billing_unavailable)" in page.run_action("resync")
    assert "(billing_unavailable)" in page.open_action("resume").content.decode()
    assert not AccountEvent.objects.filter(kind="resynced").exists()


def test_support_signs_out_everywhere(shop: SyncedProvider, open_page: Callable[[], AccountPage]) -> None:
    browser = Browser(Account.objects.get())
    assert "Sessions ended: 2." in open_page().run_action("sign-out-everywhere")
    assert browser.get("/api/account").status_code == 401
    assert AccountEvent.objects.get(kind="signed_out").actor == "support:sam"


def test_another_accounts_subscription_is_not_found(paused_shop: SyncedProvider, support: Client) -> None:
    bob = paused_shop.customer("bob")
    url = reverse("admin:accounts_account_act", args=[bob.pk, "resume"])
    foreign = {"about": Subscription.objects.get().provider_id}
    for response in (support.get(url, foreign, follow=True), support.post(url, foreign, follow=True)):
        assert "(not_found)" in response.content.decode()
    assert Subscription.objects.get().status == "paused"


def test_an_unknown_action_is_not_found(support: Client, alice: Account) -> None:
    assert support.post(reverse("admin:accounts_account_act", args=[alice.pk, "charge-twice"])).status_code == 404
    assert support.post(reverse("admin:accounts_account_act", args=[0, "resync"])).status_code == 404
