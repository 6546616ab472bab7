"""Fixtures for the fault tests, which share one running portal; each test breaks something and repairs it."""

from __future__ import annotations

import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from django.db import connections
from pytest_django import DjangoDbBlocker

from conftest import free_port
from dev.servers import missing_binaries
from faults.support.database_servers import PostgreSQL, Redis
from faults.support.fresh_portal import run_fresh_portal
from faults.support.running_portal import RunningPortal

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


@pytest.fixture(scope="session")
def running_portal(
    server_folder: Path, database: PostgreSQL, redis: Redis, django_db_blocker: DjangoDbBlocker
) -> Iterator[RunningPortal]:
    """Yield the processes of `make run`, on PostgreSQL, Redis, the sandbox and a mail server."""
    with django_db_blocker.unblock(), run_fresh_portal(server_folder, database, redis) as portal:
        yield portal


@pytest.fixture
def portal(running_portal: RunningPortal) -> Iterator[RunningPortal]:
    """Yield the running portal; after the test, repair it and assert that its mirror equals the provider."""
    yield running_portal
    running_portal.restore_all()
    running_portal.assert_settled()
