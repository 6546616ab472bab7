"""What billing keeps no longer than it needs (contract, rule 17)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import Settings

from accounts.models import Account
from billing import clock
from billing.models import IdempotentRequest, WebhookEvent
from billing.services import jobs
from billing.tests.api.shop import NOBODY

pytestmark = pytest.mark.django_db


def received(event_id: str, *, days_ago: float) -> None:
    """Store an event as of some days ago."""
    at = timezone.now() - timedelta(days=days_ago)
    WebhookEvent.objects.create(
        event_id=event_id, event_type="customer_changed", occurred_at=at, source="webhook", payload={}
    )
    WebhookEvent.objects.filter(event_id=event_id).update(received_at=at)


def asked(account: Account, key: str, *, hours_ago: float) -> None:
    """Keep the answer that a key got some hours ago."""
    at = timezone.now() - timedelta(hours=hours_ago)
    IdempotentRequest.objects.create(account=account, key=key, fingerprint="x", claimed_at=at)
    IdempotentRequest.objects.filter(key=key).update(created_at=at)


def test_the_night_forgets_what_is_old_whether_or_not_the_provider_answers(settings: Settings) -> None:
    settings.CHARGEBEE_ENDPOINT = NOBODY
    account = Account.objects.open(email="alice@example.com")
    for event_id, days_ago in (("older", 90.01), ("old", 89.99), ("new", 0.0)):
        received(event_id, days_ago=days_ago)
    for key, hours_ago in (("yesterday", 24.1), ("today", 23.9)):
        asked(account, key, hours_ago=hours_ago)

    now = clock.now()
    run = jobs.run("reconcile", jobs.newest_night(now), now=now)

    assert run is not None
    assert "NotSent" in run.error
    assert set(WebhookEvent.objects.values_list("event_id", flat=True)) == {"old", "new"}
    assert set(IdempotentRequest.objects.values_list("key", flat=True)) == {"today"}
