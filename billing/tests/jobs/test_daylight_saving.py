"""Real beats and a real worker over the nights in which the clocks change."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from billing.jobs import schedule
from billing.models import Heartbeat, JobRun
from billing.tests.support.celery_workers import celery_sender, wait_until, worker_environment
from billing.tests.support.movable_clock import ClockFile
from conftest import ROOT, Sandbox

pytestmark = pytest.mark.django_db(transaction=True)

NEW_YORK = ZoneInfo("America/New_York")
HOUR = timedelta(hours=1)
# Shorter than the expiry of a tick, so that a tick sent just before a step is still valid after it.
STEP = timedelta(minutes=1)
BEATS = 2


@contextmanager
def run_celery_process(environment: dict[str, str], log: Path, *celery: str) -> Iterator[None]:
    """Run a Celery process until the block ends, by the clock file in the folder of its log."""
    clock = str(log.with_name("clock"))
    command = [
        sys.executable,
        "-m",
        "billing.tests.support.movable_clock",
        clock,
        "celery",
        "-A",
        "portal",
        *celery,
    ]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, env=environment, cwd=ROOT, stdout=output, stderr=output, start_new_session=True
        )
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.fixture
def start_beats_and_worker(sandbox: Sandbox, tmp_path: Path) -> Iterator[Callable[[datetime], ClockFile]]:
    """Return a function that starts two beats and a worker on a clock file, which it returns."""
    environment = worker_environment(tmp_path, sandbox.endpoint)
    messages = celery_sender(environment, tmp_path)
    with ExitStack() as processes:

        def start_processes(begins: datetime) -> ClockFile:
            clock = ClockFile(tmp_path / "clock", begins)
            beats = [tmp_path / f"beat-{number}.log" for number in range(BEATS)]
            for log in beats:
                beat = ("beat", "--pidfile=", f"--schedule={log.with_suffix('.schedule')}")
                processes.enter_context(run_celery_process(environment, log, *beat))
            worker = ("worker", "--pool=solo", "-Q", "celery,jobs")
            processes.enter_context(run_celery_process(environment, tmp_path / "worker.log", *worker))
            messages.send_task("billing.tasks.tick")
            scheduled = [job for job in schedule.JOBS.values() if job.newest_slot(begins)]
            wait_until(lambda: JobRun.objects.filter(finished_at__isnull=False).count() == len(scheduled))
            wait_until(lambda: all("maxinterval" in log.read_text() for log in beats))
            return clock

        yield start_processes


@pytest.mark.shows("reliability-26", "reliability-27")
@pytest.mark.parametrize(("date", "hours"), [("2026-03-08", 23), ("2026-11-01", 25)], ids=["23 hours", "25 hours"])
def test_two_beats_run_a_night_once_when_the_clocks_change(
    start_beats_and_worker: Callable[[datetime], ClockFile], date: str, hours: int
) -> None:
    midnight = datetime.fromisoformat(date).replace(tzinfo=NEW_YORK)
    begins = midnight.astimezone(UTC) + timedelta(hours=1, minutes=55)
    night = midnight.replace(hour=3, minute=30).astimezone(UTC)
    ends = night + timedelta(minutes=20)
    assert ends - begins == timedelta(hours=hours - 24 + 1, minutes=55)

    clock = start_beats_and_worker(begins)
    while clock.now < ends:
        # Moved again each second: the worker may receive a tick before it sees that its clock was moved.
        wait_until(
            Heartbeat.objects.filter(at__gte=clock.now + STEP).exists,
            meanwhile=lambda: clock.move_forward(STEP),
        )
    wait_until(lambda: not JobRun.objects.filter(finished_at=None).exists())

    runs = JobRun.objects.order_by("scheduled_for")
    assert set(runs.values_list("error", flat=True)) == {""}
    before = night - timedelta(hours=hours)
    for nightly in ("resumes", "notices", "reconcile"):
        assert list(runs.filter(job=nightly).values_list("scheduled_for", flat=True)) == [before, night]
    first = schedule.newest_hour(begins)
    hourly = [first + number * HOUR for number in range((clock.now - first) // HOUR + 1)]
    assert list(runs.filter(job="receipts").values_list("scheduled_for", flat=True)) == hourly
