"""What operators do in billing: resume for a subscriber, process an event again, read a customer again."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from accounts.models import AccountEvent, User
from billing.models import Command, Customer, PauseSchedule, Subscription, WebhookEvent
from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import FAITH, NOW
from billing.tests.api.synced_provider import DECLINING_CARD, UNREACHABLE_ENDPOINT, SyncedProvider
from billing.tests.support.live_provider import Provider

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(client: Client) -> Client:
    """A superuser's browser."""
    client.force_login(User.objects.create_superuser("olga", password="correct horse battery staple"))
    return client


@pytest.fixture
def shop(provider: Provider) -> SyncedProvider:
    """The live provider, where Alice has a subscription that is paused."""
    shop = SyncedProvider(provider)
    browser = Browser(shop.customer("alice"))
    faith = shop.subscribe("alice", FAITH)
    browser.post("/api/account/pause?days=30")
    shop.pass_term_end("alice", faith)
    return shop


def run_admin_action(operator: Client, model: Any, action: str, *pks: Any, **more: str) -> str:
    """Choose rows, run an action and read the answer."""
    address = reverse(f"admin:billing_{model._meta.model_name}_changelist")
    answer = operator.post(address, {"action": action, "_selected_action": pks, **more}, follow=True)
    return answer.content.decode()


def ask_to_resume(operator: Client, **more: str) -> str:
    """Have the one pause there is resumed."""
    return run_admin_action(operator, PauseSchedule, "resume_now", PauseSchedule.objects.get().pk, **more)


def confirm_question(operator: Client, question: str) -> str:
    """Send the question's form as it stands."""
    form = dict(re.findall(r'type="hidden" name="((?:key|quote)-[^"]*)" value="([^"]*)"', question))
    chosen = re.findall(r'type="hidden" name="_selected_action" value="([^"]*)"', question)
    return run_admin_action(operator, PauseSchedule, "resume_now", *chosen, confirmed="Resume now", **form)


def test_it_first_says_what_resuming_charges(shop: SyncedProvider, operator: Client) -> None:
    question = ask_to_resume(operator)
    assert "charges $6.99 now" in question
    assert "alice@example.com" in question
    assert Subscription.objects.get().status == "paused"


def test_an_operator_resumes_for_a_subscriber(shop: SyncedProvider, operator: Client) -> None:
    assert "is active again" in confirm_question(operator, ask_to_resume(operator))
    assert shop.subscription(Subscription.objects.get().provider_id)["status"] == "active"
    assert PauseSchedule.objects.get().state == "resumed"
    assert Command.objects.get(kind="resume").actor == "support:olga"
    assert AccountEvent.objects.filter(kind="resumed", actor="support:olga").count() == 1


def test_what_the_question_holds_is_resumed_once_however_often_it_is_sent(
    shop: SyncedProvider, operator: Client
) -> None:
    question = ask_to_resume(operator)
    assert "is active again" in confirm_question(operator, question)
    assert "is active again" in confirm_question(operator, question)
    assert Command.objects.filter(kind="resume").count() == 1
    assert len(shop.invoices("alice")) == 2


def test_an_operator_is_told_why_it_stays_paused(shop: SyncedProvider, operator: Client) -> None:
    shop.provider.add_card("alice", DECLINING_CARD)
    assert "payment_processing_failed" in confirm_question(operator, ask_to_resume(operator))
    assert PauseSchedule.objects.get().state == "paused"


def test_figures_that_were_not_shown_are_asked_about_again(shop: SyncedProvider, operator: Client) -> None:
    question = ask_to_resume(operator)
    stale = re.sub(r'(name="quote-[^"]*" value=")[^"]*', r"\1another", question)
    again = confirm_question(operator, stale)
    assert "the amount has changed" in again
    assert "charges $6.99 now" in again
    assert not Command.objects.filter(kind="resume").exists()
    assert "is active again" in confirm_question(operator, again)


def test_an_operator_is_told_that_it_was_resumed_meanwhile(shop: SyncedProvider, operator: Client) -> None:
    first, second = ask_to_resume(operator), ask_to_resume(operator)
    confirm_question(operator, first)
    assert "nothing_to_resume" in confirm_question(operator, second)
    assert len(shop.invoices("alice")) == 2


def test_an_event_is_processed_again(db: None, operator: Client) -> None:
    event = WebhookEvent.objects.create(
        event_id="ev_1",
        event_type="invoice_updated",
        occurred_at=NOW,
        source="webhook",
        payload={"names": {}},
        state="parked",
        attempts=8,
        error="boom",
    )
    assert "Events to process again: 1." in run_admin_action(operator, WebhookEvent, "replay", event.pk)
    event.refresh_from_db()
    assert (event.state, event.attempts, event.error) == ("received", 0, "")
    entry = LogEntry.objects.get()
    assert (entry.user.get_username(), entry.get_edited_object()) == ("olga", event)
    assert entry.change_message == "Had it processed again."


def test_a_customer_is_read_again(shop: SyncedProvider, operator: Client) -> None:
    handle = Subscription.objects.get().provider_id
    shop.client.Subscription.resume(handle, {"resume_option": "immediately"})
    assert "Customers refreshed: 1." in run_admin_action(operator, Customer, "read_again", Customer.objects.get().pk)
    assert Subscription.objects.get().status == "active"


def test_an_operator_is_told_that_the_provider_is_away(shop: SyncedProvider, operator: Client, settings: Any) -> None:
    settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT
    messages = run_admin_action(operator, Customer, "read_again", Customer.objects.get().pk)
    assert "reach Chargebee" in messages
    assert "Customers refreshed: 0." in messages
