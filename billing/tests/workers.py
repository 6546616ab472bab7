"""Real Celery workers on the database of the tests, and their deaths."""

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

WORKER = [sys.executable, "-m", "celery", "-A", "portal", "worker", "-Q", "celery,jobs", "--concurrency=2"]
# A worker that starts on a busy machine takes a while; nothing that works waits so long.
PATIENCE_SECONDS = 90.0
# Longer than what a message leads to may take: nobody is to take up what another one is at.
SENT_AGAIN_SECONDS = 20.0


def environment_of_workers(folder: Path, endpoint: str) -> dict[str, str]:
    """The environment of processes on the tests' database, with all else in a folder, the provider at an address."""
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


def until(holds: Callable[[], object], *, meanwhile: Callable[[], object] = lambda: None) -> None:
    """Wait until something holds, and do something every second while it does not. Raises TimeoutError."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError("it did not come about")
        meanwhile()
        a_second_on = time.monotonic() + 1
        while time.monotonic() < a_second_on and not holds():
            time.sleep(0.02)


def sender(environment: dict[str, str], folder: Path) -> Celery:
    """What sends messages to the workers of an environment, whose folder is given."""
    url = environment.get("REDIS_URL", "")
    app = Celery("beat-of-a-test", broker=url or "filesystem://localhost", set_as_current=False)
    if not url:
        queue, control = (folder / "celery" / name for name in ("queue", "control"))
        for one in (queue, control):
            one.mkdir(parents=True)
        app.conf.broker_transport_options = {
            "data_folder_in": str(queue),
            "data_folder_out": str(queue),
            "control_folder": str(control),
        }
    return app


class MortalWorker:
    """A worker whose processes die where they are told to; its messages are the test's to send, as beat's are."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        self.folder = folder
        self.point = folder / "kill-point"
        self._environment = {
            **environment,
            "DJANGO_SETTINGS_MODULE": "portal.tests.killed",
            "KILL_POINT_FILE": str(self.point),
        }
        self._app = sender(self._environment, folder)

    @contextmanager
    def running(self) -> Iterator[MortalWorker]:
        """Run it in a session of its own; what another one left in the broker is thrown away."""
        with self._app.connection_for_write() as broker:
            for queue in ("celery", "jobs"):
                Queue(queue, channel=broker.default_channel).purge()
        with (self.folder / "worker.log").open("wb") as log:
            process = subprocess.Popen(
                WORKER, env=self._environment, cwd=ROOT, stdout=log, stderr=log, start_new_session=True
            )
        try:
            yield self
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def tick(self) -> None:
        """Do what beat does."""
        self.send("billing.tasks.tick")
        self.send("accounts.tasks.tick")

    def send(self, task: str, *arguments: object) -> None:
        """Send it a message."""
        self._app.send_task(task, args=arguments)

    def dies(self, point: str, because_of: Callable[[], object]) -> None:
        """Do something that leads it to a point, and wait until the process there is dead.

        A message may have gone to a process that was dying: as beat does, it is sent again after a while.
        """
        part = self.point.with_suffix(".part")
        part.write_text(point)
        part.replace(self.point)
        send_again_at = 0.0

        def send_now_and_then() -> None:
            nonlocal send_again_at
            if time.monotonic() >= send_again_at:
                because_of()
                send_again_at = time.monotonic() + SENT_AGAIN_SECONDS

        until(lambda: not self.point.exists(), meanwhile=send_now_and_then)

    def mailbox(self) -> str:
        """All mails that it sent, one after the other."""
        return "".join(file.read_text() for file in sorted((self.folder / "mail").iterdir()))
