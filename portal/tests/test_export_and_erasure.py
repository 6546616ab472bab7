"""Data export and erasure, with all applications installed."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.admin.utils import quote
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import Settings

from accounts.mail import queue
from accounts.models import (
    Account,
    AccountEvent,
    LoginChallenge,
    OutgoingMail,
    SessionToken,
    SignInEvent,
    User,
)
from accounts.profile import events
from accounts.tests.sign_in.sign_in_client import SignInClient, send_due_mail
from billing import tasks
from billing.mirror.events import webhook_intake, webhook_processing
from billing.models import (
    AccountDocument,
    CancellationFeedback,
    ChurnEvent,
    CodeRedemption,
    Command,
    Customer,
    Invoice,
    InvoicePdf,
    PauseSchedule,
    PaymentSource,
    RefusedCode,
    RevenueMovement,
    SharedAddress,
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
from billing.tests.api.synced_provider import UNREACHABLE_ENDPOINT
from conftest import Sandbox
from core.models import LimitCounter
from portal.backends.storage import WholeFileStorage
from preferences import email_preferences
from preferences.models import Preference, PreferenceChange

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unreachable_provider")]

EXPORT = "/api/account/export"
RECEIPT: dict[str, object] = {"title": "Paused", "lines": ["You paused."], "facts": []}


def make_card(handle: str, owner: str) -> dict[str, Any]:
    """Return a card as the provider masks it."""
    masked = {"brand": "visa", "last4": "1111", "masked_number": "************1111", "iin": "411111"}
    return make_resource("payment_source", handle, customer_id=owner, type="card", status="valid", card=masked)


def open_full_account(handle: str, *, plans: int = 1) -> Account:
    """Open an account with data of every kind, its plans cancelled."""
    held = [make_subscription(f"{handle}-{number}", owner=handle, status="cancelled") for number in range(plans)]
    bills = [make_invoice(f"{handle}-bill-{number}", owner=handle) for number in range(plans)]
    account = open_account(handle, *held, *bills, make_card(f"{handle}-card", handle))
    command = Command.objects.create(
        account=account, key="one", kind="cancel", actor="you", state=Command.State.SUCCEEDED, steps=[]
    )
    first = Subscription.objects.get(provider_id=f"{handle}-0")
    PauseSchedule.objects.create(
        subscription=first,
        state="resumed",
        pause_date=NOW,
        resume_date=datetime(2026, 4, 9, tzinfo=UTC),
        created_at=NOW,
    )
    CodeRedemption.objects.create(account=account, code="SAVE20", subscription_id=f"{handle}-0", redeemed_at=NOW)
    RefusedCode.objects.create(account=account, code="SAVE99", reason=RefusedCode.Reason.EXPIRED, at=NOW)
    CancellationFeedback.objects.create(
        account=account,
        command=command,
        key="one",
        at=NOW,
        reason="Too expensive",
        subscription_ids=[f"{handle}-0"],
        actor="you",
    )
    ChurnEvent.objects.create(account=account, command=command, at=NOW, kind="cancelled", subscription_id=f"{handle}-0")
    email_preferences.change_preferences(account, {Preference.STREAMING: True}, source=PreferenceChange.Source.PORTAL)
    for _ in range(plans):
        events.record_event(account, kind="paused", text="You paused.", actor="you", at=NOW)
        queue.queue_mail(kind="receipt", to=account.email, account=account, context=RECEIPT)
    return account


def store_pdf(number: str) -> str:
    """Store a PDF of an invoice and return its file name."""
    name = default_storage.save("invoices/own.pdf", ContentFile(b"%PDF"))
    InvoicePdf.objects.create(
        invoice=Invoice.objects.get(provider_id=number), version=1, state=InvoicePdf.State.READY, file=name
    )
    return name


class WatchedStorage(WholeFileStorage):
    """The storage of PDFs, where something happens just before or after a file is written."""

    def __init__(self, *, before: Callable[[], None], after: Callable[[], None], **options: Any) -> None:
        super().__init__(**options)
        self._before, self._after = before, after

    def _save(self, name: str, content: Any) -> str:
        self._before()
        saved = super()._save(name, content)
        self._after()
        return str(saved)


def watch_storage(
    settings: Settings,
    folder: Path,
    *,
    before: Callable[[], None] = lambda: None,
    after: Callable[[], None] = lambda: None,
) -> None:
    """Store PDFs in a folder, and have something happen while one is written."""
    options = {"location": folder, "before": before, "after": after}
    watched = {"BACKEND": f"{__name__}.WatchedStorage", "OPTIONS": options}
    settings.STORAGES = {**settings.STORAGES, "invoices": watched}


def request_pdf(account: Account) -> InvoicePdf:
    """Ask for the PDF of an account's first invoice and return its row, to be rendered."""
    assert Browser(account).get(f"/api/invoice/pdf/{account.first_name.lower()}-bill-0").status_code == 503
    return InvoicePdf.objects.get()


