"""A thousand resumes in one night: shared by several workers, each made once, within the provider's rate limit."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import redis
from celery import Celery
from django.db import connections
from pytest_django import Settings

from accounts.models import AccountEvent, OutgoingMail
from billing import clock
from billing.gateway.http import rate_limit
from billing.health import checks
from billing.jobs import recovery, schedule
from billing.jobs.resumes import worker as resume_worker
from billing.models import Command, PauseSchedule, Subscription
from billing.tests.support.faulty_proxy import FaultyProxy, is_write_request
from billing.tests.support.invariants import expire_leases, reconcile_output
from billing.tests.support.live_provider import Provider
from billing.tests.support.many_subscribers import create_paused_subscribers, list_entries
from conftest import ROOT

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

WORKER = [sys.executable, "-m", "celery", "-A", "portal", "worker", "-Q", "jobs", "--concurrency=1"]
# Celery's keys in Redis; no other workers use this Redis.
QUEUES = ("celery", "jobs", "unacked", "unacked_index", "unacked_mutex")
SECONDS = 300
# Many pages for each worker, with enough left for more than two minutes at the rate limit.
SUBSCRIPTIONS = 1000
# The latency of the provider in seconds: a page takes longer than the two seconds between a worker's reports.
LATENCY = 0.3
# The provider's limit for the smallest sites, in requests per minute.
LIMIT = 150

Workers = list[subprocess.Popen[bytes]]


@pytest.fixture
def workers(environment: dict[str, str], tmp_path: Path) -> Iterator[Workers]:
    """Two real Celery workers for the jobs, on Redis."""
    broker = redis.Redis.from_url(os.environ["REDIS_URL"])
    broker.delete(*QUEUES)
    with ExitStack() as running:
        logs = [tmp_path / f"worker-{name}.log" for name in "ab"]
        started = [running.enter_context(_run_worker(environment, log, name=log.stem)) for log in logs]
        yield started
    broker.delete(*QUEUES)


@contextmanager
def _run_worker(environment: dict[str, str], log: Path, *, name: str) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*WORKER, "-n", name],
            env=environment,
            cwd=ROOT,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        kill_worker(process)


def kill_worker(worker: subprocess.Popen[bytes]) -> None:
    """Kill a worker and its child processes."""
    if worker.poll() is None:
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()


def wait_until(happened: Callable[[], object]) -> None:
    """Wait until `happened` returns true. Raises TimeoutError."""
    deadline = time.monotonic() + SECONDS
    while not happened():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.05)


def publish_job_run(slot: datetime, *, workers: int) -> None:
    """Send the task message that the tick sends, once this many workers are ready."""
    # Not as this process's current app, so that later tests send nothing to the broker.
    with Celery(broker=os.environ["REDIS_URL"], set_as_current=False) as app:
        wait_until(lambda: len(app.control.ping(timeout=0.5) or ()) == workers)
        app.send_task("billing.tasks.run_job", args=("resumes", slot.isoformat()), queue="jobs")


def count_paused() -> int:
    """Return the number of pauses in effect."""
    return PauseSchedule.objects.filter(state=PauseSchedule.State.PAUSED).count()


def resumed_ids(provider: Provider) -> list[str]:
    """Return the subscription id of each resume at the provider."""
    events = list_entries(provider.sdk.Event.list, "event", event_type={"is": "subscription_resumed"})
    return [event["content"]["subscription"]["id"] for event in events]


def assert_each_resume_told_once() -> None:
    """Assert that the receipts, of which one may tell several resumes, name each plan of each account once."""
    names = Counter((row.customer.account_id, row.plan.name) for row in Subscription.objects.select_related("customer"))
    all_names = {name for _, name in names}
    told = Counter[tuple[int | None, str]]()
    for mail in OutgoingMail.objects.exclude(state=OutgoingMail.State.DROPPED):
        assert mail.context["title"].endswith((" is active again", " are active again"))
        told.update((mail.account_id, name) for name in all_names if name in mail.context["title"])
    assert told == names


def job_progress() -> str:
    """Return the progress that the health page shows."""
    (progress,) = (
        check for check in checks.run_health_checks(now=clock.billing_now()) if check.name == "jobs_under_way"
    )
    assert not progress.needs_somebody
    return progress.found


class SimulatedTime:
    """Time that passes only while all its participants wait."""

    def __init__(self) -> None:
        self._at = datetime(2026, 3, 10, 3, 30, tzinfo=UTC)
        self._waiting: list[datetime] = []
        self._participants = 0
        self._changed = threading.Condition()

    @contextmanager
    def join_clock(self) -> Iterator[None]:
        """Add a participant for the duration of the block."""
        self._count(1)
        try:
            yield
        finally:
            self._count(-1)

    def now(self) -> datetime:
        """Return the simulated time."""
        return self._at

    def sleep(self, seconds: float) -> None:
        """Wait for simulated seconds."""
        if not seconds:
            return
        until = self._at + timedelta(seconds=seconds)
        with self._changed:
            self._waiting.append(until)
            self._advance_time()
            self._changed.wait_for(lambda: self._at >= until)

    def _count(self, more: int) -> None:
        with self._changed:
            self._participants += more
            self._advance_time()

    def _advance_time(self) -> None:
        if self._waiting and len(self._waiting) == self._participants:
            self._at = max(self._at, min(self._waiting))
            self._waiting = [wake_at for wake_at in self._waiting if wake_at > self._at]
            self._changed.notify_all()


def work_at_rate_limit(faulty_proxy: FaultyProxy, *, now: datetime, workers: int) -> list[float]:
    """Run all due resumes with this many workers in simulated time; return the second of each write."""
    simulated, barrier, moments = SimulatedTime(), threading.Barrier(workers), list[float]()
    faulty_proxy.on_answer = lambda request: (
        moments.append(simulated.now().timestamp()) if is_write_request(request) else None
    )

    def work() -> int:
        with (
            simulated.join_clock(),
            rate_limit.throttle_jobs(rate_limit.Clock(simulated.now, simulated.sleep)),
        ):
            barrier.wait()
            resumed = resume_worker.resume_due_pauses(now=now)["resumed"]
        connections.close_all()
        return resumed

    with ThreadPoolExecutor(workers) as pool:
        counts = [future.result() for future in [pool.submit(work) for _ in range(workers)]]
    assert all(counts)
    assert sum(counts) == len(moments)
    return sorted(moments)


@pytest.mark.shows("reliability-30")
def test_a_thousand_resumes_each_happen_once_despite_a_kill_and_a_rate_limit(
    provider: Provider, faulty_proxy: FaultyProxy, workers: Workers, settings: Settings
) -> None:
    create_paused_subscribers(provider, subscriptions=SUBSCRIPTIONS)
    faulty_proxy.on_answer = lambda request: time.sleep(LATENCY) if is_write_request(request) else None
    slot, now = schedule.newest_night(clock.billing_now()), clock.billing_now()

    publish_job_run(slot, workers=2)
    wait_until(lambda: " left, " in job_progress())
    progress = job_progress()
    kill_worker(workers[0])
    paused_at_kill = count_paused()
    wait_until(lambda: count_paused() < paused_at_kill - 50)
    workers[1].terminate()
    workers[1].wait(timeout=SECONDS)
    faulty_proxy.restore()
    expire_leases()
    recovery.settle_open_commands(now=now)

    settings.CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE, settings.RESUME_THREADS = LIMIT, 1
    left = count_paused()
    moments = work_at_rate_limit(faulty_proxy, now=now, workers=2)
    run = schedule.run_job("resumes", slot, now=now)

    assert re.search(r"resumes: .* left, started [a-z0-9 ]+ ago, about ", progress)
    assert len(moments) == left > 2 * LIMIT
    assert all(later - earlier >= 60 for earlier, later in zip(moments, moments[LIMIT:], strict=False))
    assert len(moments) >= 0.97 * LIMIT * (moments[-1] - moments[0]) / 60
    assert run is not None
    assert run.finished_at is not None
    ids = resumed_ids(provider)
    assert len(ids) == len(set(ids)) == SUBSCRIPTIONS
    statuses = Counter(
        subscription["status"] for subscription in list_entries(provider.sdk.Subscription.list, "subscription")
    )
    assert statuses == {"active": SUBSCRIPTIONS}
    assert set(PauseSchedule.objects.values_list("state", flat=True)) == {PauseSchedule.State.RESUMED}
    billed = Counter(invoice["subscription_id"] for invoice in list_entries(provider.sdk.Invoice.list, "invoice"))
    assert set(billed.values()) == {2}
    assert OutgoingMail.objects.count() == SUBSCRIPTIONS
    assert_each_resume_told_once()
    assert AccountEvent.objects.filter(kind="resumed").count() == SUBSCRIPTIONS
    assert not Command.objects.exclude(state=Command.State.SUCCEEDED).exists()
    assert reconcile_output() == ""
