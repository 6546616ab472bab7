"""Actions on the billing lists: resume a subscription, replay a webhook, refresh a customer."""

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
    """Return a superuser's browser."""
    client.force_login(User.objects.create_superuser("olga", password="correct horse battery staple"))
    return client


@pytest.fixture
def shop(provider: Provider) -> SyncedProvider:
    """Return the live provider, where Alice has a paused subscription."""
    shop = SyncedProvider(provider)
    browser = Browser(shop.customer("alice"))
    faith = shop.subscribe("alice", FAITH)
    browser.post("/api/account/pause?days=30")
    shop.pass_term_end("alice", faith)
    return shop


def run_admin_action(operator: Client, model: Any, action: str, *pks: Any, **more: str) -> str:
    """Run an action on selected rows; return the HTML of the response."""
    url = reverse(f"admin:billing_{model._meta.model_name}_changelist")
    response = operator.post(url, {"action": action, "_selected_action": pks, **more}, follow=True)
    return response.content.decode()


def request_resume(operator: Client, **more: str) -> str:
    """Request the resume of the only pause; return the HTML of the confirmation."""
    return run_admin_action(operator, PauseSchedule, "resume_now", PauseSchedule.objects.get().pk, **more)


def confirm_resume(operator: Client, confirmation: str) -> str:
    """Submit the form of the confirmation unchanged; return the HTML of the response."""
    form = dict(re.findall(r'type="hidden" name="((?:key|quote)-[^"]*)" value="([^"]*)"', confirmation))
    selected = re.findall(r'type="hidden" name="_selected_action" value="([^"]*)"', confirmation)
    return run_admin_action(operator, PauseSchedule, "resume_now", *selected, confirmed="Resume now", **form)


def test_the_confirmation_shows_what_resuming_charges(shop: SyncedProvider, operator: Client) -> None:
    confirmation = request_resume(operator)
    assert "charges $6.99 now" in confirmation
    assert "alice@example.com" in confirmation
    assert Subscription.objects.get().status == "paused"


def test_an_operator_resumes_for_a_subscriber(shop: SyncedProvider, operator: Client) -> None:
    assert "is active again" in confirm_resume(operator, request_resume(operator))
    assert shop.subscription(Subscription.objects.get().provider_id)["status"] == "active"
    assert PauseSchedule.objects.get().state == "resumed"
    assert Command.objects.get(kind="resume").actor == "support:olga"
    assert AccountEvent.objects.filter(kind="resumed", actor="support:olga").count() == 1


def test_a_confirmation_submitted_twice_resumes_once(shop: SyncedProvider, operator: Client) -> None:
    confirmation = request_resume(operator)
    assert "is active again" in confirm_resume(operator, confirmation)
    assert "is active again" in confirm_resume(operator, confirmation)
    assert Command.objects.filter(kind="resume").count() == 1
    assert len(shop.invoices("alice")) == 2


def test_a_failed_resume_shows_the_reason(shop: SyncedProvider, operator: Client) -> None:
    shop.provider.add_card("alice", DECLINING_CARD)
    assert "payment_processing_failed" in confirm_resume(operator, request_resume(operator))
    assert PauseSchedule.objects.get().state == "paused"


def test_an_outdated_quote_must_be_confirmed_again(shop: SyncedProvider, operator: Client) -> None:
    confirmation = request_resume(operator)
    stale = re.sub(r'(name="quote-[^"]*" value=")[^"]*', r"\1another", confirmation)
    new_confirmation = confirm_resume(operator, stale)
    assert "the amount has changed" in new_confirmation
    assert "charges $6.99 now" in new_confirmation
    assert not Command.objects.filter(kind="resume").exists()
    assert "is active again" in confirm_resume(operator, new_confirmation)


def test_a_subscription_that_is_already_resumed_is_reported(shop: SyncedProvider, operator: Client) -> None:
    first, second = request_resume(operator), request_resume(operator)
    confirm_resume(operator, first)
    assert "nothing_to_resume" in confirm_resume(operator, second)
    assert len(shop.invoices("alice")) == 2


def test_an_operator_replays_a_webhook(db: None, operator: Client) -> None:
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


def test_an_operator_refreshes_a_customer(shop: SyncedProvider, operator: Client) -> None:
    handle = Subscription.objects.get().provider_id
    shop.client.Subscription.resume(handle, {"resume_option": "immediately"})
    assert "Customers refreshed: 1." in run_admin_action(operator, Customer, "read_again", Customer.objects.get().pk)
    assert Subscription.objects.get().status == "active"


def test_an_unavailable_provider_is_reported(shop: SyncedProvider, operator: Client, settings: Any) -> None:
    settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT
    messages = run_admin_action(operator, Customer, "read_again", Customer.objects.get().pk)
    assert "reach Chargebee" in messages
    assert "Customers refreshed: 0." in messages
