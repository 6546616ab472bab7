"""One running portal for all of these tests; each breaks something under it and leaves it whole."""

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

from billing.tests.cable import Cable
from billing.tests.live import Provider
from conftest import Sandbox, free_port, running_sandbox
from dev.services import missing_binaries
from faults.portal import Portal, stopped
from faults.post_office import PostOffice
from faults.relay import Relay
from faults.servers import PostgreSQL, Redis

LOG_LINES = 40


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show what the processes said where a test failed: their folder goes away."""
    report = yield
    portal = getattr(item, "funcargs", {}).get("portal")
    if report.failed and isinstance(portal, Portal):
        for log in sorted(portal.folder.glob("*.log")):
            lines = log.read_text(errors="replace").splitlines()[-LOG_LINES:]
            report.sections.append((log.name, "\n".join(lines)))
    return report


@pytest.fixture(scope="session")
def below() -> Iterator[Path]:
    """A folder that the servers' own user may enter, which pytest's are not."""
    if connections["default"].vendor != "postgresql":
        pytest.skip(
            "run through `make test`, or with DATABASE_URL=postgres://any/one: it is replaced by our own"
        )
    if missing := missing_binaries():
        pytest.skip(f"no {' and no '.join(missing)} on this machine")
    with tempfile.TemporaryDirectory(prefix="portal-faults-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture(scope="session")
def database(below: Path) -> Iterator[PostgreSQL]:
    """A PostgreSQL of our own."""
    server = PostgreSQL(free_port(), below)
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def redis(below: Path) -> Iterator[Redis]:
    """A Redis of our own."""
    server = Redis(free_port(), below)
    server.start()
    yield server
    server.stop()


@contextmanager
def _looking_into(database: PostgreSQL, sandbox: Sandbox, blocker: DjangoDbBlocker) -> Iterator[None]:
    """Let this process use the portal's own database and provider, by the straight way."""
    connection = connections["default"]
    before = dict(connection.settings_dict)
    connection.close()
    connection.settings_dict.update(
        HOST="127.0.0.1", PORT=database.port, NAME="postgres", USER="portal", PASSWORD=""
    )
    with (
        blocker.unblock(),
        override_settings(
            CHARGEBEE_SITE=sandbox.site,
            CHARGEBEE_API_KEY=sandbox.api_key,
            CHARGEBEE_ENDPOINT=sandbox.endpoint,
            CACHES={"default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}},
        ),
    ):
        yield
        connection.close()
    connection.settings_dict.update(before)


@pytest.fixture(scope="session")
def running(
    below: Path, database: PostgreSQL, redis: Redis, django_db_blocker: DjangoDbBlocker
) -> Iterator[Portal]:
    """Web, workers and beat as `make run` starts them, on PostgreSQL, Redis, the sandbox and a mail server."""
    port = free_port()
    webhooks = f"http://127.0.0.1:{port}/webhooks/chargebee"
    with (
        running_sandbox(below, SANDBOX_WEBHOOK_URL=webhooks) as sandbox,
        _looking_into(database, sandbox, django_db_blocker),
    ):
        sandbox.start_afresh()
        call_command("migrate", verbosity=0)
        call_command("seed_site", verbosity=0)
        provider = Provider(sandbox=sandbox, sdk=sandbox.client())
        provider.open_shop()
        post_office = PostOffice()
        portal = Portal(
            folder=below,
            database=database,
            redis=redis,
            provider=provider,
            post_office=post_office,
            to_database=Relay(database.port),
            to_redis=Relay(redis.port),
            to_provider=Cable(sandbox.port),
            to_post_office=Relay(post_office.port),
            port=port,
        )
        with stopped(portal):
            for name in ("worker", "jobs", "beat"):
                portal.run(name)
            portal.serve()
            portal.await_all()
            yield portal
        post_office.shutdown()


@pytest.fixture
def portal(running: Portal) -> Iterator[Portal]:
    """The running portal, whole before and after; then its mirror holds what the provider holds."""
    yield running
    running.mend()
    running.assert_whole()
