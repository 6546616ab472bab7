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
from billing.tests.api.mirrored import FAITH, NOW
from billing.tests.api.shop import DECLINES, NOBODY, Shop
from billing.tests.live import Provider

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(client: Client) -> Client:
    """A superuser's browser."""
    client.force_login(User.objects.create_superuser("olga", password="correct horse battery staple"))
    return client


@pytest.fixture
def shop(provider: Provider) -> Shop:
    """The live provider, where Alice has a subscription that is paused."""
    shop = Shop(provider)
    browser = Browser(shop.customer("alice"))
    faith = shop.subscribe("alice", FAITH)
    browser.post("/api/account/pause?days=30")
    shop.pass_term_end("alice", faith)
    return shop


def act(operator: Client, model: Any, action: str, *pks: Any, **more: str) -> str:
    """Choose rows, run an action and read the answer."""
    address = reverse(f"admin:billing_{model._meta.model_name}_changelist")
    answer = operator.post(address, {"action": action, "_selected_action": pks, **more}, follow=True)
    return answer.content.decode()


def resume(operator: Client, **more: str) -> str:
    """Have the one pause there is resumed."""
    return act(operator, PauseSchedule, "resume_now", PauseSchedule.objects.get().pk, **more)


def confirm(operator: Client, asked: str) -> str:
    """Send the question's form as it stands."""
    form = dict(re.findall(r'type="hidden" name="((?:key|quote)-[^"]*)" value="([^"]*)"', asked))
    chosen = re.findall(r'type="hidden" name="_selected_action" value="([^"]*)"', asked)
    return act(operator, PauseSchedule, "resume_now", *chosen, confirmed="Resume now", **form)


def test_it_first_says_what_resuming_charges(shop: Shop, operator: Client) -> None:
    asked = resume(operator)
    assert "charges $6.99 now" in asked
    assert "alice@example.com" in asked
    assert Subscription.objects.get().status == "paused"


def test_an_operator_resumes_for_a_subscriber(shop: Shop, operator: Client) -> None:
    assert "is resumed" in confirm(operator, resume(operator))
    assert shop.subscription(Subscription.objects.get().provider_id)["status"] == "active"
    assert PauseSchedule.objects.get().state == "resumed"
    assert Command.objects.get(kind="resume").actor == "support:olga"
    assert AccountEvent.objects.filter(kind="resumed", actor="support:olga").count() == 1


def test_what_the_question_holds_is_resumed_once_however_often_it_is_sent(
    shop: Shop, operator: Client
) -> None:
    asked = resume(operator)
    assert "is resumed" in confirm(operator, asked)
    assert "is resumed" in confirm(operator, asked)
    assert Command.objects.filter(kind="resume").count() == 1
    assert len(shop.invoices("alice")) == 2


def test_an_operator_is_told_why_it_stays_paused(shop: Shop, operator: Client) -> None:
    shop.provider.add_card("alice", DECLINES)
    assert "payment_processing_failed" in confirm(operator, resume(operator))
    assert PauseSchedule.objects.get().state == "paused"


def test_figures_that_were_not_shown_are_asked_about_again(shop: Shop, operator: Client) -> None:
    asked = resume(operator)
    stale = re.sub(r'(name="quote-[^"]*" value=")[^"]*', r"\1another", asked)
    again = confirm(operator, stale)
    assert "the amount has changed" in again
    assert "charges $6.99 now" in again
    assert not Command.objects.filter(kind="resume").exists()
    assert "is resumed" in confirm(operator, again)


def test_an_operator_is_told_that_it_was_resumed_meanwhile(shop: Shop, operator: Client) -> None:
    first, second = resume(operator), resume(operator)
    confirm(operator, first)
    assert "nothing_to_resume" in confirm(operator, second)
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
    assert "Events to be processed again: 1." in act(operator, WebhookEvent, "replay", event.pk)
    event.refresh_from_db()
    assert (event.state, event.attempts, event.error) == ("received", 0, "")
    entry = LogEntry.objects.get()
    assert (entry.user.get_username(), entry.get_edited_object()) == ("olga", event)
    assert entry.change_message == "Had it processed again."


def test_a_customer_is_read_again(shop: Shop, operator: Client) -> None:
    handle = Subscription.objects.get().provider_id
    shop.client.Subscription.resume(handle, {"resume_option": "immediately"})
    assert "Customers read again: 1." in act(operator, Customer, "read_again", Customer.objects.get().pk)
    assert Subscription.objects.get().status == "active"


def test_an_operator_is_told_that_the_provider_is_away(shop: Shop, operator: Client, settings: Any) -> None:
    settings.CHARGEBEE_ENDPOINT = NOBODY
    told = act(operator, Customer, "read_again", Customer.objects.get().pk)
    assert "could not be asked" in told
    assert "Customers read again: 0." in told
