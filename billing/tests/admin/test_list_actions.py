"""Actions on the billing lists: replay a webhook, refresh a customer."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from accounts.models import User
from billing.models import Customer, Subscription, WebhookEvent
from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import FAITH, NOW
from billing.tests.api.synced_provider import UNREACHABLE_ENDPOINT, SyncedProvider
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
