"""The pages in which a night's resumes are made."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from billing import clock
from billing.jobs.resumes import worker
from billing.models import PauseSchedule
from billing.tests.support.live_provider import FAITH, Provider
from billing.tests.support.many_subscribers import PLANS, create_paused_subscribers
from core.clock import database_now

pytestmark = pytest.mark.django_db(transaction=True)


def count_queries_of_page(size: int, settings: Settings) -> int:
    """Resume what is due, in one page of this size; return how many queries it takes."""
    settings.RESUME_THREADS = size
    with CaptureQueriesContext(connection) as queries:
        counts = worker.resume_due_pauses(now=clock.billing_now())
    assert counts["resumed"] == size
    return len(queries)


def test_the_number_of_queries_does_not_grow_with_the_resumes_of_a_page(provider: Provider, settings: Settings) -> None:
    create_paused_subscribers(provider, subscriptions=6 * len(PLANS))
    # Customers with one pause each: several of one night have a joint receipt, which takes queries of its own.
    PauseSchedule.objects.exclude(subscription__item_price_id__startswith=FAITH).delete()
    later = PauseSchedule.objects.filter(pk__in=PauseSchedule.objects.order_by("pk").values("pk")[2:])
    later.update(next_attempt_at=database_now() + timedelta(hours=1))

    queries_of_two = count_queries_of_page(2, settings)
    PauseSchedule.objects.update(next_attempt_at=database_now())

    assert count_queries_of_page(4, settings) <= queries_of_two


@pytest.mark.parametrize(("made", "seconds", "following"), [(16, 0.5, 96), (96, 3, 96), (96, 24, 12)])
def test_the_next_page_is_of_a_size_that_takes_three_seconds(made: int, seconds: float, following: int) -> None:
    assert worker.next_page_size(made, seconds) == following
