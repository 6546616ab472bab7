"""A worker killed between the provider's answer and our commit: the sweep finishes, and nobody is billed twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from accounts.models import OutgoingMail
from billing import clock
from billing.models import CancellationFeedback, Command, PauseSchedule
from billing.services import jobs, pauses, sweep
from billing.tests.cable import Cable
from billing.tests.live import FAITH, Provider
from conftest import ROOT

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("in_step")]

WORKER = [sys.executable, "-m", "celery", "-A", "portal", "worker", "-Q", "celery,jobs", "--concurrency=1"]
IMPORT = "from billing.tasks import run_job"
CANCEL = """
from accounts.models import Account
from billing import clock
from billing.services import cancelling
from billing.survey import Survey
cancelling.cancel(
    Account.objects.get(), subscription_ids=None, survey=Survey(reason="Too expensive"), key="leave", actor="you",
    now=clock.now(),
)
"""


@pytest.fixture
def worker(environment: dict[str, str], tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A real Celery worker."""
    with (tmp_path / "worker.log").open("wb") as log:
        process = subprocess.Popen(
            WORKER,
            env=environment,
            cwd=ROOT,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    yield process
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_the_sweep_finishes_what_a_killed_worker_had_asked_for(
    provider: Provider, cable: Cable, environment: dict[str, str], worker: subprocess.Popen[bytes]
) -> None:
    alice = provider.subscriber("alice", FAITH)
    pauses.schedule(alice, subscription_ids=None, days=30, key="pause", actor="you", now=clock.now())
    schedule = PauseSchedule.objects.get()
    provider.travel_to(schedule.pause_date + timedelta(hours=1))
    jobs.run("pauses", jobs.newest_hour(clock.now()), now=clock.now())
    provider.travel_to(schedule.resume_date + timedelta(hours=12))
    OutgoingMail.objects.all().delete()

    def kill_when_resumed(request: bytes) -> None:
        if request.startswith(b"POST") and b"/resume HTTP" in request:
            os.killpg(worker.pid, signal.SIGKILL)

    cable.on_answer = kill_when_resumed
    slot = jobs.newest_night(clock.now()).isoformat()
    subprocess.run(
        [sys.executable, "manage.py", "shell", "-v0", "-c", f"{IMPORT}; run_job.delay('resumes', {slot!r})"],
        env=environment,
        cwd=ROOT,
        check=True,
    )
    assert worker.wait(timeout=60) == -signal.SIGKILL
    cable.on_answer = lambda _request: None  # nobody is left to kill when the sweep asks again
    assert provider.subscription(alice).status == "active"
    schedule.refresh_from_db()
    assert schedule.state == PauseSchedule.State.PAUSED
    assert Command.objects.get(kind="resume").state == Command.State.PENDING

    Command.objects.filter(kind="resume").update(next_attempt_at=timezone.now() - timedelta(seconds=1))
    sweep.run(now=clock.now())

    schedule.refresh_from_db()
    assert schedule.state == PauseSchedule.State.RESUMED
    assert Command.objects.get(kind="resume").state == Command.State.SUCCEEDED
    assert len(provider.events("subscription_resumed")) == 1
    assert [invoice.status for invoice in provider.invoices(alice)] == ["paid", "paid"]
    assert [mail.context["title"] for mail in OutgoingMail.objects.all()] == ["Faith & Family resumed"]


def test_the_sweep_finishes_a_cancellation_that_was_killed_half_way(
    provider: Provider, cable: Cable, environment: dict[str, str]
) -> None:
    alice = provider.subscriber("alice", FAITH)
    pauses.schedule(alice, subscription_ids=None, days=30, key="pause", actor="you", now=clock.now())
    OutgoingMail.objects.all().delete()
    process = subprocess.Popen(
        [sys.executable, "manage.py", "shell", "-v0", "-c", CANCEL],
        env=environment,
        cwd=ROOT,
        start_new_session=True,
    )
    cable.after_write(process.kill)
    assert process.wait(timeout=60) == -signal.SIGKILL
    assert provider.subscription(alice).raw_data.get("pause_date") is None
    assert provider.subscription(alice).status == "active"
    assert CancellationFeedback.objects.get().outcome == "requested"

    Command.objects.filter(kind="cancel").update(next_attempt_at=timezone.now() - timedelta(seconds=1))
    sweep.run(now=clock.now())

    assert provider.subscription(alice).status == "non_renewing"
    kept = CancellationFeedback.objects.get()
    assert (kept.outcome, kept.reason) == ("cancelled", "Too expensive")
    assert PauseSchedule.objects.get().state == PauseSchedule.State.CANCELLED
    assert len(provider.events("subscription_cancellation_scheduled")) == 1
    assert OutgoingMail.objects.count() == 1
