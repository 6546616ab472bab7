"""What every test may ask for: the sandbox as the billing provider, and a network that ends at this machine."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from chargebee import Chargebee
from django.db import connection
from pytest_django import Settings

from billing.gateway import transport

ROOT = Path(__file__).resolve().parent
SANDBOX_START_SECONDS = 30
# Where the sandbox's clock begins in each test that does not say otherwise: an ordinary month, far from any edge.
GENESIS = datetime(2026, 3, 10, 12, tzinfo=UTC)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what needs PostgreSQL and Redis when the suite runs on the embedded default."""
    if connection.vendor == "postgresql":
        return
    skip = pytest.mark.skip(
        reason="needs PostgreSQL and Redis: run through `make test` or set DATABASE_URL, REDIS_URL"
    )
    for item in items:
        if item.get_closest_marker("services"):
            item.add_marker(skip)


def free_port() -> int:
    """Return a port of the loopback interface that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@dataclass
class Sandbox:
    """A sandbox process: its addresses, its keys, and its clock as the SDK moves it."""

    port: int
    process: subprocess.Popen[bytes]
    log: Path
    site: str = "portal-test"
    api_key: str = "test_sandbox_key"

    @property
    def url(self) -> str:
        """Where its console is."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def endpoint(self) -> str:
        """Where its API is."""
        return f"{self.url}/api/v2"

    def client(self) -> Chargebee:
        """Return the official SDK, pointed at this process."""
        # With one connection for all its calls, as in the portal; by itself it makes a TLS context for each.
        transport.install()
        client = Chargebee(api_key=self.api_key, site=self.site, connection_time_out=3, read_time_out=15)
        client.env.protocol = "http"
        client.env.api_endpoint = self.endpoint
        return client

    def misbehave(self, kind: str, path: str, **more: str | int) -> None:
        """Have the next requests to a path meet a fault (docs/sandbox.md says which there are)."""
        self._faults("POST", data={"kind": kind, "path": path, **more})

    def behave(self) -> None:
        """Forget the faults that wait, and let go of the requests that one holds."""
        self._faults("DELETE")

    def struck(self) -> list[dict[str, Any]]:
        """Return the faults that struck, the newest first, and what came after each."""
        return [entry["strike"] for entry in self._faults("GET", "/struck").json()["list"]]

    def refuse(self, path: str, *, after: int = 0) -> None:
        """Have a request to a path refused for the state of what it is about, after so many that pass."""
        self.misbehave("error", path, status=409, api_error_code="invalid_state_for_request", skip=after)

    def _faults(self, method: str, path: str = "", **more: Any) -> httpx.Response:
        key = (self.api_key, "")
        return httpx.request(method, f"{self.url}/faults{path}", auth=key, **more).raise_for_status()

    def kill(self) -> None:
        """End the process and its worker at once, as a power cut would."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def start_afresh(self, genesis: datetime = GENESIS) -> None:
        """Erase the site's data and set its clock, by the documented time machine."""
        self.client().TimeMachine.start_afresh("delorean", {"genesis_time": int(genesis.timestamp())})
        self._wait_for_clock()

    def travel_to(self, instant: datetime) -> None:
        """Move the clock forward and wait until all that happens on the way has happened."""
        self.client().TimeMachine.travel_forward("delorean", {"destination_time": int(instant.timestamp())})
        self._wait_for_clock()

    def _wait_for_clock(self) -> None:
        deadline = time.monotonic() + 60
        client = self.client()
        while time.monotonic() < deadline:
            machine: Any = client.TimeMachine.retrieve("delorean").time_machine
            status = str(getattr(machine.time_travel_status, "value", machine.time_travel_status))
            if status == "succeeded":
                return
            assert status == "in_progress", f"the time machine says {status}"
            time.sleep(0.02)
        raise TimeoutError("the time machine did not arrive within a minute")


def _answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=1).close()  # noqa: S310  (always http to this machine)
    except urllib.error.HTTPError:
        return True  # an answer, if not a page
    except OSError:
        return False
    return True


def _wait_until_it_serves(sandbox: Sandbox) -> None:
    deadline = time.monotonic() + SANDBOX_START_SECONDS
    while not _answers(f"{sandbox.url}/"):
        if sandbox.process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"the sandbox did not start:\n{sandbox.log.read_text()}")
        time.sleep(0.05)


@contextmanager
def running_sandbox(folder: Path, **environment: str) -> Iterator[Sandbox]:
    """Run a sandbox on a free port with its data in `folder`, webhooks off unless the environment says otherwise."""
    log, port = folder / "sandbox.log", free_port()
    settled = {
        **os.environ,
        "VAR_DIR": str(folder),
        "SANDBOX_PORT": str(port),
        "SANDBOX_DATABASE": str(folder / "sandbox.sqlite3"),
        "SANDBOX_WEBHOOK_URL": "",
        "SANDBOX_REQUESTS_PER_MINUTE": "0",
        **environment,
    }
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "billing.sandbox"],
            cwd=ROOT,
            env=settled,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    sandbox = Sandbox(port=port, process=process, log=log)
    try:
        _wait_until_it_serves(sandbox)
        yield sandbox
    finally:
        # Gunicorn's quick end. The graceful one leaves kept-alive connections two seconds to say something, each time.
        process.send_signal(signal.SIGQUIT)
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.fixture(scope="session")
def sandbox_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """One sandbox for this test process, on a free port, with a database of its own and webhooks off."""
    with running_sandbox(tmp_path_factory.mktemp("sandbox")) as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def run_sandbox() -> Callable[..., AbstractContextManager[Sandbox]]:
    """`running_sandbox`, for fixtures that outlive one test."""
    return running_sandbox


@pytest.fixture
def launch_sandbox(tmp_path: Path) -> Iterator[Callable[..., Sandbox]]:
    """Start sandboxes of a test's own, with the environment it gives; all keep their data in the test's folder."""
    with ExitStack() as running:
        yield lambda **environment: running.enter_context(running_sandbox(tmp_path, **environment))


@pytest.fixture
def sandbox(sandbox_process: Sandbox, settings: Settings) -> Sandbox:
    """The sandbox, started afresh, with the portal's settings pointing at it."""
    settings.CHARGEBEE_SITE = sandbox_process.site
    settings.CHARGEBEE_API_KEY = sandbox_process.api_key
    settings.CHARGEBEE_ENDPOINT = sandbox_process.endpoint
    sandbox_process.start_afresh()
    return sandbox_process


@pytest.fixture
def chargebee_client(sandbox: Sandbox) -> Chargebee:
    """The official SDK, pointed at the sandbox: for arranging what a test needs and for asking how it ended."""
    return sandbox.client()
