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
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from accounts.models import OutgoingMail
from billing import clock
from billing.models import Command, PauseSchedule
from billing.services import jobs, pauses, sweep
from billing.tests.cable import Cable
from billing.tests.live import FAITH, Provider
from conftest import ROOT

pytestmark = pytest.mark.django_db(transaction=True)

WORKER = [sys.executable, "-m", "celery", "-A", "portal", "worker", "-Q", "celery,jobs", "--concurrency=1"]
IMPORT = "from billing.tasks import run_job"


@pytest.fixture
def environment(tmp_path: Path, settings: Settings, cable: Cable) -> dict[str, str]:
    """The environment of real workers on this test's database, broker and cable."""
    database = connection.settings_dict
    url = (
        f"sqlite:///{database['NAME']}"
        if connection.vendor == "sqlite"
        else f"postgres://{database['USER']}:{database['PASSWORD']}@{database['HOST']}:{database['PORT']}/{database['NAME']}"
    )
    return {
        **{name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"},
        "PORTAL_ENV": "demo",
        "VAR_DIR": str(tmp_path),
        "DATABASE_URL": url,
        "CHARGEBEE_ENDPOINT": cable.endpoint,
        "CHARGEBEE_API_KEY": settings.CHARGEBEE_API_KEY,
    }


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
