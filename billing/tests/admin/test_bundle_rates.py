"""Operators change bundle rates without a deployment."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.models import User
from billing import clock
from billing.jobs import schedule
from billing.models import BundleRate, Customer
from billing.tests.support.faulty_proxy import FaultyProxy
from billing.tests.support.live_provider import FAITH, GOSPEL, Provider

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def operator(db: None, client: Client) -> Client:
    client.force_login(User.objects.create_superuser("olga", password="correct horse battery staple"))
    return client


@pytest.fixture
def rate(db: None) -> BundleRate:
    return BundleRate.objects.create(size=2, percentage=10, coupon_id="BUNDLE-2")


def test_a_changed_rate_creates_a_coupon_and_updates_every_bundle(
    provider: Provider, operator: Client, rate: BundleRate
) -> None:
    ava = provider.subscriber("ava", FAITH, GOSPEL, coupon_ids=["BUNDLE-2"])

    page = operator.post(reverse("admin:billing_bundlerate_change", args=[rate.pk]), {"percentage": "12.5"})
    schedule.run_job("bundles", None, now=clock.billing_now())

    assert page.status_code == 302
    rate.refresh_from_db()
    assert (rate.percentage, rate.coupon_id) == (Decimal("12.5"), "BUNDLE-2-12_5")
    for plan in (FAITH, GOSPEL):
        assert [row.coupon_id for row in provider.subscription(ava, plan).coupons] == ["BUNDLE-2-12_5"]
    provider.travel(days=32)
    assert sorted(invoice.total for invoice in provider.invoices(ava)[-2:]) == [612, 699]


def test_a_rate_for_another_size_is_added(provider: Provider, operator: Client) -> None:
    page = operator.post(reverse("admin:billing_bundlerate_add"), {"size": "4", "percentage": "20"})

    assert page.status_code == 302
    assert BundleRate.objects.get().coupon_id == "BUNDLE-4-20"
    assert provider.sdk.Coupon.retrieve("BUNDLE-4-20").coupon.discount_percentage == 20


def test_the_database_is_not_locked_during_provider_requests(
    provider: Provider, faulty_proxy: FaultyProxy, operator: Client, rate: BundleRate
) -> None:
    written: list[bool] = []

    def write_row(_: bytes) -> None:
        written.append(bool(Customer.objects.create(provider_id=f"c{len(written)}", synced_at=clock.billing_now()).pk))
        connection.close()

    faulty_proxy.on_answer = write_row
    operator.post(reverse("admin:billing_bundlerate_change", args=[rate.pk]), {"percentage": "12.5"})

    assert written
    assert all(written)


def test_a_failed_publication_shows_an_error_and_changes_nothing(
    operator: Client, rate: BundleRate, settings: Settings
) -> None:
    settings.CHARGEBEE_ENDPOINT = "http://127.0.0.1:9/api/v2"

    page = operator.post(reverse("admin:billing_bundlerate_change", args=[rate.pk]), {"percentage": "50"})

    assert "reach our billing provider right now" in page.content.decode()
    rate.refresh_from_db()
    assert rate.percentage == 10
