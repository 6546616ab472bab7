"""Responses carry the offset of billing's clock, so that the app counts days by it."""

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from billing.models import ProviderClock

pytestmark = pytest.mark.django_db


@pytest.mark.shows("clock-1")
def test_the_site_read_returns_the_clock_offset() -> None:
    assert APIClient().get("/api/site").json()["clockOffset"] == 0

    ProviderClock.objects.create(offset_seconds=31 * 86400, refreshed_at=timezone.now())

    assert APIClient().get("/api/site").json()["clockOffset"] == 31 * 86400
