"""The portal behind PgBouncer in transaction mode, with fewer connections to PostgreSQL than it has threads."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from accounts.models import OutgoingMail
from billing.tests.support.live_provider import FAITH
from conftest import free_port
from faults.support.database_servers import PgBouncer
from faults.support.running_portal import RunningPortal, wait_until

# Fewer than the threads of the two web processes, each of which serves one of the people, and than the workers.
CONNECTIONS = 2
PEOPLE = 8
# At most, those of this process: Django's, and the superuser's.
OWN_CONNECTIONS = 4
PAUSE = "/api/account/pause?days=30"
TIME_LIMITS = {"statement_timeout": "15s", "lock_timeout": "5s"}


@pytest.fixture
def bouncer(portal: RunningPortal) -> Iterator[PgBouncer]:
    """Yield a PgBouncer that all processes of the portal use during the test."""
    if shutil.which("pgbouncer") is None:
        pytest.skip("no PgBouncer on this machine")
    server = PgBouncer(free_port(), portal.folder, portal.database, connections=CONNECTIONS)
    with portal.database.open_connection() as superuser:
        for name, limit in TIME_LIMITS.items():
            superuser.execute(f"ALTER ROLE portal SET {name} = '{limit}'")
        server.start_server()
        try:
            _restart_all(portal, DATABASE_URL=server.url)
            yield server
        finally:
            _restart_all(portal)
            server.stop_process(signal.SIGTERM)
            superuser.execute("ALTER ROLE portal RESET ALL")


def _restart_all(portal: RunningPortal, **changed: str) -> None:
    for name, process in [*portal.processes.items()]:
        process.terminate_process()
        portal.run_process(name, **changed)
    portal.wait_for_all()


@pytest.mark.shows("reliability-43")
def test_everything_works_behind_pgbouncer_and_within_the_time_limits(
    portal: RunningPortal, bouncer: PgBouncer
) -> None:
    people = [portal.create_subscriber(f"yara{number}", FAITH) for number in range(PEOPLE)]
    browsers = [browser for _, browser in people]
    before = len(portal.provider.events("subscription_pause_scheduled"))
    with ThreadPoolExecutor(PEOPLE) as pool:
        paused = [answer.status_code for answer in pool.map(lambda browser: browser.post(PAUSE), browsers)]
        read = [answer.status_code for answer in pool.map(lambda browser: browser.get("/api/account"), browsers)]
    assert paused == read == [200] * PEOPLE
    receipts = OutgoingMail.objects.filter(account__in=[account for account, _ in people], kind="receipt")
    wait_until(lambda: receipts.filter(state=OutgoingMail.State.SENT).count() == PEOPLE, what="each receipt")
    portal.assert_settled()
    assert len(portal.provider.events("subscription_pause_scheduled")) - before == PEOPLE

    # Several of its clients share a connection to PostgreSQL, and their prepared statements have the same names.
    with ThreadPoolExecutor(PEOPLE) as pool:
        again = [answer.status_code for answer in pool.map(lambda browser: browser.get("/api/account"), browsers * 3)]
    assert set(again) == {200}
    with bouncer.open_connection() as connection:
        assert connection.execute("SELECT count(*) FROM pg_prepared_statements").fetchone() == (0,)
        shown = {name: connection.execute(f"SHOW {name}").fetchone() for name in TIME_LIMITS}
    assert shown == {name: (limit,) for name, limit in TIME_LIMITS.items()}
    with portal.database.open_connection() as superuser:
        [(opened,)] = superuser.execute("SELECT count(*) FROM pg_stat_activity WHERE usename = 'portal'").fetchall()
    assert opened <= CONNECTIONS + OWN_CONNECTIONS < PEOPLE
