"""Fixtures for all tests: the sandbox as the billing provider, and no network beyond this machine."""

from __future__ import annotations

import gc
import os
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from chargebee import Chargebee
from django.core.management import call_command
from django.db import connection, transaction
from django.db.models import Model
from django.test import TransactionTestCase
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from pytest_django import DjangoDbBlocker, Settings

from billing.gateway.http import transport

ROOT = Path(__file__).resolve().parent
SANDBOX_START_SECONDS = 120
SANDBOX_DATABASE = "sandbox.sqlite3"
# Where the sandbox's clock starts by default: in an ordinary month, far from the turn of a month or year.
GENESIS = datetime(2026, 3, 10, 12, tzinfo=UTC)
# For httpx, which otherwise loads all certificate authorities for every request, even for one without TLS.
NO_AUTHORITIES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
CLOCK_POLL_SECONDS = 0.005

# How long an example takes says only how busy the machine is.
hypothesis_settings.register_profile(
    "any machine", hypothesis_settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis_settings.load_profile("any machine")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip the tests that need PostgreSQL and Redis when the suite runs on SQLite."""
    if connection.vendor == "postgresql":
        return
    skip = pytest.mark.skip(reason="needs PostgreSQL and Redis: run through `make test` or set DATABASE_URL, REDIS_URL")
    for item in items:
        if item.get_closest_marker("services"):
            item.add_marker(skip)


def pytest_collection_finish() -> None:
    """Leave what is loaded by now out of garbage collections, which took a quarter of the time of most tests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


def free_port() -> int:
    """Return a free port of the loopback interface."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@dataclass(frozen=True)
class SiteCopy:
    """A site's data, and the site's time (milliseconds UTC) when it was copied."""

    database: sqlite3.Connection
    site_ms: int


@dataclass
class Sandbox:
    """A running sandbox: its URLs, its keys, its clock and its fault queue."""

    port: int
    process: subprocess.Popen[bytes]
    log: Path
    site: str = "portal-test"
    api_key: str = "test_sandbox_key"
    is_configured: bool = False

    @property
    def url(self) -> str:
        """Return the URL of its console."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def database(self) -> Path:
        """Return the path of its database."""
        return self.log.with_name(SANDBOX_DATABASE)

    @property
    def endpoint(self) -> str:
        """Return the URL of its API."""
        return f"{self.url}/api/v2"

    def client(self) -> Chargebee:
        """Return the official SDK, pointed at this process."""
        # With one shared connection, as in the portal; by default the SDK makes a TLS context for each call.
        transport.install_shared_client()
        client = Chargebee(api_key=self.api_key, site=self.site, connection_time_out=3, read_time_out=15)
        client.env.protocol = "http"
        client.env.api_endpoint = self.endpoint
        return client

    def order_fault(self, kind: str, path: str, **more: str | int) -> None:
        """Order a fault for the next requests to a path (chargebee_sandbox/README.md lists the kinds)."""
        self._request_faults("POST", data={"kind": kind, "path": path, **more})

    def clear_faults(self) -> None:
        """Remove the waiting faults, and release the requests that a fault holds back."""
        self._request_faults("DELETE")

    def struck(self) -> list[dict[str, Any]]:
        """Return the faults that struck, newest first, with the requests that followed each."""
        return [entry["strike"] for entry in self._request_faults("GET", "/struck").json()["list"]]

    def refuse_requests(self, path: str, *, after: int = 0) -> None:
        """Have one request to a path fail with `invalid_state_for_request`, after `after` requests have passed."""
        self.order_fault("error", path, status=409, api_error_code="invalid_state_for_request", skip=after)

    def configure_site(self, **settings: str | float) -> None:
        """Change settings of the site (chargebee_sandbox/README.md lists them) until it is started afresh."""
        self.is_configured = True
        form = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in settings.items()}
        self._request("POST", "/site_settings", data=form)

    def _request_faults(self, method: str, path: str = "", **more: Any) -> httpx.Response:
        return self._request(method, f"/faults{path}", **more)

    def _request(self, method: str, path: str, **more: Any) -> httpx.Response:
        key = (self.api_key, "")
        answer = httpx.request(method, self.url + path, auth=key, verify=NO_AUTHORITIES, trust_env=False, **more)
        return answer.raise_for_status()

    def kill(self) -> None:
        """Kill the process and its worker, as a power cut would."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def start_afresh(self, genesis: datetime = GENESIS) -> None:
        """Erase the site's data, set its clock through the API's time machine, and reset the site's settings."""
        if self.is_configured:
            self._request("DELETE", "/site_settings")
            self.is_configured = False
        # The response comes after everything is erased, so that there is nothing to wait for.
        self.client().TimeMachine.start_afresh("delorean", {"genesis_time": int(genesis.timestamp())})

    def copy_site(self) -> SiteCopy:
        """Return a copy of the site's data, in memory."""
        copy = sqlite3.connect(":memory:")
        with closing(sqlite3.connect(self.database)) as data:
            data.backup(copy)
        (offset_ms,) = copy.execute("SELECT offset_ms FROM sandbox_site").fetchone()
        return SiteCopy(copy, time.time_ns() // 1_000_000 + offset_ms)

    def restore_site(self, copy: SiteCopy) -> None:
        """Replace all data of the site with a copy; its clock continues from the time of the copy."""
        with closing(sqlite3.connect(self.database)) as data:
            (epoch,) = data.execute("SELECT epoch FROM sandbox_site").fetchone()
            offset_ms = copy.site_ms - time.time_ns() // 1_000_000
            with copy.database:
                copy.database.execute("UPDATE sandbox_site SET offset_ms = ?, epoch = ?", (offset_ms, epoch))
            copy.database.backup(data)

    def travel_to(self, instant: datetime) -> None:
        """Move the clock forward and wait until everything due by then has happened."""
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
            time.sleep(CLOCK_POLL_SECONDS)
        raise TimeoutError("the time machine did not arrive within a minute")


def _as_form_value(value: str | float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_answering(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=1).close()  # noqa: S310  (always http to this machine)
    except urllib.error.HTTPError:
        return True  # it responds, even if with an error
    except OSError:
        return False
    return True


def _wait_until_serving(sandbox: Sandbox) -> None:
    deadline = time.monotonic() + SANDBOX_START_SECONDS
    while not _is_answering(f"{sandbox.url}/"):
        if sandbox.process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"the sandbox did not start:\n{sandbox.log.read_text()}")
        time.sleep(0.05)


@contextmanager
def run_sandbox_process(folder: Path, **environment: str) -> Iterator[Sandbox]:
    """Run a sandbox on a free port with its data in `folder`; webhooks are off unless the environment names a URL."""
    log, port = folder / "sandbox.log", free_port()
    settled = {
        **os.environ,
        "VAR_DIR": str(folder),
        "SANDBOX_PORT": str(port),
        "SANDBOX_DATABASE": str(folder / SANDBOX_DATABASE),
        "SANDBOX_WEBHOOK_URL": "",
        "SANDBOX_REQUESTS_PER_MINUTE": "0",
        **environment,
    }
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "chargebee_sandbox"],
            cwd=ROOT,
            env=settled,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    sandbox = Sandbox(port=port, process=process, log=log)
    try:
        _wait_until_serving(sandbox)
        yield sandbox
    finally:
        # Gunicorn's quick shutdown. The graceful one waits two seconds for requests on kept-alive connections.
        process.send_signal(signal.SIGQUIT)
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _delete_all_rows() -> None:
    """Delete all rows. `flush` truncates every table, for each of which PostgreSQL writes a new file."""
    names = connection.introspection.django_table_names(only_existing=True, include_views=False)
    tables = [connection.ops.quote_name(name) for name in names]
    # Foreign keys are checked at the end of the transaction, so the tables can be emptied in any order.
    with transaction.atomic(), connection.cursor() as cursor:
        filled = (f"SELECT '{table}' WHERE EXISTS (SELECT FROM {table})" for table in tables)  # noqa: S608  (our names)
        cursor.execute(" UNION ALL ".join(filled))
        for (table,) in cursor.fetchall():
            cursor.execute(f"DELETE FROM {table}")  # noqa: S608  (as above)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """After a test that commits, restore in bulk what migrating has made; Django would create it row by row."""
    from django.contrib.auth.models import Group, Permission
    from django.contrib.contenttypes.models import ContentType

    from billing.models import Plan, RefundLimit, SurveyQuestion

    groups: tuple[type[Model], ...] = (Group, Group.permissions.through, RefundLimit)
    models: tuple[type[Model], ...] = (ContentType, Permission, *groups, Plan, SurveyQuestion)
    with django_db_blocker.unblock():
        rows = [(model, list(model._base_manager.all())) for model in models]

    def empty_tables(_test: TransactionTestCase) -> None:
        if connection.vendor == "postgresql":
            _delete_all_rows()
        else:
            call_command("flush", verbosity=0, interactive=False, reset_sequences=False, inhibit_post_migrate=True)
        for model, made in rows:
            model._base_manager.bulk_create(made)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(TransactionTestCase, "_fixture_teardown", empty_tables)
        yield


