"""A portal of its own on running servers, with an empty site at the sandbox."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.management import call_command
from django.db import connections
from django.test import override_settings

from billing.tests.support.faulty_proxy import FaultyProxy
from billing.tests.support.live_provider import Provider
from conftest import Sandbox, free_port, run_sandbox_process
from faults.support.database_servers import PostgreSQL, Redis
from faults.support.mail_server import MailServer
from faults.support.running_portal import RunningPortal, stopped_portal
from faults.support.tcp_relay import TcpRelay


@contextmanager
def _use_portal_database(database: PostgreSQL, sandbox: Sandbox) -> Iterator[None]:
    """Connect this process directly to the portal's database and provider."""
    connection = connections["default"]
    previous_settings = dict(connection.settings_dict)
    connection.close()
    connection.settings_dict.update(HOST="127.0.0.1", PORT=database.port, NAME="postgres", USER="portal", PASSWORD="")
    with override_settings(
        CHARGEBEE_SITE=sandbox.site,
        CHARGEBEE_API_KEY=sandbox.api_key,
        CHARGEBEE_ENDPOINT=sandbox.endpoint,
    ):
        yield
        connection.close()
    connection.settings_dict.update(previous_settings)


@contextmanager
def run_fresh_portal(folder: Path, database: PostgreSQL, redis: Redis) -> Iterator[RunningPortal]:
    """Yield the processes of `make run`, on PostgreSQL, Redis, the sandbox and a mail server."""
    port = free_port()
    webhooks = f"http://127.0.0.1:{port}/webhooks/chargebee"
    with (
        run_sandbox_process(folder, SANDBOX_WEBHOOK_URL=webhooks) as sandbox,
        _use_portal_database(database, sandbox),
    ):
        sandbox.start_afresh()
        call_command("migrate", verbosity=0)
        call_command("seed_site", verbosity=0)
        provider = Provider(sandbox=sandbox, sdk=sandbox.client())
        provider.open_shop()
        mail_server = MailServer()
        portal = RunningPortal(
            folder=folder,
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
