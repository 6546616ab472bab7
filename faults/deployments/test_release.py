"""A release that replaces the web servers as docs/deployment.md says, under load and with a migration in between."""

from __future__ import annotations

import socket
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from uuid import uuid4

import httpx
import pytest
from django.db import connection, migrations, models
from django.db.migrations.loader import MigrationLoader

from accounts.models import Account, SessionToken
from billing.tests.support.live_provider import FAITH
from core.online_indexes import AddIndexOnline
from dev.run import portal_processes
from faults.support.proxy import HOST, UNVERIFIED, Proxy, run_proxy
from faults.support.running_portal import START_SECONDS, PortalProcess, RunningPortal, wait_until
from preferences.models import EmailPreferences, Preference

VISITORS = 4
# Less than the burst that the proxy allows one address.
REQUESTS_PER_ADDRESS = 100
# How many requests the load makes between two steps of the release.
REQUESTS_BETWEEN_STEPS = 40
CHOICES = "/api/account/communicationPreferences"
# It shows a setting, by which the two releases are told apart.
RELEASE_MARK = "/.well-known/security.txt"
OLD, NEW = "mailto:old@example.com", "mailto:new@example.com"


class NextRelease(migrations.Migration):
    """What a release adds: a column of the busiest table, and an index that is made while others write."""

    atomic = False
    operations = [
        migrations.AddField("account", "next_release", models.TextField(null=True)),
        AddIndexOnline("account", models.Index(fields=["next_release"], name="next_release")),
    ]


def sign_in(account: Account) -> str:
    """Return a token for an account."""
    token: str = SessionToken.objects.create(user=account.user)[1]
    return token


@contextmanager
def applied_migration() -> Iterator[None]:
    """Apply the migration, and take it back at the end of the block."""
    migration = NextRelease("next_release", "accounts")
    before = MigrationLoader(connection).project_state()
    with connection.schema_editor(atomic=False) as editor:
        migration.apply(before.clone(), editor)
    try:
        yield
    finally:
        with connection.schema_editor(atomic=False) as editor:
            migration.unapply(before, editor)


@dataclass
class Load:
    """Subscribers who read and write through the proxy until they are told to stop."""

    proxy: Proxy
    statuses: list[int | str] = field(default_factory=list)
    stopping: Event = field(default_factory=Event)

    def visit(self, number: int, token: str) -> None:
        """Read and write as one subscriber; a request without a response counts by its error's name."""
        headers = {"Host": HOST, "Authorization": f"Bearer {token}"}
        address = 0
        while not self.stopping.is_set():
            address += 1
            transport = httpx.HTTPTransport(verify=UNVERIFIED, local_address=f"127.0.{number + 1}.{address}")
            with httpx.Client(transport=transport, headers=headers, timeout=60) as browser:
                for turn in range(REQUESTS_PER_ADDRESS):
                    if self.stopping.is_set():
                        break
                    self.statuses.append(self._send_request(browser, turn))

    def _send_request(self, browser: httpx.Client, turn: int) -> int | str:
        base = f"https://127.0.0.1:{self.proxy.port}"
        named = {"sni_hostname": HOST}
        try:
            if turn % 2:
                return browser.get(f"{base}/api/account", extensions=named).status_code
            # nginx never repeats a POST, so a lost one would show.
            choices = dict.fromkeys(Preference.values, bool(turn % 4))
            key = {"Idempotency-Key": str(uuid4())}
            return browser.post(f"{base}{CHOICES}", json=choices, headers=key, extensions=named).status_code
        except httpx.TransportError as error:
            return type(error).__name__

    def wait_for_requests(self) -> None:
        """Wait until some more requests are made, however fast this machine is."""
        made = len(self.statuses)
        wait_until(lambda: len(self.statuses) >= made + REQUESTS_BETWEEN_STEPS, what="more requests")


class WebServers:
    """The web servers of a release, which share one socket as the units of `deploy/systemd/` do."""

    def __init__(self, portal: RunningPortal, listener: socket.socket) -> None:
        self.portal = portal
        self.listener = listener
        self.running: dict[str, PortalProcess] = {}

    def start_server(self, name: str, *, contact: str) -> None:
        """Start one of them and wait until it has loaded the code."""
        environment = {**self.portal.environment, "WEB_PROCESSES": "1", "SECURITY_CONTACT": contact}
        log = self.portal.folder / f"{name}.log"
        process = PortalProcess(portal_processes()["web"], environment, log, self.listener)
        self.running[name] = process
        process.start_process()
        wait_until(process.child_pids, seconds=START_SECONDS, what=name)

    def stop_server(self, name: str) -> None:
        """Stop one of them by SIGTERM, as `systemctl restart` does."""
        self.running[name].terminate_process()


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """The socket of `portal-web.socket`, which stays open while the servers behind it are replaced."""
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as opened:
        yield opened


@pytest.fixture
def servers(portal: RunningPortal, listener: socket.socket) -> Iterator[WebServers]:
    """Two web servers of the old release."""
    servers = WebServers(portal, listener)
    try:
        for name in ("web-1", "web-2"):
            servers.start_server(name, contact=OLD)
        yield servers
    finally:
        for process in servers.running.values():
            process.kill_process()


@pytest.fixture
def proxy(servers: WebServers) -> Iterator[Proxy]:
    """The proxy in front of the socket."""
    with tempfile.TemporaryDirectory(prefix="portal-release-") as folder:
        Path(folder).chmod(0o755)
        with run_proxy(Path(folder), portal_port=servers.listener.getsockname()[1]) as proxy:
            yield proxy


@pytest.mark.shows("reliability-42")
def test_a_release_with_a_migration_fails_no_request(portal: RunningPortal, servers: WebServers, proxy: Proxy) -> None:
    people = [portal.create_subscriber(f"release{number}", FAITH)[0] for number in range(VISITORS)]
    load = Load(proxy)
    with ThreadPoolExecutor(VISITORS) as pool:
        visits = [pool.submit(load.visit, *visitor) for visitor in enumerate(map(sign_in, people))]
        try:
            load.wait_for_requests()
            assert OLD in proxy.request("GET", RELEASE_MARK).text
            with applied_migration():
                load.wait_for_requests()
                servers.stop_server("web-1")
                servers.start_server("web-1", contact=NEW)
                # Both releases serve.
                load.wait_for_requests()
                servers.stop_server("web-2")
                load.wait_for_requests()
                assert NEW in proxy.request("GET", RELEASE_MARK).text
        finally:
            load.stopping.set()
    for visit in visits:
        visit.result()
    assert set(load.statuses) == {200}, Counter(load.statuses)
    # Each wanted it last, or not, and either is a row.
    assert EmailPreferences.objects.filter(account__in=people).count() == VISITORS
