"""The account page: its sections by permission, and the actions of support."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from accounts.admin.desk import account_actions
from accounts.mail.queue import queue_mail
from accounts.models import Account, AccountEvent, LoginChallenge, SessionToken
from accounts.profile import events
from billing import clock
from billing.invoices import pdf_files
from billing.mirror import next_bills
from billing.models import (
    Command,
    Invoice,
    InvoicePdf,
    PauseSchedule,
    ProviderClock,
    Subscription,
    WebhookEvent,
)
from billing.money import format_cents
from billing.tests.admin.account_desk import PLANTED, account_url, operator_client, read_account_page
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
from billing.tests.support.live_provider import FAITH, GOSPEL, Provider

pytestmark = pytest.mark.django_db

SECTIONS = [
    "Subscriber",
    "Owed and next bills",
    "Subscriptions",
    "Pauses",
    "Timeline",
    "Customers with this address",
    "Payment methods",
    "Signed in with",
    "Whole lists",
]


def test_it_shows_every_section(support: Client, alice: Account) -> None:
    html = read_account_page(support, alice)
    headings = re.findall(r'<h2 id="\S+-heading">([^<]+)</h2>', html)
    assert [heading for heading in headings if not heading.startswith("Emails wanted")] == SECTIONS
    for text in (
        "February 29",
        "Faith &amp; Family",
        "paused since Mar 8, 2026, 8:00 AM",
        "INV-17",
        "$6.99",
        "Visa ending in 1111",
        "03/2031",
        "Pause: in progress",
        "Too expensive",
        "olga (support)",
        "10.0.0.7",
        "<strong>Sign-in</strong>",
    ):
        assert text in html


def test_it_says_what_is_owed_why_and_when_it_is_tried_again(support: Client) -> None:
    apply_catalog()
    card = {"payment_method": "card", "last4": "0004", "payment_source_id": "pm_1"}
    account = open_account(
        "alice",
        make_subscription("sub_1"),
        make_resource(
            "transaction",
            "txn_1",
            customer_id="alice",
            type="payment",
            status="failure",
            amount=699,
            date=timestamp_at(-1),
            error_text="Your card has insufficient funds.",
            **card,
        ),
        make_invoice(
            "INV-17",
            amount_due=699,
            status="payment_due",
            dunning_status="in_progress",
            next_retry_at=timestamp_at(2),
            subscription_id="sub_1",
            linked_payments=[{"txn_id": "txn_1", "txn_status": "failure", "txn_date": timestamp_at(-1)}],
        ),
    )
    html = unescape(read_account_page(support, account))
    for text in (
        "Owed: invoice INV-17",
        "will be tried again Mar 12, 2026, 8:00 AM",
        "There wasn't enough money in the account.",
        "The bank: Your card has insufficient funds.",
        "Next bill: Faith & Family",
        "Payment due",
        "Being tried again",
    ):
        assert text in html
    assert "payment_due" not in html


def test_it_says_when_pauses_end(support: Client, alice: Account) -> None:
    ProviderClock.objects.create(offset_seconds=int((NOW - timezone.now()).total_seconds()), refreshed_at=NOW)
    since = "paused since Mar 8, 2026, 8:00 AM"
    assert f"resumes Apr 7, 2026, 8:00 AM, {since}" in read_account_page(support, alice)
    PauseSchedule.objects.update(resume_date=NOW - timedelta(hours=1))
    assert f"should have resumed Mar 10, 2026, 7:00 AM, {since}" in read_account_page(support, alice)
    PauseSchedule.objects.all().delete()
    assert f"{since}, with no end" in read_account_page(support, alice)
    apply_resources(make_subscription("sub_2", pause_date=timestamp_at(2)))
    PauseSchedule.objects.all().delete()
    assert "pauses Mar 12, 2026, 8:00 AM, with no end" in read_account_page(support, alice)
    PauseSchedule.objects.create(
        subscription=Subscription.objects.get(provider_id="sub_2"),
        state="scheduled",
        pause_date=NOW + timedelta(days=2),
        resume_date=NOW + timedelta(days=32),
        created_at=NOW,
    )
    assert "pauses Mar 12, 2026, 8:00 AM until Apr 11, 2026, 8:00 AM" in read_account_page(support, alice)


def test_a_change_of_several_plans_shows_the_sum_of_its_charges(support: Client, shop: SyncedProvider) -> None:
    carla = shop.customer("carla")
    for plan in (FAITH, GOSPEL):
        shop.subscribe("carla", plan)
    browser = Browser(carla)
    quote = browser.get("/api/account/upgrade/estimate").json()["quote"]
    earlier = {invoice["id"] for invoice in shop.invoices("carla")}
    assert browser.post("/api/account/upgrade", {"quote": quote}).status_code == 200
    paid = [invoice["amount_paid"] for invoice in shop.invoices("carla") if invoice["id"] not in earlier]
    assert len(paid) == 2
    charged = format_cents(sum(paid))
    page = unescape(read_account_page(support, carla))
    changes = page.partition("are now billed annually</strong>")[2].partition("<details")[0]
    assert f"<dt>Charge that was confirmed</dt><dd>{charged}</dd>" in changes


def test_it_asks_for_next_bills_that_nobody_has_read(support: Client, shop: SyncedProvider) -> None:
    account = shop.customer("carla")
    shop.subscribe("carla", FAITH)
    assert "being requested; reload the page" in read_account_page(support, account)
    next_bills.estimate_wanted_bills(account.pk, now=clock.billing_now())
    html = read_account_page(support, account)
    assert "being requested" not in html
    bills = html.partition("Owed and next bills")[2].partition("</section>")[0]
    assert "$6.99" in bills


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
    assert "Email: Sign-in code" in html
    for secret in (session.digest, session.token_key, "md5$salt$hash"):
        assert secret not in html


def test_finance_sees_payments_but_no_personal_data(alice: Account) -> None:
    html = read_account_page(operator_client("finance"), alice)
    headings = re.findall(r'<h2 id="\S+-heading">([^<]+)</h2>', html)
    assert headings == [
        "Subscriber",
        "Owed and next bills",
        "Subscriptions",
        "Timeline",
        "Payment methods",
        "Whole lists",
    ]
    assert "Charge: invoice INV-17" in html
    assert "Pause: in progress" not in html
    assert "Resume now" not in html
    assert "10.0.0.7" not in html


def test_every_link_opens(support: Client, alice: Account) -> None:
    content = read_account_page(support, alice)
    links = set(re.findall(r'href="(/admin/[^"]+)"', content[content.index('<div id="content"') :]))
    assert len(links) > 20
    responses = {link: support.get(link.replace("&amp;", "&")).status_code for link in links}
    assert {link: status for link, status in responses.items() if status != 200} == {
        link: 302 for link in links if "resume" in link or link.endswith("/pdf/")
    }


def test_the_number_of_queries_does_not_grow_with_the_history(
    support: Client, alice: Account, django_assert_max_num_queries: Any
) -> None:
    read_account_page(support, alice)
    with CaptureQueriesContext(connection) as short:
        read_account_page(support, alice)
    for number in range(30):
        events.record_event(alice, kind="paused", text=f"Event {number}", actor="you", at=NOW)
        Command.objects.create(account=alice, key=f"k{number}", kind="pause", actor="you", steps=[], state="failed")
        Invoice.objects.create(
            provider_id=f"INV-2{number}", customer=alice.customer, issued_at=NOW, status="paid", synced_at=NOW
        )
    with django_assert_max_num_queries(len(short)):
        html = read_account_page(support, alice)
    assert len(short) <= 58
    assert html.count('<li class="entry">') == 25


def test_the_page_has_the_clock_of_the_caller_when_it_is_chosen(support: Client, alice: Account) -> None:
    assert "paused since Mar 8, 2026, 8:00 AM" in read_account_page(support, alice)
    there = support.get(account_url(alice), {"zone": "Pacific/Honolulu", "kind": "charges"}).content.decode()
    assert "paused since Mar 8, 2026, 2:00 AM" in there
    assert "site’s clock is America/New York." in there  # noqa: RUF001  (the page's own apostrophe)
    assert "zone=Pacific%2FHonolulu" in there
    assert "8:00 AM" in support.get(account_url(alice), {"zone": "../etc/passwd"}).content.decode()


def test_webhooks_are_listed_also_for_a_customer_id_with_special_characters(support: Client) -> None:
    account = open_account("a&b+c", make_subscription("sub_1", customer_id="a&b+c"))
    for number in range(3):
        WebhookEvent.objects.create(
            event_id=f"ev-{number}", event_type="invoice_updated", occurred_at=NOW, payload={}, owner="a&b+c"
        )
    link = re.search(r'href="(/admin/billing/webhookevent/\?owner[^"]+)"', read_account_page(support, account))
    assert link is not None
    assert support.get(unescape(link[1])).context["cl"].result_count == 3


def test_an_invoices_pdf_is_downloaded_once_it_is_made(support: Client, alice: Account) -> None:
    address = reverse("admin:billing_invoice_pdf", args=[Invoice.objects.get().pk])
    assert "The PDF is being prepared." in support.get(address, follow=True).content.decode()
    pdf_files.make_pdf(InvoicePdf.objects.get().pk)
    answer = support.get(address)
    assert b"".join(answer).startswith(b"%PDF")
    assert answer["Content-Disposition"] == 'attachment; filename="invoice-inv-17.pdf"'
    assert operator_client("content", "carl").get(address).status_code == 403


def test_shortened_sections_link_to_the_whole_list(support: Client, alice: Account) -> None:
    bob = open_account("bob", make_invoice("BOB-1", owner="bob"))
    for number in range(12):
        timestamp = timestamp_at(-100 - number)
        apply_resources(
            make_subscription(f"old_{number}", status="cancelled", created_at=timestamp, cancelled_at=timestamp),
            make_resource("payment_source", f"pm_{number + 2}", customer_id="alice", type="paypal_express_checkout"),
        )
        PauseSchedule.objects.create(
            subscription=Subscription.objects.get(provider_id=f"old_{number}"),
            state="resumed",
            pause_date=NOW - timedelta(days=60),
            resume_date=NOW - timedelta(days=30),
            created_at=NOW,
        )
    links = re.findall(r'<a class="story-rest" href="([^"]+)">', read_account_page(support, alice))
    assert [link.split("?")[0].split("/")[3] for link in links] == ["subscription", "pauseschedule", "paymentsource"]
    for link in links:
        listing = support.get(link)
        assert listing.status_code == 200
        assert listing.context["cl"].result_count == 13
        assert str(bob) not in listing.content.decode()


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
        """Submit the confirmation form, with a reason."""
        fields = {**self.read_fields(confirmation), "reason": "She called"}
        response = self.browser.post(confirmation.request["PATH_INFO"], fields, follow=True)
        assert response.redirect_chain == [(account_url(self.account), 302)]
        return str(response.content.decode())

    def read_fields(self, confirmation: Any) -> dict[str, str]:
        """Return the hidden fields of a confirmation page."""
        return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', confirmation.content.decode()))

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
    assert "<dt>Charged now</dt><dd>$6.99</dd>" in confirmation
    assert 'value="Resume and charge $6.99"' in confirmation
    assert Subscription.objects.get().status == "paused"
    assert len(paused_shop.invoices("alice")) == 1


def test_a_resume_by_support_records_the_actor(
    paused_shop: SyncedProvider, open_page: Callable[[], AccountPage]
) -> None:
    page = open_page().run_action("resume")
    assert "is active again." in page
    confirmed = page.partition("What was confirmed")[2].partition("</details>")[0]
    assert "<dt>Charged now</dt><dd>$6.99</dd>" in confirmed
    assert re.search(r"next bill on \w+ \d+, 2026</dt><dd>\$6.99", confirmed)
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


def test_an_outdated_quote_asks_again_with_the_new_figures(
    paused_shop: SyncedProvider, open_page: Callable[[], AccountPage]
) -> None:
    page = open_page()
    fields = {**page.read_fields(page.open_action("resume")), "quote": "another", "reason": "She called"}
    again = page.browser.post(account_actions.action_url(page.account, "resume"), fields)
    assert "The figures have changed. Nothing was done." in again.content.decode()
    assert 'value="She called"' in again.content.decode()
    assert Subscription.objects.get().status == "paused"
    assert "is active again." in page.confirm_action(again)


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
    refresh = page.browser.post(account_actions.action_url(page.account, "resync"))
    assert "We couldn&#x27;t reach Chargebee. (billing_unavailable)" in refresh.content.decode()
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
    assert support.get(url, foreign).status_code == 404
    assert support.post(url, {**foreign, "reason": "She called"}).status_code == 404
    assert Subscription.objects.get().status == "paused"


def test_an_unknown_action_is_not_found(support: Client, alice: Account) -> None:
    assert support.post(reverse("admin:accounts_account_act", args=[alice.pk, "charge-twice"])).status_code == 404
    assert support.post(reverse("admin:accounts_account_act", args=[0, "resync"])).status_code == 404
