"""A thousand resumes in one night: shared by several workers, each made once, and at the provider's pace."""

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
from billing.models import Command, PauseSchedule
from billing.services import jobs, machinery, pace, resuming_night, settling
from billing.tests.cable import Cable, is_write
from billing.tests.calm import let_all_leases_run_out, told_by_reconcile
from billing.tests.crowd import listed, paused_crowd
from billing.tests.live import Provider
from conftest import ROOT

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

WORKER = [sys.executable, "-m", "celery", "-A", "portal", "worker", "-Q", "jobs", "--concurrency=1"]
# What Celery keeps in Redis; nobody else's workers are on this one.
QUEUES = ("celery", "jobs", "unacked", "unacked_index", "unacked_mutex")
SECONDS = 120
# How many seconds the provider is away.
FAR = 0.1
# The smallest site's limit.
LIMIT = 150

Workers = list[subprocess.Popen[bytes]]


@pytest.fixture
def workers(environment: dict[str, str], tmp_path: Path) -> Iterator[Workers]:
    """Two real Celery workers for the jobs, on Redis."""
    broker = redis.Redis.from_url(os.environ["REDIS_URL"])
    broker.delete(*QUEUES)
    with ExitStack() as running:
        logs = [tmp_path / f"worker-{name}.log" for name in "ab"]
        started = [running.enter_context(_worker(environment, log, name=log.stem)) for log in logs]
        yield started
    broker.delete(*QUEUES)


@contextmanager
def _worker(environment: dict[str, str], log: Path, *, name: str) -> Iterator[subprocess.Popen[bytes]]:
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
        kill(process)


def kill(worker: subprocess.Popen[bytes]) -> None:
    """End a worker with everything that it started, without a chance to tidy up."""
    if worker.poll() is None:
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()


def wait_until(happened: Callable[[], object]) -> None:
    """Wait until something has happened. Raises TimeoutError."""
    deadline = time.monotonic() + SECONDS
    while not happened():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.05)


def announce(slot: datetime, *, workers: int) -> None:
    """Send the message that the tick sends, once so many workers are ready for it."""
    # Not the one of this process: what later tests announce is for nobody.
    with Celery(broker=os.environ["REDIS_URL"], set_as_current=False) as app:
        wait_until(lambda: len(app.control.ping(timeout=0.5) or ()) == workers)
        app.send_task("billing.tasks.run_job", args=("resumes", slot.isoformat()), queue="jobs")


def paused() -> int:
    """How many pauses are in effect."""
    return PauseSchedule.objects.filter(state=PauseSchedule.State.PAUSED).count()


def resumed(provider: Provider) -> list[str]:
    """The ids of what the provider resumed, once for each time that it did."""
    told = listed(provider.sdk.Event.list, "event", event_type={"is": "subscription_resumed"})
    return [one["content"]["subscription"]["id"] for one in told]


def under_way() -> str:
    """What operators are told about the job."""
    (sign,) = (one for one in machinery.signs(now=clock.now()) if one.name == "jobs_under_way")
    assert not sign.needs_somebody
    return sign.found


class SimulatedTime:
    """Time that passes only while all who take part in it wait."""

    def __init__(self) -> None:
        self._at = datetime(2026, 3, 10, 3, 30, tzinfo=UTC)
        self._waiting: list[datetime] = []
        self._taking_part = 0
        self._changed = threading.Condition()

    @contextmanager
    def taken_part_in(self) -> Iterator[None]:
        """Be one of those whom time waits for."""
        self._count(1)
        try:
            yield
        finally:
            self._count(-1)

    def now(self) -> datetime:
        """What time it is."""
        return self._at

    def sleep(self, seconds: float) -> None:
        """Wait for so long."""
        if not seconds:
            return
        until = self._at + timedelta(seconds=seconds)
        with self._changed:
            self._waiting.append(until)
            self._pass()
            self._changed.wait_for(lambda: self._at >= until)

    def _count(self, more: int) -> None:
        with self._changed:
            self._taking_part += more
            self._pass()

    def _pass(self) -> None:
        if self._waiting and len(self._waiting) == self._taking_part:
            self._at = max(self._at, min(self._waiting))
            self._waiting = [one for one in self._waiting if one > self._at]
            self._changed.notify_all()


def work_at_the_limit(cable: Cable, *, now: datetime, workers: int) -> list[float]:
    """Let so many workers do all that is due in simulated time; return when each write was made, in seconds."""
    simulated, together, asked = SimulatedTime(), threading.Barrier(workers), list[float]()
    cable.on_answer = lambda request: asked.append(simulated.now().timestamp()) if is_write(request) else None

    def work() -> int:
        with simulated.taken_part_in(), pace.background(pace.Clock(simulated.now, simulated.sleep)):
            together.wait()
            resumed = resuming_night.resume_due(now=now)["resumed"]
        connections.close_all()
        return resumed

    with ThreadPoolExecutor(workers) as pool:
        shares = [one.result() for one in [pool.submit(work) for _ in range(workers)]]
    assert all(shares)
    assert sum(shares) == len(asked)
    return sorted(asked)


def test_a_thousand_due_resumes_are_each_made_once_through_a_kill_and_a_limit(
    provider: Provider, cable: Cable, workers: Workers, settings: Settings
) -> None:
    paused_crowd(provider, subscriptions=1000)
    cable.on_answer = lambda request: time.sleep(FAR) if is_write(request) else None
    slot, now = jobs.newest_night(clock.now()), clock.now()

    announce(slot, workers=2)
    wait_until(lambda: paused() < 500)
    told = under_way()
    kill(workers[0])
    at_its_death = paused()
    wait_until(lambda: paused() < at_its_death - 50)
    workers[1].terminate()
    workers[1].wait(timeout=SECONDS)
    let_all_leases_run_out()
    settling.settle_due(now=now)

    settings.CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE, settings.RESUME_THREADS = LIMIT, 1
    left = paused()
    asked = work_at_the_limit(cable, now=now, workers=2)
    run = jobs.run("resumes", slot, now=now)

    assert "resumes: " in told
    assert re.search(r" left, begun [a-z0-9 ]+ ago, about ", told)
    assert len(asked) == left > 2 * LIMIT
    assert all(later - earlier >= 60 for earlier, later in zip(asked, asked[LIMIT:], strict=False))
    assert len(asked) >= 0.97 * LIMIT * (asked[-1] - asked[0]) / 60
    assert run is not None
    assert run.finished_at is not None
    ids = resumed(provider)
    assert len(ids) == len(set(ids)) == 1000
    statuses = Counter(one["status"] for one in listed(provider.sdk.Subscription.list, "subscription"))
    assert statuses == {"active": 1000}
    assert set(PauseSchedule.objects.values_list("state", flat=True)) == {PauseSchedule.State.RESUMED}
    billed = Counter(one["subscription_id"] for one in listed(provider.sdk.Invoice.list, "invoice"))
    assert set(billed.values()) == {2}
    titles = [mail["title"] for mail in OutgoingMail.objects.values_list("context", flat=True)]
    assert len(titles) == 1000
    assert all(title.endswith(" resumed") for title in titles)
    assert AccountEvent.objects.filter(kind="resumed").count() == 1000
    assert not Command.objects.exclude(state=Command.State.SUCCEEDED).exists()
    assert told_by_reconcile() == ""
