"""Retention of billing's data."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import Settings

from accounts.models import Account
from billing import clock
from billing.jobs import schedule
from billing.models import JobRun, RefusedCode, WebhookEvent
from billing.tests.api.synced_provider import UNREACHABLE_ENDPOINT
from core.models import IdempotentRequest

pytestmark = pytest.mark.django_db


def store_old_event(event_id: str, *, days_ago: float) -> None:
    """Store an event received some days ago."""
    at = timezone.now() - timedelta(days=days_ago)
    WebhookEvent.objects.create(
        event_id=event_id, event_type="customer_changed", occurred_at=at, source="webhook", payload={}
    )
    WebhookEvent.objects.filter(event_id=event_id).update(received_at=at)


def store_old_answer(account: Account, key: str, *, hours_ago: float) -> None:
    """Store the idempotent request of some hours ago."""
    at = timezone.now() - timedelta(hours=hours_ago)
    IdempotentRequest.objects.create(user=account.user, key=key, fingerprint="x")
    IdempotentRequest.objects.filter(key=key).update(created_at=at)


@pytest.mark.shows("request-9", "rule-17")
def test_the_nightly_job_deletes_old_rows_even_during_an_outage(settings: Settings) -> None:
    settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT
    account = Account.objects.open_account(email="alice@example.com")
    for event_id, days_ago in (("older", 90.01), ("old", 89.99), ("new", 0.0)):
        store_old_event(event_id, days_ago=days_ago)
    for key, hours_ago in (("yesterday", 24.1), ("today", 23.9)):
        store_old_answer(account, key, hours_ago=hours_ago)
    for job, days_ago in (("feed", 90.01), ("pauses", 89.99)):
        JobRun.objects.create(job=job, started_at=timezone.now() - timedelta(days=days_ago))

    now = clock.billing_now()
    for code, days_ago in (("OLDER", 90.01), ("NEWER", 89.99)):
        RefusedCode.objects.create(account=account, code=code, at=now - timedelta(days=days_ago))

    run = schedule.run_job("reconcile", schedule.newest_night(now), now=now)

    assert run is not None
    assert "NotSent" in run.error
    assert set(WebhookEvent.objects.values_list("event_id", flat=True)) == {"old", "new"}
    assert set(IdempotentRequest.objects.values_list("key", flat=True)) == {"today"}
    assert set(JobRun.objects.values_list("job", flat=True)) == {"pauses", "reconcile"}
    assert set(RefusedCode.objects.values_list("code", flat=True)) == {"NEWER"}
