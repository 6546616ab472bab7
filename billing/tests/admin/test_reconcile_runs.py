"""Operators see the progress of reconcile runs, read-only."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from billing.models import ReconcileRun

pytestmark = pytest.mark.django_db


def test_a_run_shows_where_it_is_and_cannot_be_changed(client: Client) -> None:
    client.force_login(User.objects.create_superuser("olga", password="correct horse battery staple"))
    run = ReconcileRun.objects.create(
        work="night",
        stage="invoice",
        looking=True,
        compared=300,
        next_attempt_at=timezone.now(),
        error="NotSent: away",
    )
    page = reverse("admin:billing_reconcilerun_change", args=[run.pk])

    listed = client.get(reverse("admin:billing_reconcilerun_changelist"), {"q": "NotSent"}).content.decode()

    assert "invoice: missing records" in listed
    assert "NotSent: away" in listed
    assert client.get(page).status_code == 200
    assert client.post(page, {"stage": "coupon"}).status_code == 403
    assert client.get(reverse("admin:billing_reconcilerun_add")).status_code == 403
