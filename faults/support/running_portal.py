"""The portal as it runs in production, on servers and networks that the tests can break."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any, TypeVar

import httpx
from celery import Celery
from django.core.management import CommandError, call_command
from django.db import connections
from django.utils import timezone

from accounts.models import Account, SessionToken
from billing.models import Command, FeedCursor, WebhookEvent
from billing.tests.support.faulty_proxy import FaultyProxy
from billing.tests.support.live_provider import Provider
from conftest import NO_AUTHORITIES, ROOT
from dev.run import portal_processes
from faults.support.database_servers import PostgreSQL, Redis
from faults.support.mail_server import MailServer
from faults.support.tcp_relay import TcpRelay
from portal.celery import BEAT_EXPIRES_SECONDS

START_SECONDS = 180.0
# Beat ticks every 20 seconds and a worker reconnects to its broker within 10; the rest is for slow machines.
RECOVERY_SECONDS = 120.0
# What is asked is often a database or another process, which takes a core from what is waited for.
POLL_SECONDS = 0.1
# The pool size of each worker of `make run`.
POOLS = {"codes": 2, "worker": 2, "jobs": 1}
# What systemd does for a socket unit: the socket is descriptor 3, and LISTEN_PID is the process that it is for.
PASS_LISTENER_ON = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
os.execv(sys.argv[2], sys.argv[2:])
"""

Found = TypeVar("Found")


def wait_until(condition: Callable[[], Found], *, seconds: float = RECOVERY_SECONDS, what: str = "it") -> Found:
    """Wait until a condition holds, and return what it gave. Raises TimeoutError."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} did not come true within {seconds:.0f} s")
        time.sleep(POLL_SECONDS)
    return found


@dataclass
class PortalProcess:
    """One process of the portal, the leader of its process group."""

    command: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    listener: socket.socket | None = None
    running: subprocess.Popen[bytes] | None = None

    def start_process(self) -> None:
        """Start the process, without waiting until it serves. It gets the listener, if any, as from systemd."""
        descriptors = [] if self.listener is None else [self.listener.fileno()]
        passing_on = [sys.executable, "-c", PASS_LISTENER_ON, *map(str, descriptors)] if descriptors else []
        with self.log.open("ab") as log:
            self.running = subprocess.Popen(
                [*passing_on, *self.command],
                cwd=ROOT,
                env=dict(self.environment),
                stdout=log,
                stderr=log,
                start_new_session=True,
                pass_fds=descriptors,
            )

    @property
    def is_alive(self) -> bool:
        """Return whether the main process runs."""
        return self.running is not None and self.running.poll() is None

    @property
    def pid(self) -> int:
        """The main process's id."""
        assert self.running is not None
        return self.running.pid

    def terminate_process(self) -> float:
        """Send SIGTERM, as a deployment does; return how many seconds the process took to end."""
        assert self.running is not None
        began = time.monotonic()
        self.running.terminate()
        assert self.running.wait(timeout=40) == 0
        return time.monotonic() - began

    def kill_process(self) -> None:
        """Kill the process group."""
        if self.running is not None and self.is_alive:
            os.killpg(self.running.pid, signal.SIGKILL)
            self.running.wait()

    @contextmanager
    def pause_process(self) -> Iterator[None]:
        """Suspend the process group during the block."""
        os.killpg(self.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.killpg(self.pid, signal.SIGCONT)

    def child_pids(self) -> list[int]:
        """Return the ids of its child processes."""
        found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.pid)], capture_output=True, check=False)
        return [int(number) for number in found.stdout.split()]


