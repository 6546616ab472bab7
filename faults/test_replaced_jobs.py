"""Workers that are ended in the middle of long work at the provider, as a deployment does (reliability, row 16)."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import OutgoingMail
from billing import clock
from billing.models import Command, Heartbeat, JobRun, PauseSchedule, RequestPace, Subscription, WebhookEvent
from billing.services import sync, webhooks
from billing.tests.cable import is_write
from billing.tests.live import FAITH
from faults.portal import Portal, wait_until

# Less than a deployment gives before it kills (docs/deployment.md).
GRACE_SECONDS = 30.0
# One after the other at a slow provider they take longer than the grace.
RESUMES = 12


def pausing(portal: Portal, name: str, *, state: str, since: timedelta) -> list[str]:
    """Let subscriptions be paused, and their pauses stand so with us; return the provider's ids of them."""
    api, ids = portal.provider.sdk.Subscription, []
    for number in range(RESUMES):
        account, _ = portal.subscriber(f"{name}{number}", FAITH)
        ids.append(portal.provider.subscription(account).id)
        api.pause(ids[-1], {"pause_option": "immediately"})
        sync.refresh("subscription", ids[-1])
    began = clock.now() - since
    PauseSchedule.objects.bulk_create(
        PauseSchedule(
            subscription=one,
            state=state,
            pause_date=began,
            resume_date=began + timedelta(days=30),
            created_at=began,
        )
        for one in Subscription.objects.filter(provider_id__in=ids, status="paused")
    )
    return ids


def a_slow_provider(portal: Portal) -> dict[str, str]:
    """Have each resume take its time."""
    portal.to_provider.on_answer = lambda request: time.sleep(3) if is_write(request) else None
    return {"RESUME_THREADS": "1"}


def a_low_limit(portal: Portal) -> dict[str, str]:
    """Let few requests be made, so that threads wait for their turns."""
    return {"RESUME_THREADS": "3", "CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE": "3"}


def a_busy_provider(portal: Portal) -> dict[str, str]:
    """Have all but the first be told to come again in a minute."""
    turned_away: dict[str, str | int] = {"status": 429, "retry_after": 60, "count": RESUMES, "skip": 1}
    portal.provider.sandbox.misbehave("error", "/subscriptions/*/resume", **turned_away)
    return {"RESUME_THREADS": "3"}


@pytest.mark.parametrize("held_up_by", [a_slow_provider, a_low_limit, a_busy_provider])
def test_one_in_the_middle_of_a_night_leaves_the_rest_to_the_next(
    portal: Portal, held_up_by: Callable[[Portal], dict[str, str]]
) -> None:
    night = JobRun.objects.filter(job="resumes", finished_at__isnull=False)
    wait_until(night.exists, what="the night before")
    name = held_up_by.__name__.replace("_", "")
    ids = pausing(portal, name, state=PauseSchedule.State.PAUSED, since=timedelta(days=31))
    portal.settle()
    portal.processes["jobs"].terminate()
    night.delete()
    portal.run("jobs", **held_up_by(portal))
    portal.tick()
    schedules = PauseSchedule.objects.filter(subscription__provider_id__in=ids)
    resumed = schedules.filter(state=PauseSchedule.State.RESUMED)
    wait_until(resumed.exists, what="the first resume")
    assert portal.processes["jobs"].terminate() < GRACE_SECONDS
    left = schedules.filter(state=PauseSchedule.State.PAUSED)
    assert left.count() > RESUMES / 2
    untouched = left.filter(claimed_until=None, attempts=0, next_try_at=None, last_error="")
    assert untouched.count() == left.count()
    assert not Command.objects.filter(state__in=Command.OPEN).exists()

    portal.to_provider.mend()
    portal.provider.sandbox.behave()
    RequestPace.objects.all().delete()
    portal.run("jobs")
    portal.tick()
    wait_until(lambda: not left.exists(), what="the rest of the resumes")
    written = Counter(
        event.content["subscription"]["id"] for event in portal.provider.events("subscription_resumed")
    )
    assert {one: written[one] for one in ids} == dict.fromkeys(ids, 1)
    mails = OutgoingMail.objects.filter(account__customer__subscriptions__provider_id__in=ids)
    assert mails.count() == RESUMES


