"""Pauses end on their promised date, whatever happens meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from pytest_django import Settings

from accounts.models import Account, OutgoingMail
from billing import clock
from billing.changes import cancellation, resumes
from billing.jobs import schedule as job_schedule
from billing.mirror import reconcile
from billing.models import JobRun, PauseSchedule
from billing.survey import Survey
from billing.tests.changes.test_pauses import pause_plans, run_due_jobs
from billing.tests.support.live_provider import FAITH, Provider, utc_time

pytestmark = pytest.mark.django_db(transaction=True)

State = PauseSchedule.State
NEW_YORK = ZoneInfo("America/New_York")
UNREACHABLE_ENDPOINT = "http://127.0.0.1:1/api/v2"


def first_schedule() -> PauseSchedule:
    return PauseSchedule.objects.earliest("pk")


def start_pause(provider: Provider) -> None:
    provider.travel_to(first_schedule().pause_date + timedelta(hours=1))
    run_due_jobs()


def cancel_everything(account: Account) -> None:
    cancellation.cancel_subscriptions(
        account, subscription_ids=None, survey=Survey(), key="bye", actor="you", now=clock.billing_now()
    )


def just_pause(provider: Provider, account: Account) -> None:
    start_pause(provider)


def cancel_while_scheduled(provider: Provider, account: Account) -> None:
    cancel_everything(account)


def cancel_while_paused(provider: Provider, account: Account) -> None:
    start_pause(provider)
    cancel_everything(account)


def cancel_in_console_while_paused(provider: Provider, account: Account) -> None:
    start_pause(provider)
    provider.sdk.Subscription.cancel_for_items(provider.subscription(account).id, {"cancel_option": "immediately"})


def resume_on_promised_day(provider: Provider, account: Account) -> None:
    start_pause(provider)
    provider.travel_to(job_schedule.newest_night(first_schedule().resume_date) - timedelta(hours=1))
    by_hand: dict[str, Any] = {"subscription_ids": None, "quote": None, "key": "hand", "actor": "you"}
    resumes.resume_subscriptions(account, **by_hand, now=clock.billing_now())


def resume_at_provider(provider: Provider, account: Account) -> None:
    start_pause(provider)
    earlier = {"resume_option": "specific_date", "resume_date": int(clock.billing_now().timestamp()) + 86400}
    provider.sdk.Subscription.resume(provider.subscription(account).id, earlier)


@pytest.mark.parametrize(
    ("happens", "ends", "state", "invoices", "resumed"),
    [
        (just_pause, "active", State.RESUMED, 2, 1),
        (cancel_while_scheduled, "cancelled", State.CANCELLED, 1, 0),
        (cancel_while_paused, "cancelled", State.CANCELLED, 1, 0),
        (cancel_in_console_while_paused, "cancelled", State.SUPERSEDED, 1, 0),
        (resume_on_promised_day, "active", State.RESUMED, 2, 1),
        # It was resumed a month earlier at the provider and has renewed there.
        (resume_at_provider, "active", State.RESUMED, 3, 0),
    ],
)
def test_a_paused_subscription_is_resumed_and_billed_at_most_once(
    provider: Provider,
    happens: Callable[[Provider, Account], None],
    ends: str,
    state: str,
    invoices: int,
    resumed: int,
) -> None:
    alice = provider.subscriber("alice", FAITH)
    pause_plans(alice)

    happens(provider, alice)
    for day in range(3):
        provider.travel_to(job_schedule.newest_night(first_schedule().resume_date) + timedelta(days=day, minutes=1))
        reconcile.read_feed(now=clock.billing_now())
        run_due_jobs()

    assert provider.subscription(alice).status == ends
    assert first_schedule().state == state
    assert len(provider.invoices(alice)) == invoices
    titles = [mail.context.get("title") for mail in OutgoingMail.objects.filter(account=alice)]
    assert titles.count("Faith & Family is active again") == resumed


@pytest.mark.shows("reliability-35")
def test_the_schedule_follows_a_pause_moved_in_the_console(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    pause_plans(alice)
    subscription = provider.subscription(alice)
    sooner = utc_time(subscription.current_term_end) - timedelta(days=10)
    provider.sdk.Subscription.pause(
        subscription.id, {"pause_option": "specific_date", "pause_date": int(sooner.timestamp())}
    )

    reconcile.read_feed(now=clock.billing_now())

    assert (first_schedule().pause_date, first_schedule().resume_date) == (
        sooner,
        sooner + timedelta(days=30),
    )
    provider.travel_to(sooner + timedelta(hours=1))
    run_due_jobs()
    assert first_schedule().state == State.PAUSED


def test_resumes_catch_up_after_an_outage_of_a_whole_night(provider: Provider, settings: Settings) -> None:
    alice = provider.subscriber("alice", FAITH)
    pause_plans(alice)
    start_pause(provider)
    provider.travel_to(job_schedule.newest_night(first_schedule().resume_date) + timedelta(minutes=1))

    endpoint, settings.CHARGEBEE_ENDPOINT = settings.CHARGEBEE_ENDPOINT, UNREACHABLE_ENDPOINT
    run_due_jobs()
    assert resumes.count_overdue_resumes(now=clock.billing_now() + timedelta(days=1)) == 1
    settings.CHARGEBEE_ENDPOINT = endpoint
    provider.travel(hours=1)
    run_due_jobs()

    assert provider.subscription(alice).status == "active"
    assert len(provider.invoices(alice)) == 2
    assert first_schedule().declines == 0


@pytest.mark.shows("rule-1", "reliability-26")
@pytest.mark.parametrize(
    ("subscribed", "pauses", "comes_back"),
    [
        ("2026-01-31T12:00", "2026-02-28", "2026-03-30"),  # a month of 28 days
        ("2028-01-31T12:00", "2028-02-29", "2028-03-30"),  # the leap day
        ("2028-01-30T12:00", "2028-02-29", "2028-03-30"),
        ("2026-01-06T12:00", "2026-02-06", "2026-03-08"),  # back on the day of 23 hours
        ("2026-09-02T12:00", "2026-10-02", "2026-11-01"),  # back on the day of 25 hours
        ("2026-09-02T03:30", "2026-10-01", "2026-10-31"),  # half past eleven in the evening in New York
        ("2026-10-01T04:30", "2026-11-01", "2026-11-30"),  # from half past midnight of a day of 25 hours
        ("2026-12-01T12:00", "2027-01-01", "2027-01-31"),
    ],
)
def test_the_promised_date_is_kept_in_the_sites_time_zone(
    provider: Provider, subscribed: str, pauses: str, comes_back: str
) -> None:
    provider.sandbox.start_afresh(datetime.fromisoformat(subscribed).replace(tzinfo=UTC))
    provider.open_shop()
    alice = provider.subscriber("alice", FAITH)
    pause_plans(alice)
    promised = first_schedule()
    dates = [clock.local_date(instant, NEW_YORK.key) for instant in (promised.pause_date, promised.resume_date)]
    assert [date.isoformat() for date in dates] == [pauses, comes_back]
    assert promised.resume_date - promised.pause_date == timedelta(days=30)
    start_pause(provider)
    night = datetime.combine(dates[1], job_schedule.NIGHTLY_AT, tzinfo=NEW_YORK).astimezone(UTC)

    for before in (timedelta(hours=23), timedelta(minutes=1)):
        provider.travel_to(night - before)
        run_due_jobs()
    assert provider.subscription(alice).status == "paused"
    provider.travel_to(night + timedelta(minutes=1))
    run_due_jobs()
    run_due_jobs()

    assert provider.subscription(alice).status == "active"
    assert len(provider.invoices(alice)) == 2
    assert JobRun.objects.filter(job="resumes", scheduled_for=night).count() == 1
