"""The database comes back from a backup, older than what the provider holds."""

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
    """Copy the database as SQLite does it while it is in use; return what brings it back."""
    connection.ensure_connection()
    kept = sqlite3.connect(copy)
    connection.connection.backup(kept)

    def restore() -> None:
        kept.backup(connection.connection)
        kept.close()

    return restore


def back_up_postgresql(copy: Path) -> Restore:
    """Dump the database as the deployment's document says; return what brings it back."""
    server = connection.settings_dict
    environment = {**os.environ, "PGPASSWORD": str(server["PASSWORD"])}
    place = ["-h", server["HOST"], "-p", str(server["PORT"]), "-U", server["USER"], "-d", server["NAME"]]
    subprocess.run([server_binary("pg_dump"), "-Fc", "-f", copy, *place], env=environment, check=True)

    def restore() -> None:
        subprocess.run([server_binary("pg_restore"), "--clean", *place, copy], env=environment, check=True)

    return restore


@pytest.fixture(params=["embedded", pytest.param("services", marks=pytest.mark.services)])
def back_up(tmp_path: Path) -> Callable[[], Restore]:
    """Back up the database; what is returned restores it."""
    made = back_up_sqlite if connection.vendor == "sqlite" else back_up_postgresql
    return lambda: made(tmp_path / "backup")


@pytest.fixture
def shop(provider: Provider) -> SyncedProvider:
    return SyncedProvider(provider)


def change_services(browser: Browser, *plans: str, key: str) -> int:
    """Ask for exactly these services; return the status."""
    return browser.post(CHANGE, {"planIds": plans}, headers={"Idempotency-Key": key}).status_code


@pytest.mark.shows("reliability-36")
def test_the_provider_is_read_again_and_no_key_stands_for_something_else(
    shop: SyncedProvider, back_up: Callable[[], Restore]
) -> None:
    account = shop.customer("alice")
    shop.subscribe("alice", FAITH)
    restore = back_up()
    alice = Browser(account)
    assert change_services(alice, FAITH, KIDS, key="one") == 200
    asked_for = set(IdempotentRequest.objects.values_list("pk", flat=True))
    assert Invoice.objects.count() == 2

    restore()

    assert (Command.objects.count(), Invoice.objects.count()) == (0, 1)
    assert "missing" in reconcile_output()
    call_command("reconcile", "--restart", stdout=StringIO())
    assert reconcile_output() == ""
    alice = Browser(account)
    held = alice.get("/api/account/manage-plans").json()["existingPlans"]
    assert [plan["id"] for plan in held] == [FAITH, KIDS]
    # The numbers that requests had since the backup are given again, and so is the subscriber's key.
    assert change_services(alice, FAITH, KIDS, GOSPEL, key="one") == 200
    assert set(IdempotentRequest.objects.values_list("pk", flat=True)) == asked_for
    assert shop.provider.subscription(account, GOSPEL).status == "active"
    assert len(shop.provider.events("subscription_created")) == 3
