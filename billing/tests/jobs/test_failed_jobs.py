"""Jobs that meet an unexpected error are tried again by themselves, and operators can run any job again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from billing import clock, job_runs
from billing.jobs import schedule
from billing.models import JobRun

pytestmark = pytest.mark.django_db


class BrokenDisk(Exception):
    """What nobody has foreseen."""


@contextmanager
def broken_pauses() -> Iterator[None]:
    """Let each statement about pauses fail."""

    def refuse(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if "billing_pauseschedule" in sql:
            raise BrokenDisk
        return execute(sql, params, many, context)

    with connection.execute_wrapper(refuse):
        yield


def fail_notices(now: datetime) -> JobRun:
    """Run the notices of the newest night with an error; return the run."""
    with broken_pauses(), pytest.raises(BrokenDisk):
        schedule.run_job("notices", schedule.newest_night(now), now=now)
    return JobRun.objects.get(job="notices")


def test_an_unexpected_error_is_tried_again_later_and_later() -> None:
    now = clock.billing_now()
    waits = []
    for _ in range(job_runs.MAX_FAILURES):
        run = fail_notices(now)
        assert (run.finished_at, run.error) == (None, "BrokenDisk: ")
        assert run.next_attempt_at is not None
        waits.append(round((run.next_attempt_at - timezone.now()).total_seconds() / 60))
        JobRun.objects.update(next_attempt_at=timezone.now())
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128]
    assert fail_notices(now).finished_at is not None


def test_a_run_that_gets_on_has_no_failures() -> None:
    now = clock.billing_now()
    fail_notices(now)
    JobRun.objects.update(next_attempt_at=timezone.now())
    run = schedule.run_job("notices", schedule.newest_night(now), now=now)
    assert run is not None
    assert (run.failures, run.error, run.finished_at is None) == (0, "", False)


def test_the_next_slot_takes_over_from_a_run_that_waits_after_an_error() -> None:
    now = clock.billing_now()
    failed = fail_notices(now)
    schedule.run_job("notices", schedule.newest_night(now + timedelta(days=1)), now=now)
    failed.refresh_from_db()
    assert failed.error.startswith(job_runs.ABANDONED)


def run_again(operator: Client, run: JobRun) -> str:
    """Choose "Run again" for a run; return the message."""
    chosen = {"action": "run_again", "_selected_action": [run.pk]}
    answer = operator.post(reverse("admin:billing_jobrun_changelist"), chosen)
    return " ".join(str(message) for message in get_messages(answer.wsgi_request))


@pytest.mark.parametrize("name", sorted(schedule.JOBS))
def test_operators_run_any_job_again(admin_client: Client, name: str) -> None:
    slot = schedule.JOBS[name].newest_slot(clock.billing_now())
    ended = timezone.now() - timedelta(hours=1)
    run = JobRun.objects.create(
        job=name, scheduled_for=slot, started_at=ended, finished_at=ended, error="x", attempts=1
    )
    assert run_again(admin_client, run) == f"{name} runs again."
    run.refresh_from_db()
    assert (run.finished_at, run.error, run.counts) == (None, "", {})
    assert run.started_at > ended
    assert (run.cursor is not None) == bool(schedule.JOBS[name].first_stage)
    assert [job.name for job, due in schedule.due_jobs(clock.billing_now()) if job.name == name and due == slot] == [
        name
    ]


def test_neither_an_older_run_nor_one_that_a_worker_has_is_run_again(admin_client: Client) -> None:
    now = timezone.now()
    slots = [schedule.newest_hour(now) - timedelta(hours=hours) for hours in (1, 0)]
    older, running = (
        JobRun.objects.create(
            job="receipts", scheduled_for=slot, started_at=now, finished_at=finished, next_attempt_at=lease
        )
        for slot, finished, lease in zip(slots, (now, None), (None, now + timedelta(minutes=5)), strict=True)
    )
    for run in (older, running):
        assert "was not run again" in run_again(admin_client, run)
    older.refresh_from_db()
    assert older.finished_at == now
