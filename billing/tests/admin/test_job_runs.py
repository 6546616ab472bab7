"""Operators see the progress of job runs, read-only."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from billing.models import JobRun
from billing.models.job_runs import Cursor

pytestmark = pytest.mark.django_db


def test_a_job_run_shows_its_progress_and_is_read_only(client: Client) -> None:
    client.force_login(User.objects.create_superuser("olga", password="correct horse battery staple"))
    run = JobRun.objects.create(
        job="reconcile",
        scheduled_for=timezone.now(),
        cursor=Cursor("invoice", is_list_read=True),
        counts={"compared": 300},
        counts_by_stage={"customer": {"compared": 100}, "invoice": {"compared": 200}},
        error="NotSent: away",
    )
    page = reverse("admin:billing_jobrun_change", args=[run.pk])

    listing = client.get(reverse("admin:billing_jobrun_changelist"), {"q": "NotSent"}).content.decode()

    assert "invoice: missing records" in listing
    assert "compared 300" in listing
    assert "NotSent: away" in listing
    assert "&quot;compared&quot;: 200" in client.get(page).content.decode()
    assert client.post(page, {"error": ""}).status_code == 403
    assert client.get(reverse("admin:billing_jobrun_add")).status_code == 403
