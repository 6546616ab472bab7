"""The pace of requests: subscribers' own go first, then reads after webhooks, then jobs."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest
from django.utils import timezone
from pytest_django import Settings

from billing.gateway import records
from billing.gateway.errors import NotSent
from billing.gateway.http import rate_limit, retry
from billing.mirror.events import webhook_intake
from billing.models import WebhookEvent
from billing.tests.support.live_provider import Provider

pytestmark = pytest.mark.django_db(transaction=True)


@dataclass
class SimulatedClock:
    """A clock that only waiting for a turn moves, and the waits (seconds)."""

    at: datetime = field(default_factory=timezone.now)
    waits: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.at += timedelta(seconds=seconds)

    def as_clock(self) -> rate_limit.Clock:
        return rate_limit.Clock(now=lambda: self.at, sleep=self.sleep)


def make_request() -> None:
    records.find_record("coupon", "BUNDLE-2")


def make_throttled_requests(provider: Provider, *, count: int) -> None:
    """Make requests, each of which the provider asks to wait for a second."""
    for _ in range(count):
        provider.sandbox.order_fault("error", "/coupons/*", method="GET", status=429, retry_after=1)
        make_request()


def make_requests_until(end: datetime, clock: SimulatedClock, pace: AbstractContextManager[None]) -> int:
    """Make requests until the clock passes `end`; return how many were made before it."""
    made = 0
    with pace:
        while True:
            make_request()
            if clock.at > end:
                return made
            made += 1


@pytest.mark.shows("reliability-5")
@pytest.mark.parametrize(("asked", "left"), [(0, 20), (12, 8), (30, 2)])
def test_jobs_leave_room_for_what_subscribers_used(
    provider: Provider, settings: Settings, asked: int, left: int
) -> None:
    settings.CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE = 20
    clock = SimulatedClock()
    for _ in range(asked):
        make_request()

    minute = timedelta(seconds=58)
    assert make_requests_until(clock.at + minute, clock, rate_limit.throttle_jobs(clock.as_clock())) == left


@pytest.mark.shows("reliability-5")
def test_reads_after_webhooks_go_before_jobs(provider: Provider, settings: Settings) -> None:
    settings.CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE = 100
    clock = SimulatedClock()
    jobs, events = rate_limit.throttle_jobs, rate_limit.throttle_events
    began = clock.at
    alone = make_requests_until(began + timedelta(seconds=58), clock, jobs(clock.as_clock()))
    assert 97 <= alone <= 100

    webhook_intake.store_webhook_event(
        {
            "id": "ev_1",
            "event_type": "customer_changed",
            "occurred_at": int(timezone.now().timestamp()),
            "api_version": "v2",
            "content": {"customer": {"id": "alice"}},
        }
    )
    assert WebhookEvent.objects.due().exists()
    clock.waits.clear()
    with events(clock.as_clock()):
        for _ in range(30):
            make_request()

    assert clock.waits[0] < 1
    assert sum(clock.waits) < 30
    # In the minute after that, jobs have what the events leave, and half at least.
    clock.at += timedelta(seconds=61 - sum(clock.waits))
    assert make_requests_until(clock.at + timedelta(seconds=58), clock, jobs(clock.as_clock())) <= 50


def test_requests_that_share_a_wait_do_not_wait_as_long_one_after_the_other(provider: Provider) -> None:
    # Each waits for one to two seconds.
    with retry.retry_when_throttled(lambda: None, longest_wait=3.5), retry.share_longest_wait():
        make_throttled_requests(provider, count=1)

        with pytest.raises(NotSent):
            make_throttled_requests(provider, count=3)
