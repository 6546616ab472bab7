"""The portal as it runs in production, on servers and networks that the tests can break."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import httpx
from celery import Celery
from django.core.management import CommandError, call_command
from django.db import connections
from django.utils import timezone

from accounts.models import Account, SessionToken
from billing.models import Command, WebhookEvent
from billing.tests.cable import Cable
from billing.tests.live import Provider
from conftest import ROOT
from dev.run import portal_processes
from faults.post_office import PostOffice
from faults.relay import Relay
from faults.servers import PostgreSQL, Redis
from portal.celery import BEAT_EXPIRES_SECONDS

START_SECONDS = 60.0
# Longer than beat's twenty seconds and the ten that a worker takes to find its broker again.
RECOVERY_SECONDS = 40.0
# How many processes do the work of each worker of `make run`.
POOLS = {"worker": 2, "jobs": 1}


def wait_until(true: Callable[[], object], *, seconds: float = RECOVERY_SECONDS, what: str = "it") -> None:
    """Wait until something holds. Raises `TimeoutError` when it does not in time."""
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} did not come true within {seconds:.0f} s")
        time.sleep(0.05)


@dataclass
class Process:
    """One process of the portal, the leader of a group of its own."""

    command: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it; whether it serves is another question."""
        with self.log.open("ab") as log:
            self.running = subprocess.Popen(
                [*self.command],
                cwd=ROOT,
                env=dict(self.environment),
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @property
    def alive(self) -> bool:
        """Whether its leader runs."""
        return self.running is not None and self.running.poll() is None

    @property
    def pid(self) -> int:
        """The leader's number."""
        assert self.running is not None
        return self.running.pid

    def terminate(self) -> float:
        """Ask the leader to end, as a deployment does, and return in how many seconds it did."""
        assert self.running is not None
        began = time.monotonic()
        self.running.terminate()
        assert self.running.wait(timeout=40) == 0
        return time.monotonic() - began

    def kill(self) -> None:
        """End all of its group at once."""
        if self.running is not None and self.alive:
            os.killpg(self.running.pid, signal.SIGKILL)
            self.running.wait()

    def children(self) -> list[int]:
        """Return the numbers of the processes it started."""
        found = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(self.pid)], capture_output=True, check=False
        )
        return [int(number) for number in found.stdout.split()]


@dataclass
class Portal:
    """A running portal, everything it stands on, and the networks between."""

    folder: Path
    database: PostgreSQL
    redis: Redis
    provider: Provider
    post_office: PostOffice
    to_database: Relay
    to_redis: Relay
    to_provider: Cable
    to_post_office: Relay
    port: int
    processes: dict[str, Process] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """The environment of all its processes: each server is reached through its relay."""
        inherited = {
            name: text for name, text in os.environ.items() if not name.startswith(("DJANGO_", "PYTEST"))
        }
        return {
            **inherited,
            "PORTAL_ENV": "demo",
            "PORT": str(self.port),
            "VAR_DIR": str(self.folder),
            "DATABASE_URL": self.database.url_by(self.to_database.port),
            "REDIS_URL": self.redis.url_by(self.to_redis.port),
            "CHARGEBEE_ENDPOINT": self.to_provider.endpoint,
            "CHARGEBEE_API_KEY": self.provider.sandbox.api_key,
            "EMAIL_URL": f"smtp://127.0.0.1:{self.to_post_office.port}",
        }

    def run(self, name: str, **changed: str) -> Process:
        """Start one of the processes of `make run`, in a changed environment if asked to."""
        environment = {**self.environment, **changed}
        process = Process(portal_processes()[name], environment, self.folder / f"{name}.log")
        self.processes[name] = process
        process.start()
        return process

    def serve(self, **changed: str) -> None:
        """Start the web server and wait until it answers. Raises `TimeoutError`."""
        self.run("web", **changed)
        wait_until(self.serves, seconds=START_SECONDS, what="the portal")

    def await_all(self) -> None:
        """Wait until the web server answers and the workers have their processes. Raises `TimeoutError`."""
        wait_until(self.serves, seconds=START_SECONDS, what="the portal")
        for name, count in POOLS.items():
            children = self.processes[name].children
            wait_until(lambda: len(children()) == count, seconds=START_SECONDS, what=f"all of {name}")  # noqa: B023

    def serves(self) -> bool:
        """Whether the web server answers."""
        try:
            return httpx.get(f"{self.url}/healthz", timeout=1).status_code == 200
        except httpx.TransportError:
            return False

    def mend(self) -> None:
        """Make every network good, and start what is down."""
        for relay in (self.to_database, self.to_redis, self.to_provider, self.to_post_office):
            relay.mend()
        self.post_office.refusals.clear()
        for server in (self.database, self.redis):
            if server.process is None:
                server.start()
        self.restart_ended()
        self.await_all()
        connections.close_all()

    def restart_ended(self) -> None:
        """Start what has ended again, as the process manager does (deployment.md)."""
        for name, process in [*self.processes.items()]:
            if not process.alive:
                self.run(name)

    def ask(self, token: str | None = None) -> httpx.Client:
        """Return a browser, signed in with a token if one is given."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=60)

    def subscriber(self, name: str, *plans: str) -> tuple[Account, httpx.Client]:
        """Make a subscriber who is signed in."""
        account = self.provider.subscriber(name, *plans)
        return account, self.ask(SessionToken.objects.create(user=account.user)[1])

    def tick(self) -> None:
        """Send what beat sends every twenty seconds."""
        with Celery(broker=self.redis.url_by(self.redis.port), set_as_current=False) as beat:
            for name in ("accounts.tasks.tick", "billing.tasks.tick"):
                beat.send_task(name, expires=BEAT_EXPIRES_SECONDS)

    def send(self, task: str, *args: object, **options: Any) -> None:
        """Send a task's message past the network's faults."""
        with Celery(broker=self.redis.url_by(self.redis.port), set_as_current=False) as app:
            app.send_task(task, args=args, **options)

    def settle(self) -> None:
        """Let the leases of open commands run out, have them settled, and wait until all events are read."""
        Command.objects.filter(state__in=Command.OPEN).update(next_attempt_at=timezone.now())
        self.tick()
        wait_until(
            lambda: not Command.objects.filter(state__in=Command.OPEN).exists(), what="every command's end"
        )
        waiting = WebhookEvent.objects.filter(state=WebhookEvent.State.RECEIVED)
        waiting.update(next_attempt_at=timezone.now())
        self.tick()
        wait_until(lambda: not waiting.exists(), what="every event's end")

    def assert_whole(self) -> None:
        """Assert that no command is open and that the mirror holds what the provider holds."""
        self.settle()
        said = StringIO()
        try:
            call_command("reconcile", "--check", stdout=said)
        except CommandError as error:
            said.write(str(error))
        assert said.getvalue() == ""


@contextmanager
def stopped(portal: Portal) -> Iterator[None]:
    """End every process of a portal when the block is over."""
    try:
        yield
    finally:
        for process in portal.processes.values():
            process.kill()