@dataclass
class RunningPortal:
    """A running portal, its servers, and the relays between them."""

    folder: Path
    database: PostgreSQL
    redis: Redis
    provider: Provider
    mail_server: MailServer
    database_relay: TcpRelay
    redis_relay: TcpRelay
    provider_proxy: FaultyProxy
    mail_relay: TcpRelay
    port: int
    processes: dict[str, PortalProcess] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """The environment of all processes; it points them to the relays in front of the servers."""
        inherited = {name: text for name, text in os.environ.items() if not name.startswith(("DJANGO_", "PYTEST"))}
        return {
            **inherited,
            "PORTAL_ENV": "demo",
            "PORT": str(self.port),
            "VAR_DIR": str(self.folder),
            "DATABASE_URL": self.database.url_at_port(self.database_relay.port),
            "REDIS_URL": self.redis.url_at_port(self.redis_relay.port),
            "CHARGEBEE_ENDPOINT": self.provider_proxy.endpoint,
            "CHARGEBEE_API_KEY": self.provider.sandbox.api_key,
            "EMAIL_URL": f"smtp://127.0.0.1:{self.mail_relay.port}",
        }

    def run_process(self, name: str, **changed: str) -> PortalProcess:
        """Start one of the processes of `make run`, with some environment variables changed."""
        environment = {**self.environment, **changed}
        process = PortalProcess(portal_processes()[name], environment, self.folder / f"{name}.log")
        self.processes[name] = process
        process.start_process()
        return process

    def start_web(self, **changed: str) -> None:
        """Start the web server and wait until it answers. Raises TimeoutError."""
        self.run_process("web", **changed)
        wait_until(self.is_serving, seconds=START_SECONDS, what="the portal")

    def wait_for_all(self) -> None:
        """Wait until the web server answers and the workers have started their pools. Raises TimeoutError."""
        wait_until(self.is_serving, seconds=START_SECONDS, what="the portal")
        for name, count in POOLS.items():
            children = self.processes[name].child_pids
            wait_until(lambda: len(children()) == count, seconds=START_SECONDS, what=f"all of {name}")  # noqa: B023

    def is_serving(self) -> bool:
        """Return whether the web server answers."""
        try:
            return httpx.get(f"{self.url}/healthz", timeout=1, verify=NO_AUTHORITIES).status_code == 200
        except httpx.TransportError:
            return False

    def restore_all(self) -> None:
        """Restore every relay, and start servers and processes that are down."""
        for relay in (self.database_relay, self.redis_relay, self.provider_proxy, self.mail_relay):
            relay.restore()
        self.mail_server.refusals.clear()
        self.mail_server.seconds_per_mail = 0.0
        for server in (self.database, self.redis):
            if server.process is None:
                server.start_server()
        self.restart_ended_processes()
        self.wait_for_all()
        connections.close_all()

    def restart_ended_processes(self) -> None:
        """Restart processes that have ended, as a process manager does (docs/deployment.md)."""
        for name, process in [*self.processes.items()]:
            if not process.is_alive:
                self.run_process(name)

    def open_browser(self, token: str | None = None) -> httpx.Client:
        """Return an HTTP client, signed in if a token is given."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=60, verify=NO_AUTHORITIES)

    def create_subscriber(self, name: str, *plans: str) -> tuple[Account, httpx.Client]:
        """Create a subscriber; return the account and a signed-in client."""
        account = self.provider.subscriber(name, *plans)
        return account, self.open_browser(SessionToken.objects.create(user=account.user)[1])

    def send_ticks(self) -> None:
        """Send the tick tasks, as beat does every twenty seconds."""
        with Celery(broker=self.redis.url_at_port(self.redis.port), set_as_current=False) as beat:
            for name, queue in (
                ("accounts.tasks.send_due_codes", "codes"),
                ("accounts.tasks.tick", "celery"),
                ("billing.tasks.tick", "celery"),
            ):
                beat.send_task(name, queue=queue, expires=BEAT_EXPIRES_SECONDS)

    def send_task(self, task: str, *args: object, **options: Any) -> None:
        """Send a task directly to Redis, not through the relay."""
        with Celery(broker=self.redis.url_at_port(self.redis.port), set_as_current=False) as app:
            app.send_task(task, args=args, **options)

    def running_task_pids(self, task: str, worker: str) -> list[int]:
        """Return the ids of the processes of a worker that run a task, as it reports them."""
        with Celery(broker=self.redis.url_at_port(self.redis.port), set_as_current=False) as app:
            # Asked by its name, so that the answer is not waited for any longer once it is there.
            inspected = app.control.inspect([f"{worker}@{socket.gethostname()}"], timeout=5.0)
            by_worker = inspected.active() or {}
        return [row["worker_pid"] for rows in by_worker.values() for row in rows if row["name"] == task]

    def settle_work(self) -> None:
        """Expire the leases of open commands, and wait until all commands and webhook events are done."""
        Command.objects.filter(state__in=Command.OPEN).update(next_attempt_at=timezone.now())
        self.send_ticks()
        wait_until(lambda: not Command.objects.filter(state__in=Command.OPEN).exists(), what="every command's end")
        waiting = WebhookEvent.objects.filter(state=WebhookEvent.State.RECEIVED)
        waiting.update(next_attempt_at=timezone.now())
        # A worker that died while it read the feed holds it until its lease expires.
        FeedCursor.objects.update(next_attempt_at=timezone.now())
        self.send_ticks()
        wait_until(lambda: not waiting.exists(), what="every event's end")

    def assert_settled(self) -> None:
        """Assert that no command is open and that the mirror equals the provider."""
        self.settle_work()
        output = StringIO()
        try:
            call_command("reconcile", "--check", stdout=output)
        except CommandError as error:
            output.write(str(error))
        assert output.getvalue() == ""


@contextmanager
def stopped_portal(portal: RunningPortal) -> Iterator[None]:
    """Kill every process of a portal at the end of the block."""
    try:
        yield
    finally:
        for process in portal.processes.values():
            process.kill_process()
