"""Fixtures for the fault tests, which share one running portal; each test breaks something and repairs it."""

from __future__ import annotations

import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connections
from django.test import override_settings
from pytest_django import DjangoDbBlocker

from billing.tests.support.faulty_proxy import FaultyProxy
from billing.tests.support.live_provider import Provider
from conftest import Sandbox, free_port, run_sandbox_process
from dev.servers import missing_binaries
from faults.support.database_servers import PostgreSQL, Redis
from faults.support.mail_server import MailServer
from faults.support.running_portal import RunningPortal, stopped_portal
from faults.support.tcp_relay import TcpRelay

LOG_LINES = 40


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the processes' logs to the report of a failed test, since their folder is deleted."""
    report = yield
    portal = getattr(item, "funcargs", {}).get("portal")
    if report.failed and isinstance(portal, RunningPortal):
        for log in sorted(portal.folder.glob("*.log")):
            lines = log.read_text(errors="replace").splitlines()[-LOG_LINES:]
            report.sections.append((log.name, "\n".join(lines)))
    return report


@pytest.fixture(scope="session")
def server_folder() -> Iterator[Path]:
    """Yield a folder that the servers' unprivileged user can access, unlike pytest's."""
    if connections["default"].vendor != "postgresql":
        pytest.skip("run through `make test`, or with DATABASE_URL=postgres://any/one: it is replaced by our own")
    if missing := missing_binaries():
        pytest.skip(f"no {' and no '.join(missing)} on this machine")
    with tempfile.TemporaryDirectory(prefix="portal-faults-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture(scope="session")
def database(server_folder: Path) -> Iterator[PostgreSQL]:
    """Yield a running PostgreSQL server."""
    server = PostgreSQL(free_port(), server_folder)
    server.start_server()
    yield server
    server.crash_server()


@pytest.fixture(scope="session")
def redis(server_folder: Path) -> Iterator[Redis]:
    """Yield a running Redis server."""
    server = Redis(free_port(), server_folder)
    server.start_server()
    yield server
    server.crash_server()


@contextmanager
def _use_portal_database(database: PostgreSQL, sandbox: Sandbox, blocker: DjangoDbBlocker) -> Iterator[None]:
    """Connect this process directly to the portal's database and provider."""
    connection = connections["default"]
    previous_settings = dict(connection.settings_dict)
    connection.close()
    connection.settings_dict.update(HOST="127.0.0.1", PORT=database.port, NAME="postgres", USER="portal", PASSWORD="")
    with (
        blocker.unblock(),
        override_settings(
            CHARGEBEE_SITE=sandbox.site,
            CHARGEBEE_API_KEY=sandbox.api_key,
            CHARGEBEE_ENDPOINT=sandbox.endpoint,
        ),
    ):
        yield
        connection.close()
    connection.settings_dict.update(previous_settings)


@pytest.fixture(scope="session")
def running_portal(
    server_folder: Path, database: PostgreSQL, redis: Redis, django_db_blocker: DjangoDbBlocker
) -> Iterator[RunningPortal]:
    """Yield the processes of `make run`, on PostgreSQL, Redis, the sandbox and a mail server."""
    port = free_port()
    webhooks = f"http://127.0.0.1:{port}/webhooks/chargebee"
    with (
        run_sandbox_process(server_folder, SANDBOX_WEBHOOK_URL=webhooks) as sandbox,
        _use_portal_database(database, sandbox, django_db_blocker),
    ):
        sandbox.start_afresh()
        call_command("migrate", verbosity=0)
        call_command("seed_site", verbosity=0)
        provider = Provider(sandbox=sandbox, sdk=sandbox.client())
        provider.open_shop()
        mail_server = MailServer()
        portal = RunningPortal(
            folder=server_folder,
            database=database,
            redis=redis,
            provider=provider,
            mail_server=mail_server,
            database_relay=TcpRelay(database.port),
            redis_relay=TcpRelay(redis.port),
            provider_proxy=FaultyProxy(sandbox.port),
            mail_relay=TcpRelay(mail_server.port),
            port=port,
        )
        with stopped_portal(portal):
            for name in ("codes", "worker", "jobs", "beat"):
                portal.run_process(name)
            portal.start_web()
            portal.wait_for_all()
            yield portal
        mail_server.shutdown()


@pytest.fixture
def portal(running_portal: RunningPortal) -> Iterator[RunningPortal]:
    """Yield the running portal; after the test, repair it and assert that its mirror equals the provider."""
    yield running_portal
    running_portal.restore_all()
    running_portal.assert_settled()
