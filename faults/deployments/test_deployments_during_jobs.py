"""Deployments that stop workers during long jobs."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import OutgoingMail
from billing import clock
from billing.mirror import account_import
from billing.mirror.events import webhook_processing
from billing.models import Command, Heartbeat, JobRun, PauseSchedule, RequestPace, Subscription, WebhookEvent
from billing.tests.support.faulty_proxy import is_write_request
from billing.tests.support.live_provider import FAITH
from faults.support.running_portal import RunningPortal, wait_until

# Less than a deployment waits before SIGKILL (docs/deployment.md).
GRACE_SECONDS = 30.0
# Enough that, one by one at a slow provider, they take longer than the grace period.
RESUMES = 12


def create_paused(portal: RunningPortal, name: str, *, state: str, since: timedelta) -> list[str]:
    """Pause subscriptions at the provider and create their schedules; return the provider's ids."""
    api, ids = portal.provider.sdk.Subscription, []
    for number in range(RESUMES):
        account, _ = portal.create_subscriber(f"{name}{number}", FAITH)
        ids.append(portal.provider.subscription(account).id)
        api.pause(ids[-1], {"pause_option": "immediately"})
        account_import.refresh_resource("subscription", ids[-1])
    now = clock.billing_now()
    began = now - since
    PauseSchedule.objects.bulk_create(
        PauseSchedule(
            subscription=subscription,
            state=state,
            pause_date=began,
            resume_date=began + timedelta(days=30),
            # After the provider's pause began, which would be another one otherwise.
            created_at=now,
        )
        for subscription in Subscription.objects.filter(provider_id__in=ids, status="paused")
    )
    return ids


def count_resumes(portal: RunningPortal, ids: list[str]) -> Counter[str]:
    """Return how often the provider has resumed each of the subscriptions."""
    events = portal.provider.events("subscription_resumed")
    return Counter(identifier for event in events if (identifier := event.content["subscription"]["id"]) in ids)


def slow_provider(portal: RunningPortal) -> dict[str, str]:
    """Make each resume slow."""
    portal.provider_proxy.on_answer = lambda request: time.sleep(3) if is_write_request(request) else None
    return {"RESUME_THREADS": "1"}


def limit_requests(portal: RunningPortal) -> dict[str, str]:
    """Lower the rate limit, so that threads wait for it."""
    return {"RESUME_THREADS": "3", "CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE": "10"}


def busy_provider(portal: RunningPortal) -> dict[str, str]:
    """Make the provider answer all but the first request with 429 and a minute's delay."""
    fault: dict[str, str | int] = {"status": 429, "retry_after": 60, "count": RESUMES, "skip": 1}
    portal.provider.sandbox.order_fault("error", "/subscriptions/*/resume", **fault)
    return {"RESUME_THREADS": "3"}


@pytest.mark.shows("reliability-16")
@pytest.mark.parametrize("held_up_by", [slow_provider, limit_requests, busy_provider])
def test_a_worker_stopped_during_the_nightly_resumes_leaves_the_rest_to_the_next(
    portal: RunningPortal, held_up_by: Callable[[RunningPortal], dict[str, str]]
) -> None:
    night = JobRun.objects.filter(job="resumes", finished_at__isnull=False)
    wait_until(night.exists, what="the night before")
    name = held_up_by.__name__.replace("_", "")
    ids = create_paused(portal, name, state=PauseSchedule.State.PAUSED, since=timedelta(days=31))
    portal.settle_work()
    portal.processes["jobs"].terminate_process()
    night.delete()
    portal.run_process("jobs", **held_up_by(portal))
    portal.send_ticks()
    # In the middle of a page.
    wait_until(lambda: count_resumes(portal, ids), what="the first resume")
    assert portal.processes["jobs"].terminate_process() < GRACE_SECONDS
    left = PauseSchedule.objects.filter(subscription__provider_id__in=ids, state=PauseSchedule.State.PAUSED)
    assert left.count() > RESUMES / 2
    untouched = left.filter(attempts=0, failed_attempts=0, retry_at=None, last_error="")
    assert untouched.count() == left.count()
    assert not Command.objects.filter(state__in=Command.OPEN).exists()

    portal.provider_proxy.restore()
    portal.provider.sandbox.clear_faults()
    RequestPace.objects.all().delete()
    portal.run_process("jobs")
    portal.send_ticks()
    wait_until(lambda: not left.exists(), what="the rest of the resumes")
    assert count_resumes(portal, ids) == dict.fromkeys(ids, 1)
    mails = OutgoingMail.objects.filter(account__customer__subscriptions__provider_id__in=ids)
    assert mails.count() == RESUMES


