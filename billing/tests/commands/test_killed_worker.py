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
from billing.changes import pauses
from billing.jobs import recovery
from billing.jobs import schedule as job_schedule
from billing.models import CancellationFeedback, Command, PauseSchedule
from billing.tests.support.faulty_proxy import FaultyProxy
from billing.tests.support.live_provider import FAITH, Provider
from conftest import ROOT

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("assert_settled_after")]

WORKER = [sys.executable, "-m", "celery", "-A", "portal", "worker", "-Q", "celery,jobs", "--concurrency=1"]
IMPORT = "from billing.tasks import run_job"
CANCEL = """
from accounts.models import Account
from billing import clock
from billing.changes import cancellation
from billing.survey import Survey
cancellation.cancel_subscriptions(
    Account.objects.get(), subscription_ids=None, survey=Survey(reason="Too expensive"), key="leave", actor="you",
    now=clock.billing_now(),
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


@pytest.mark.shows("reliability-15")
def test_the_sweep_finishes_the_resume_of_a_killed_worker(
    provider: Provider,
    faulty_proxy: FaultyProxy,
    environment: dict[str, str],
    worker: subprocess.Popen[bytes],
) -> None:
    alice = provider.subscriber("alice", FAITH)
    pauses.schedule_pause(alice, subscription_ids=None, days=30, key="pause", actor="you", now=clock.billing_now())
    schedule = PauseSchedule.objects.get()
    provider.travel_to(schedule.pause_date + timedelta(hours=1))
    job_schedule.run_job("pauses", job_schedule.newest_hour(clock.billing_now()), now=clock.billing_now())
    provider.travel_to(schedule.resume_date + timedelta(hours=12))
    OutgoingMail.objects.all().delete()

    def kill_when_resumed(request: bytes) -> None:
        if request.startswith(b"POST") and b"/resume HTTP" in request:
            os.killpg(worker.pid, signal.SIGKILL)

    faulty_proxy.on_answer = kill_when_resumed
    slot = job_schedule.newest_night(clock.billing_now()).isoformat()
    subprocess.run(
        [sys.executable, "manage.py", "shell", "-v0", "-c", f"{IMPORT}; run_job.delay('resumes', {slot!r})"],
        env=environment,
        cwd=ROOT,
        check=True,
    )
    assert worker.wait(timeout=60) == -signal.SIGKILL
    faulty_proxy.on_answer = lambda _request: None  # the sweep's retry must not kill again
    assert provider.subscription(alice).status == "active"
    schedule.refresh_from_db()
    assert schedule.state == PauseSchedule.State.PAUSED
    assert Command.objects.get(kind="resume").state == Command.State.PENDING

    Command.objects.filter(kind="resume").update(next_attempt_at=timezone.now() - timedelta(seconds=1))
    recovery.sweep_due_work(now=clock.billing_now())

    schedule.refresh_from_db()
    assert schedule.state == PauseSchedule.State.RESUMED
    assert Command.objects.get(kind="resume").state == Command.State.SUCCEEDED
    assert len(provider.events("subscription_resumed")) == 1
    assert [invoice.status for invoice in provider.invoices(alice)] == ["paid", "paid"]
    assert [mail.context["title"] for mail in OutgoingMail.objects.all()] == ["Faith & Family is active again"]


@pytest.mark.shows("reliability-15")
def test_the_sweep_finishes_a_cancellation_killed_half_way(
    provider: Provider, faulty_proxy: FaultyProxy, environment: dict[str, str]
) -> None:
    alice = provider.subscriber("alice", FAITH)
    pauses.schedule_pause(alice, subscription_ids=None, days=30, key="pause", actor="you", now=clock.billing_now())
    OutgoingMail.objects.all().delete()
    process = subprocess.Popen(
        [sys.executable, "manage.py", "shell", "-v0", "-c", CANCEL],
        env=environment,
        cwd=ROOT,
        start_new_session=True,
    )
    faulty_proxy.run_after_write(process.kill)
    assert process.wait(timeout=60) == -signal.SIGKILL
    assert provider.subscription(alice).raw_data.get("pause_date") is None
    assert provider.subscription(alice).status == "active"
    assert CancellationFeedback.objects.get().outcome == "requested"

    Command.objects.filter(kind="cancel").update(next_attempt_at=timezone.now() - timedelta(seconds=1))
    recovery.sweep_due_work(now=clock.billing_now())

    assert provider.subscription(alice).status == "non_renewing"
    feedback = CancellationFeedback.objects.get()
    assert (feedback.outcome, feedback.reason) == ("cancelled", "Too expensive")
    assert PauseSchedule.objects.get().state == PauseSchedule.State.CANCELLED
    assert len(provider.events("subscription_cancellation_scheduled")) == 1
    assert OutgoingMail.objects.count() == 1