def look_at_pauses(portal: Portal) -> None:
    """Have the hour find pauses that began."""
    pausing(portal, "pam", state=PauseSchedule.State.SCHEDULED, since=timedelta(days=1))
    JobRun.objects.filter(job="pauses").delete()


def compare(portal: Portal) -> None:
    """Have the night compare everything."""
    portal.subscriber("rhea", FAITH)
    JobRun.objects.filter(job="reconcile").delete()


def work_on_events(portal: Portal) -> None:
    """Have events wait that no message leads to."""
    for number in range(4):
        portal.subscriber(f"saul{number}", FAITH)
    portal.settle()
    for event in WebhookEvent.objects.filter(event_type="subscription_created").order_by("-pk")[:4]:
        webhooks.replay(event.pk)


@pytest.mark.parametrize("work", [look_at_pauses, compare, work_on_events])
def test_one_that_is_told_to_end_waits_for_no_turn_at_the_provider(
    portal: Portal, work: Callable[[Portal], None]
) -> None:
    scheduled = PauseSchedule.objects.filter(state=PauseSchedule.State.SCHEDULED)
    of_others = set(scheduled.values_list("pk", flat=True))
    work(portal)
    portal.processes["jobs"].terminate()
    portal.run("jobs", CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE="3")
    portal.tick()
    # The first turn is free, the next one twenty seconds away.
    waited_for = RequestPace.objects.filter(next_at__gt=timezone.now() + timedelta(seconds=30))
    wait_until(waited_for.exists, what="a worker that waits for its turn")
    assert portal.processes["jobs"].terminate() < GRACE_SECONDS / 2
    ended = JobRun.objects.filter(finished_at__isnull=False).exclude(error="")
    assert not ended.exists()

    RequestPace.objects.all().delete()
    portal.run("jobs")
    portal.tick()
    begun = JobRun.objects.filter(finished_at__isnull=True)
    wait_until(lambda: not begun.exists(), what="the end of what was begun")
    assert not ended.exists()
    assert not scheduled.exclude(pk__in=of_others).exists()


def test_one_that_settles_changes_ends_in_time_while_the_provider_says_nothing(portal: Portal) -> None:
    people = [portal.subscriber(f"tara{number}", FAITH) for number in range(3)]
    commands = Command.objects.filter(account__in=[account for account, _ in people])
    portal.settle()
    portal.provider.sandbox.misbehave("html_body", "/subscriptions/*/pause", count=len(people))
    for _, browser in people:
        assert browser.post("/api/account/pause?days=30").json()["code"] == "billing_unconfirmed"
    commands.update(next_attempt_at=timezone.now() + timedelta(hours=1))
    events = WebhookEvent.objects.filter(state=WebhookEvent.State.RECEIVED)
    wait_until(lambda: not events.exists(), what="a worker that has nothing to do")
    portal.to_provider.fall_silent()
    commands.update(next_attempt_at=timezone.now())
    Heartbeat.objects.all().delete()
    portal.tick()
    wait_until(Heartbeat.objects.exists, what="a worker that asks the provider")
    assert portal.processes["worker"].terminate() < GRACE_SECONDS

    portal.to_provider.mend()
    portal.run("worker")
    assert set(commands.values_list("state", flat=True)) == {Command.State.UNKNOWN}
    portal.settle()
    assert set(commands.values_list("state", flat=True)) == {Command.State.SUCCEEDED}
    ids = {portal.provider.subscription(account).id for account, _ in people}
    paused = portal.provider.events("subscription_pause_scheduled")
    written = [event.content["subscription"]["id"] for event in paused]
    assert sorted(one for one in written if one in ids) == sorted(ids)