def run_pause_start(portal: RunningPortal) -> None:
    """Create pauses that have begun, and make the hourly job due."""
    create_paused(portal, "pam", state=PauseSchedule.State.SCHEDULED, since=timedelta(days=1))
    portal.processes["jobs"].terminate_process()
    JobRun.objects.filter(job="pauses").delete()


def run_reconcile(portal: RunningPortal) -> None:
    """Make the nightly reconcile due."""
    portal.create_subscriber("rhea", FAITH)
    portal.processes["jobs"].terminate_process()
    JobRun.objects.filter(job="reconcile").delete()


def process_unannounced_events(portal: RunningPortal) -> None:
    """Make webhook events due, for the worker of jobs alone: the other one processes them without waiting."""
    accounts = [portal.create_subscriber(f"saul{number}", FAITH)[0] for number in range(4)]
    created = WebhookEvent.objects.filter(
        event_type="subscription_created", owner__in=[account.customer.provider_id for account in accounts]
    )
    wait_until(lambda: created.count() == len(accounts), what="a webhook for each subscription")
    portal.settle_work()
    for name in ("worker", "jobs"):
        portal.processes[name].terminate_process()
    for event in list(created):
        # An event that the feed lacks, so that what it names is read one by one.
        created.filter(pk=event.pk).update(event_id=f"{event.event_id}_lost")
        webhook_processing.replay_event(event.pk)
    portal.send_task("billing.tasks.process_due_webhooks", queue="jobs")


@pytest.mark.shows("reliability-16")
@pytest.mark.parametrize("work", [run_pause_start, run_reconcile, process_unannounced_events])
def test_a_stopping_worker_does_not_wait_for_the_rate_limit(
    portal: RunningPortal, work: Callable[[RunningPortal], None]
) -> None:
    scheduled = PauseSchedule.objects.filter(state=PauseSchedule.State.SCHEDULED)
    unrelated = set(scheduled.values_list("pk", flat=True))
    work(portal)
    # What was read just now would count against the lower rate limit: no turn would be near enough to wait for.
    RequestPace.objects.all().delete()
    portal.run_process("jobs", CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE="3")
    portal.send_ticks()
    # The rate limit allows one request at once, and the next after twenty seconds.
    waited_for = RequestPace.objects.filter(next_at__gt=timezone.now() + timedelta(seconds=30))
    wait_until(waited_for.exists, what="a worker that waits for its turn")
    assert portal.processes["jobs"].terminate_process() < GRACE_SECONDS / 2
    ended = JobRun.objects.filter(finished_at__isnull=False).exclude(error="")
    assert not ended.exists()

    RequestPace.objects.all().delete()
    for name in ("worker", "jobs"):
        if not portal.processes[name].is_alive:
            portal.run_process(name)
    portal.send_ticks()
    begun = JobRun.objects.filter(finished_at__isnull=True)
    wait_until(lambda: not begun.exists(), what="the end of what was begun")
    assert not ended.exists()
    assert not scheduled.exclude(pk__in=unrelated).exists()


@pytest.mark.shows("reliability-16")
def test_a_worker_that_settles_changes_stops_in_time_while_the_provider_is_silent(
    portal: RunningPortal,
) -> None:
    people = [portal.create_subscriber(f"tara{number}", FAITH) for number in range(3)]
    commands = Command.objects.filter(account__in=[account for account, _ in people])
    portal.settle_work()
    portal.provider.sandbox.order_fault("html_body", "/subscriptions/*/pause", count=len(people))
    for _, browser in people:
        assert browser.post("/api/account/pause?days=30").json()["code"] == "billing_unconfirmed"
    commands.update(next_attempt_at=timezone.now() + timedelta(hours=1))
    events = WebhookEvent.objects.filter(state=WebhookEvent.State.RECEIVED)
    wait_until(lambda: not events.exists(), what="a worker that has nothing to do")
    portal.provider_proxy.stop_answering()
    commands.update(next_attempt_at=timezone.now())
    Heartbeat.objects.all().delete()
    portal.send_ticks()
    wait_until(Heartbeat.objects.exists, what="a worker that asks the provider")
    assert portal.processes["worker"].terminate_process() < GRACE_SECONDS

    portal.provider_proxy.restore()
    portal.run_process("worker")
    assert set(commands.values_list("state", flat=True)) == {Command.State.UNKNOWN}
    portal.settle_work()
    assert set(commands.values_list("state", flat=True)) == {Command.State.SUCCEEDED}
    ids = {portal.provider.subscription(account).id for account, _ in people}
    paused = portal.provider.events("subscription_pause_scheduled")
    written = [event.content["subscription"]["id"] for event in paused]
    assert sorted(identifier for identifier in written if identifier in ids) == sorted(ids)
