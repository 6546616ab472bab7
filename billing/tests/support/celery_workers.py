"""Real Celery workers on the tests' database, which tests can kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from celery import Celery
from django.conf import settings
from django.db import connection
from kombu import Queue

from conftest import ROOT
from core.workers.standstill import RESTART_EXIT_CODE

WORKER = [sys.executable, "-m", "celery", "-A", "portal", "worker", "-Q", "codes,mail,celery,jobs", "--concurrency=2"]
# As a manager of processes does, start a worker anew that ends because its processes take nothing.
MANAGED_WORKER = ["sh", "-c", f'while "$@"; [ $? -eq {RESTART_EXIT_CODE} ]; do :; done', "manager", *WORKER]
# Long enough for a worker to start on a busy machine, and for one that stands still to be started anew.
TIMEOUT_SECONDS = 300.0
LOG_TAIL_CHARACTERS = 4000
# Some conditions are a dozen queries, asked while the workers need the processor.
POLL_SECONDS = 0.1
# Longer than any task runs, so that no two processes work on the same row.
SENT_AGAIN_SECONDS = 20.0


def worker_environment(folder: Path, endpoint: str) -> dict[str, str]:
    """Return the environment of processes that use the tests' database, this folder and this endpoint."""
    database = connection.settings_dict
    url = (
        f"sqlite:///{database['NAME']}"
        if connection.vendor == "sqlite"
        else f"postgres://{database['USER']}:{database['PASSWORD']}@{database['HOST']}:{database['PORT']}/{database['NAME']}"
    )
    return {
        **{name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"},
        "PORTAL_ENV": "demo",
        "VAR_DIR": str(folder),
        "DATABASE_URL": url,
        "CHARGEBEE_ENDPOINT": endpoint,
        "CHARGEBEE_API_KEY": settings.CHARGEBEE_API_KEY,
    }


def wait_until(
    holds: Callable[[], object],
    *,
    meanwhile: Callable[[], object] = lambda: None,
    every: float = 1.0,
) -> None:
    """Wait until `holds` returns true; call `meanwhile` now and then every so many seconds. Raises TimeoutError."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError("it did not come about")
        meanwhile()
        next_call_at = time.monotonic() + every
        while time.monotonic() < next_call_at and not holds():
            time.sleep(POLL_SECONDS)


def celery_sender(environment: dict[str, str], folder: Path) -> Celery:
    """Return a Celery app that sends tasks to the workers of an environment."""
    url = environment.get("REDIS_URL", "")
    app = Celery("beat-of-a-test", broker=url or "filesystem://localhost", set_as_current=False)
    if not url:
        queue, control = (folder / "celery" / name for name in ("queue", "control"))
        for directory in (queue, control):
            directory.mkdir(parents=True)
        app.conf.broker_transport_options = {
            "data_folder_in": str(queue),
            "data_folder_out": str(queue),
            "control_folder": str(control),
        }
    return app


class KillableWorker:
    """A worker whose processes die at a given kill point; the test sends its tasks, in place of beat."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        self.folder = folder
        self.point = folder / "kill-point"
        self._log = folder / "worker.log"
        self._environment = {
            **environment,
            "DJANGO_SETTINGS_MODULE": "portal.tests.kill_point_settings",
            "KILL_POINT_FILE": str(self.point),
        }
        self._app = celery_sender(self._environment, folder)

    @contextmanager
    def run_process(self) -> Iterator[KillableWorker]:
        """Run the worker in its own session; first purge the queues."""
        with self._app.connection_for_write() as broker:
            for queue in ("codes", "mail", "celery", "jobs"):
                Queue(queue, channel=broker.default_channel).purge()
        with self._log.open("wb") as log:
            process = subprocess.Popen(
                MANAGED_WORKER, env=self._environment, cwd=ROOT, stdout=log, stderr=log, start_new_session=True
            )
        try:
            yield self
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def send_ticks(self) -> None:
        """Send the tick tasks, as beat does."""
        self.send_message("billing.tasks.tick")
        self.send_message("accounts.tasks.tick")

    def send_message(self, task: str, *arguments: object) -> None:
        """Send the worker a task."""
        self._app.send_task(task, args=arguments)

    def wait_for_death(self, point: str, because_of: Callable[[], object]) -> None:
        """Set a kill point, call `because_of`, and wait until the process has died there.

        A dying process may have received the task, so `because_of` is called again and again, as beat does.
        """
        part = self.point.with_suffix(".part")
        part.write_text(point)
        part.replace(self.point)
        try:
            wait_until(lambda: not self.point.exists(), meanwhile=because_of, every=SENT_AGAIN_SECONDS)
        except TimeoutError:
            raise TimeoutError(f"no process has died at: {point}") from None

    def log_tail(self) -> str:
        """Return the end of what the worker has logged."""
        return self._log.read_text(errors="replace")[-LOG_TAIL_CHARACTERS:]

    def sent_mail_text(self) -> str:
        """Return the text of all mail that the worker sent."""
        return "".join(file.read_text() for file in sorted((self.folder / "mail").iterdir()))