def stored_pdfs(folder: Path) -> list[str]:
    """Return the names of the files in a folder and below."""
    return [path.name for path in folder.rglob("*") if path.is_file()]


@pytest.fixture
def unreachable_provider(db: None, settings: Settings) -> None:
    """Fill the mirror with the catalog and make the provider unreachable."""
    settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT
    apply_catalog()


@pytest.fixture
def alice() -> Account:
    """Return Alice's account with data of every kind; Bob has the same."""
    open_full_account("bob")
    return open_full_account("alice")


class TestExport:
    @pytest.mark.shows("api-35")
    def test_it_contains_data_of_every_kind(self, alice: Account) -> None:
        SignInClient().request_code(alice.email)
        send_due_mail()
        answer = Browser(alice).get(EXPORT)
        held = answer.json()
        assert answer["Content-Disposition"] == 'attachment; filename="your-data.json"'
        assert held["profile"]["email"] == "alice@example.com"
        assert [item["text"] for item in held["activity"]] == [
            "You changed your email preferences.",
            "You paused.",
        ]
        assert [item["about"] for item in held["mails"]] == [None, "Paused"]
        assert [item["kind"] for item in held["signInEvents"]] == ["sent"]
        assert len(held["sessions"]) == 1
        assert [item["id"] for item in held["plans"]] == ["alice-0"]
        assert [(item["number"], item["total"]) for item in held["invoices"]] == [("alice-bill-0", 699)]
        assert held["paymentMethods"][0]["details"]["card"]["maskedNumber"] == "************1111"
        assert [item["state"] for item in held["pauseSchedules"]] == ["resumed"]
        assert [item["code"] for item in held["codes"]] == ["SAVE20"]
        assert [(item["code"], item["reason"]) for item in held["refusedCodes"]] == [("SAVE99", "coupon_expired")]
        assert [item["reason"] for item in held["feedback"]] == ["Too expensive"]
        assert [item["kind"] for item in held["changes"]] == ["cancel"]
        assert [item["key"] for item in held["emailPreferences"] if item["wanted"]] == ["streaming"]
        assert [item["source"] for item in held["emailPreferenceChanges"]] == ["portal"]
        assert [item["kind"] for item in held["retentionEvents"]] == ["cancelled"]

    def test_it_contains_the_mail_to_an_address_that_the_account_had_before(self, alice: Account) -> None:
        moved = make_resource("customer", "alice", email="moved@example.com", created_at=timestamp_at(-400))
        apply_resources({**moved, "resource_version": moved["resource_version"] + 1})
        mail = OutgoingMail.objects.get(to="alice@example.com", account=None)
        held = Browser(Account.objects.get(pk=alice.pk)).get(EXPORT).json()
        assert mail.pk in [item["id"] for item in held["mails"]]

    def test_it_contains_further_customers_of_the_address(self, alice: Account) -> None:
        apply_resources(
            make_resource("customer", "alice-2", email=alice.email, created_at=timestamp_at(-500)),
            make_subscription("second", owner="alice-2", status="cancelled"),
            make_invoice("second-bill", owner="alice-2"),
            make_card("second-card", "alice-2"),
        )
        assert Customer.objects.get(provider_id="alice-2").account is None
        held = Browser(alice).get(EXPORT).json()
        assert [item["id"] for item in held["customer"]] == ["alice", "alice-2"]
        assert "second" in [item["id"] for item in held["plans"]]
        assert "second-bill" in [item["id"] for item in held["invoices"]]
        assert "second-card" in [item["id"] for item in held["paymentMethods"]]
        assert "bob" not in str(held)

    def test_it_names_no_operator(self, alice: Account) -> None:
        by = "support:olivia"
        events.record_event(alice, kind="resynced", text="Your account was brought up to date.", actor=by, at=NOW)
        Command.objects.create(
            account=alice, key="two", kind="resume", actor=by, state=Command.State.SUCCEEDED, steps=[]
        )
        response = Browser(alice).get(EXPORT)
        assert "olivia" not in response.content.decode()
        exported = response.json()
        assert [item["actor"] for item in exported["changes"]] == ["support", "you"]
        assert {item["actor"] for item in exported["activity"]} == {"support", "you"}

    def test_it_contains_no_secrets_and_no_data_of_others(self, alice: Account) -> None:
        SignInClient().request_code(alice.email)
        send_due_mail()
        browser = Browser(alice)
        exported_text = browser.get(EXPORT).content.decode()
        challenge, session = LoginChallenge.objects.get(), SessionToken.objects.get()
        secrets = (browser.token, session.digest, session.token_key, challenge.code_hash, "411111", "bob")
        assert [secret for secret in secrets if secret in exported_text] == []

    def test_the_number_of_queries_does_not_grow_with_the_data(self, alice: Account) -> None:
        counts = []
        for account in (alice, open_full_account("carla", plans=8)):
            browser = Browser(account)
            with CaptureQueriesContext(connection) as queries:
                assert browser.get(EXPORT).status_code == 200
            counts.append(len(queries))
        assert counts[0] == counts[1] <= 27

    def test_it_requires_a_token(self) -> None:
        assert Client().get(EXPORT).status_code == 401