@pytest.fixture(scope="module")
def shared_rows(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Let a module's fixtures make rows once for all its tests; each test changes them in a savepoint of its own."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture(scope="session")
def sandbox_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """Run one sandbox for this test process, on a free port, with its own database and webhooks off."""
    with run_sandbox_process(tmp_path_factory.mktemp("sandbox")) as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def run_sandbox() -> Callable[..., AbstractContextManager[Sandbox]]:
    """Return `run_sandbox_process`, for fixtures that outlive one test."""
    return run_sandbox_process


@pytest.fixture
def launch_sandbox(tmp_path: Path) -> Iterator[Callable[..., Sandbox]]:
    """Return a function that starts a sandbox for this test with an environment; all share the data in its folder."""
    with ExitStack() as running:
        yield lambda **environment: running.enter_context(run_sandbox_process(tmp_path, **environment))


@pytest.fixture
def sandbox(sandbox_process: Sandbox, settings: Settings) -> Sandbox:
    """Erase the sandbox's site and point the portal's settings at it."""
    settings.CHARGEBEE_SITE = sandbox_process.site
    settings.CHARGEBEE_API_KEY = sandbox_process.api_key
    settings.CHARGEBEE_ENDPOINT = sandbox_process.endpoint
    sandbox_process.start_afresh()
    return sandbox_process


@pytest.fixture
def chargebee_client(sandbox: Sandbox) -> Chargebee:
    """Return the official SDK, pointed at the sandbox, to set up a test and to check the provider's state."""
    return sandbox.client()
