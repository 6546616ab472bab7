"""The database is restored from a backup that is older than the provider's state."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection

from billing.models import Command, Invoice
from billing.tests.api.browser import Browser
from billing.tests.api.synced_provider import SyncedProvider
from billing.tests.support.invariants import reconcile_output
from billing.tests.support.live_provider import FAITH, GOSPEL, KIDS, Provider
from core.models import IdempotentRequest
from dev.servers import server_binary

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("assert_settled_after")]

CHANGE = "/api/account/add-remove-service"
Restore = Callable[[], None]


def back_up_sqlite(copy: Path) -> Restore:
    """Copy the database with SQLite's online backup; return the function that restores it."""
    connection.ensure_connection()
    backup = sqlite3.connect(copy)
    connection.connection.backup(backup)

    def restore() -> None:
        backup.backup(connection.connection)
        backup.close()

    return restore


def back_up_postgresql(copy: Path) -> Restore:
    """Dump the database as docs/deployment.md says; return the function that restores it."""
    server = connection.settings_dict
    environment = {**os.environ, "PGPASSWORD": str(server["PASSWORD"])}
    place = ["-h", server["HOST"], "-p", str(server["PORT"]), "-U", server["USER"], "-d", server["NAME"]]
    subprocess.run([server_binary("pg_dump"), "-Fc", "-f", copy, *place], env=environment, check=True)

    def restore() -> None:
        subprocess.run([server_binary("pg_restore"), "--clean", *place, copy], env=environment, check=True)

    return restore


@pytest.fixture(params=["embedded", pytest.param("services", marks=pytest.mark.services)])
def back_up(tmp_path: Path) -> Callable[[], Restore]:
    """Return a function that backs up the database and returns one that restores it."""
    back_up_database = back_up_sqlite if connection.vendor == "sqlite" else back_up_postgresql
    return lambda: back_up_database(tmp_path / "backup")


@pytest.fixture
def shop(provider: Provider) -> SyncedProvider:
    return SyncedProvider(provider)


def change_services(browser: Browser, *plans: str, key: str) -> int:
    """Request exactly these services; return the status code."""
    return browser.post(CHANGE, {"planIds": plans}, headers={"Idempotency-Key": key}).status_code


@pytest.mark.shows("reliability-36")
def test_after_a_restore_reconcile_repairs_the_mirror_and_keys_work_again(
    shop: SyncedProvider, back_up: Callable[[], Restore]
) -> None:
    account = shop.customer("alice")
    shop.subscribe("alice", FAITH)
    restore = back_up()
    alice = Browser(account)
    assert change_services(alice, FAITH, KIDS, key="one") == 200
    request_ids = set(IdempotentRequest.objects.values_list("pk", flat=True))
    assert Invoice.objects.count() == 2

    restore()

    assert (Command.objects.count(), Invoice.objects.count()) == (0, 1)
    assert "missing" in reconcile_output()
    call_command("reconcile", "--restart", stdout=StringIO())
    assert reconcile_output() == ""
    alice = Browser(account)
    held = alice.get("/api/account/manage-plans").json()["existingPlans"]
    assert [plan["id"] for plan in held] == [FAITH, KIDS]
    # The ids of requests after the backup are assigned again, and the subscriber reuses the key.
    assert change_services(alice, FAITH, KIDS, GOSPEL, key="one") == 200
    assert set(IdempotentRequest.objects.values_list("pk", flat=True)) == request_ids
    assert shop.provider.subscription(account, GOSPEL).status == "active"
    assert len(shop.provider.events("subscription_created")) == 3