class TestErasure:
    @pytest.fixture
    def operator(self, client: Client) -> Client:
        """Return a client signed in as a superuser."""
        client.force_login(User.objects.create_superuser("olga", password="correct horse battery staple"))
        return client

    @staticmethod
    def erase_url(account: Account) -> str:
        return reverse("admin:accounts_account_act", args=[account.pk, "erase"])

    def confirm_erasure(self, operator: Client, account: Account) -> str:
        """Confirm the erasure and return the page that follows."""
        return str(operator.post(self.erase_url(account), {"reason": "Asked by letter"}, follow=True).content.decode())

    def test_it_asks_for_confirmation(self, operator: Client, alice: Account) -> None:
        page = operator.get(self.erase_url(alice)).content.decode()
        assert "Erase alice@example.com?" in page
        assert "Invoices stay in Chargebee" in page
        assert Account.objects.filter(pk=alice.pk).exists()

    @pytest.mark.shows("rule-17")
    def test_it_deletes_all_data_of_the_subscriber(
        self, operator: Client, alice: Account, django_capture_on_commit_callbacks: Any
    ) -> None:
        browser, pdf = Browser(alice), store_pdf("alice-bill-0")
        SharedAddress.objects.create(email=alice.email, is_paid_for=False)
        SignInClient().request_code(alice.email)
        send_due_mail()
        operator.post(
            reverse("admin:accounts_account_act", args=[alice.pk, "sign-out-everywhere"]), {"reason": "Lost phone"}
        )
        with django_capture_on_commit_callbacks(execute=True):
            assert "The account was erased." in self.confirm_erasure(operator, alice)
        assert browser.get("/api/account").status_code == 401
        account_models = (Account, AccountEvent, OutgoingMail, AccountDocument, Command, CodeRedemption, RefusedCode)
        assert not SharedAddress.objects.exists()
        assert [model.objects.exclude(**exclude_bob(model)).count() for model in account_models] == [0] * 7
        sign_in_models = (LoginChallenge, SignInEvent, LimitCounter)
        assert "alice" not in str([list(model.objects.values()) for model in sign_in_models])
        mirror_models = (Customer, Subscription, Invoice, PaymentSource)
        assert [model.objects.filter(provider_id__startswith="alice").count() for model in mirror_models] == [0] * 4
        assert not default_storage.exists(pdf)

    @pytest.mark.shows("rule-17")
    def test_it_deletes_the_mail_to_an_address_that_the_account_had_before(
        self, operator: Client, alice: Account
    ) -> None:
        moved = make_resource("customer", "alice", email="moved@example.com", created_at=timestamp_at(-400))
        apply_resources({**moved, "resource_version": moved["resource_version"] + 1})
        assert OutgoingMail.objects.filter(to="alice@example.com", account=None).count() == 1
        self.confirm_erasure(operator, alice)
        assert set(OutgoingMail.objects.values_list("to", flat=True)) == {"bob@example.com"}

    @pytest.mark.shows("rule-17")
    def test_it_deletes_what_names_an_address_that_the_account_had_before(
        self, operator: Client, alice: Account
    ) -> None:
        SignInClient().request_code("alice@example.com")
        counter = LimitCounter.objects.get(key__startswith="send-gap")
        operator.post(reverse("admin:core_limitcounter_delete", args=[quote(counter.key)]), {"post": "yes"})
        moved = make_resource("customer", "alice", email="moved@example.com", created_at=timestamp_at(-400))
        apply_resources({**moved, "resource_version": moved["resource_version"] + 1})
        assert SignInClient().submit_code("123456", "alice@example.com").status_code == 400
        assert SignInEvent.objects.get().account is None

        self.confirm_erasure(operator, alice)

        models = (LoginChallenge, SignInEvent, LimitCounter, OutgoingMail, LogEntry)
        left = str([list(model.objects.values()) for model in models])
        assert ("alice@example.com" in left, "moved@example.com" in left) == (False, False)

    @pytest.mark.shows("rule-17")
    def test_it_leaves_no_reason_that_an_operator_gave_before(self, operator: Client, alice: Account) -> None:
        sign_out = reverse("admin:accounts_account_act", args=[alice.pk, "sign-out-everywhere"])
        operator.post(sign_out, {"reason": "Alice Liddell lost her phone"})
        assert "Liddell" in LogEntry.objects.get().change_message
        self.confirm_erasure(operator, alice)
        assert list(LogEntry.objects.order_by("pk").values_list("change_message", "object_repr")) == [
            ("Sessions ended: 0.", "an erased account"),
            ("The account was erased. Reason: Asked by letter", "an erased account"),
        ]

    @pytest.mark.shows("rule-17")
    def test_it_leaves_no_address_of_a_limit_that_an_operator_lifted(self, operator: Client, alice: Account) -> None:
        SignInClient().request_code(alice.email)
        for counter in LimitCounter.objects.filter(key__endswith=alice.email):
            operator.post(reverse("admin:core_limitcounter_delete", args=[quote(counter.key)]), {"post": "yes"})
        assert LogEntry.objects.filter(object_repr__contains=alice.email).exists()
        self.confirm_erasure(operator, alice)
        assert alice.email not in str(list(LogEntry.objects.values()))
        assert "send-gap" in str(list(LogEntry.objects.values()))

    @pytest.mark.shows("rule-17")
    def test_a_pdf_that_is_written_after_the_erasure_does_not_stay(
        self,
        operator: Client,
        alice: Account,
        settings: Settings,
        tmp_path: Path,
        django_capture_on_commit_callbacks: Any,
    ) -> None:
        def erase() -> None:
            with django_capture_on_commit_callbacks(execute=True):
                assert "The account was erased." in self.confirm_erasure(operator, alice)

        watch_storage(settings, tmp_path, before=erase)
        tasks.make_invoice_pdf(request_pdf(alice).pk)
        assert not InvoicePdf.objects.exists()
        assert stored_pdfs(tmp_path) == []

    @pytest.mark.shows("rule-17")
    def test_a_pdf_whose_worker_died_after_writing_it_is_erased(
        self,
        operator: Client,
        alice: Account,
        settings: Settings,
        tmp_path: Path,
        django_capture_on_commit_callbacks: Any,
    ) -> None:
        def die() -> None:
            raise KeyboardInterrupt

        watch_storage(settings, tmp_path, after=die)
        with pytest.raises(KeyboardInterrupt):
            tasks.make_invoice_pdf(request_pdf(alice).pk)
        assert len(stored_pdfs(tmp_path)) == 1
        with django_capture_on_commit_callbacks(execute=True):
            self.confirm_erasure(operator, alice)
        assert stored_pdfs(tmp_path) == []

    def test_statistics_stay_without_personal_data(self, operator: Client, alice: Account) -> None:
        of_alice: dict[str, Any] = {"subscription_id": "alice-0", "at": NOW}
        RevenueMovement.objects.create(
            kind="new", customer_id="alice", currency="USD", amount=699, first_at=NOW, **of_alice
        )
        ChurnEvent.objects.create(kind="paused", **of_alice)  # before her first sign-in
        self.confirm_erasure(operator, alice)
        kept = CancellationFeedback.objects.get(account=None)
        assert (kept.reason, kept.subscription_ids) == ("Too expensive", [])
        counted = ChurnEvent.objects.get(account=None, kind="cancelled")
        assert "alice" not in counted.subscription_id
        assert ChurnEvent.objects.get(kind="paused").subscription_id == counted.subscription_id
        assert RevenueMovement.objects.get().subscription_id == counted.subscription_id

    def test_the_log_names_the_operator_but_not_the_account(self, operator: Client, alice: Account) -> None:
        operator.post(
            reverse("admin:accounts_account_act", args=[alice.pk, "sign-out-everywhere"]), {"reason": "Lost phone"}
        )
        self.confirm_erasure(operator, alice)
        entries = LogEntry.objects.order_by("pk")
        assert [(entry.user.username, entry.object_repr) for entry in entries] == [("olga", "an erased account")] * 2
        assert entries[1].change_message == "The account was erased. Reason: Asked by letter"

    def test_another_account_keeps_all_its_data(self, operator: Client, alice: Account) -> None:
        bob = Account.objects.get(email="bob@example.com")
        before = json.loads(Browser(bob).get(EXPORT).content)
        self.confirm_erasure(operator, alice)
        after = json.loads(Browser(bob).get(EXPORT).content)
        assert {name: after[name] for name in ("plans", "invoices", "activity", "feedback")} == {
            name: before[name] for name in ("plans", "invoices", "activity", "feedback")
        }

    def test_an_account_with_a_live_plan_is_not_erased(self, operator: Client, alice: Account) -> None:
        apply_resources(make_subscription("alice-live", owner="alice"))
        assert "(still_subscribed)" in self.confirm_erasure(operator, alice)
        assert Account.objects.filter(pk=alice.pk).exists()
        assert AccountEvent.objects.filter(account=alice).exists()

    def test_an_account_with_a_change_in_progress_is_not_erased(self, operator: Client, alice: Account) -> None:
        Command.objects.create(account=alice, key="two", kind="resume", actor="you", steps=[])
        assert "(change_in_progress)" in self.confirm_erasure(operator, alice)
        assert Customer.objects.filter(account=alice).exists()

    def test_a_later_webhook_for_its_customer_is_ignored(
        self, operator: Client, alice: Account, sandbox: Sandbox
    ) -> None:
        self.confirm_erasure(operator, alice)
        webhook_intake.store_webhook_event(
            {
                "id": "ev_1",
                "event_type": "customer_changed",
                "occurred_at": timestamp_at(),
                "api_version": "v2",
                "content": {"customer": {"id": "alice"}},
            }
        )
        webhook_processing.replay_event(WebhookEvent.objects.get().pk)
        webhook_processing.process_event(WebhookEvent.objects.get().pk)
        assert WebhookEvent.objects.get().state == WebhookEvent.State.IGNORED
        assert not Customer.objects.filter(provider_id="alice").exists()

    @pytest.mark.parametrize("task", [tasks.resync_account, tasks.align_bundle])
    def test_a_task_that_runs_later_does_nothing(
        self, operator: Client, alice: Account, task: Callable[[int], None]
    ) -> None:
        self.confirm_erasure(operator, alice)
        task(alice.pk)
        assert not Customer.objects.filter(provider_id="alice").exists()

    def test_an_operator_who_is_not_a_superuser_is_refused(self, client: Client, alice: Account) -> None:
        support = User.objects.create_user("sam", password="correct horse battery staple", is_staff=True)
        client.force_login(support)
        assert client.post(self.erase_url(alice), {}).status_code == 403
        assert Account.objects.filter(pk=alice.pk).exists()


def exclude_bob(model: Any) -> dict[str, str]:
    """Return the lookup that excludes Bob's rows."""
    return {"email" if model is Account else "account__email": "bob@example.com"}
