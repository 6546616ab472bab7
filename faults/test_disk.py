"""A disk is full: for invoices, for the log, for a database that is a file (reliability, row 22)."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from django.utils import timezone

from billing.models import InvoicePdf
from billing.tests.live import FAITH
from conftest import ROOT, free_port
from faults.portal import Portal, Process, wait_until

# No file may grow beyond this: for whoever writes, a full disk.
FULL = 16_384
PREPARE = """
from django.core.management import call_command
from accounts.models import Account, SessionToken
call_command("migrate", verbosity=0)
call_command("createcachetable")
account = Account.objects.open(email="zoe@example.com", first_name="Zoe", last_name="Tester")
print(SessionToken.objects.create(user=account.user)[1])
"""


@contextmanager
def full_disk(process: Process) -> Iterator[None]:
    """Let a process and the two it started find no room, as long as the block runs."""
    wait_until(lambda: len(process.children()) == 2, what="both of its processes")
    everybody = [process.pid, *process.children()]
    for pid in everybody:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (FULL, resource.RLIM_INFINITY))
    yield
    for pid in everybody:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def serves(browser: httpx.Client) -> bool:
    """Whether a web server answers."""
    try:
        return browser.get("/healthz").status_code == 200
    except httpx.TransportError:
        return False


def test_an_invoice_that_finds_no_room_leaves_no_half_file_and_is_made_later(portal: Portal) -> None:
    account, browser = portal.subscriber("yara", FAITH)
    number = str(portal.provider.invoices(account)[0].id)
    address = f"/api/invoice/pdf/{number}"
    folder = portal.folder / "media" / "invoices"
    before = {*folder.rglob("*")}
    wanted = InvoicePdf.objects.filter(invoice__provider_id=number)
    with full_disk(portal.processes["worker"]):
        refused = browser.get(address)
        assert (refused.status_code, refused.json()["code"]) == (503, "invoice_not_ready")
        assert int(refused.headers["Retry-After"]) > 0
        wait_until(lambda: wanted.exclude(error="").exists(), what="the first try")
    assert wanted.get().state == InvoicePdf.State.WANTED
    assert "File too large" in wanted.get().error
    assert {*folder.rglob("*")} == before
    assert browser.get("/api/account").status_code == 200

    wanted.update(next_attempt_at=timezone.now())
    assert browser.get(address).status_code == 503
    wait_until(lambda: wanted.get().state == InvoicePdf.State.READY, what="the second try")
    file = browser.get(browser.get(address).json()["downloadUrl"])
    assert file.content.startswith(b"%PDF-")
    assert file.content.rstrip().endswith(b"%%EOF")
    assert {*folder.rglob("*")} - before == {portal.folder / "media" / str(wanted.get().file)}


@pytest.fixture
def alone(portal: Portal, tmp_path: Path) -> Iterator[Process]:
    """A web server on SQLite, with nothing around it, whose log finds no room from the start."""
    own = {"VAR_DIR": str(tmp_path), "DATABASE_URL": "", "REDIS_URL": "", "PORT": str(free_port())}
    command = portal.processes["web"].command
    process = Process(command, {**portal.environment, **own}, Path("/dev/full"))
    process.start()
    yield process
    process.kill()


def test_a_portal_on_sqlite_reads_and_refuses_while_its_disk_is_full_and_goes_on_after(
    alone: Process,
) -> None:
    prepared = [sys.executable, "manage.py", "shell", "-v", "0", "-c", PREPARE]
    said = subprocess.run(
        prepared, cwd=ROOT, env=dict(alone.environment), capture_output=True, text=True, check=True
    )
    browser = httpx.Client(
        base_url=f"http://127.0.0.1:{alone.environment['PORT']}",
        headers={"Authorization": f"Bearer {said.stdout.strip()}"},
        timeout=30,
    )
    wait_until(lambda: serves(browser))

    def read() -> int:
        return browser.get("/api/account/profile").status_code

    def write(number: int) -> int:
        asked = {"email": f"somebody{number}@example.com"}
        return browser.post("/api/auth/send-otp", json=asked).status_code

    assert read() == 200
    with full_disk(alone):
        statuses = [write(number) for number in range(6)]
        assert set(statuses) <= {200, 503}
        assert statuses[-1] == 503
        assert read() == 200
    assert [write(number) for number in range(10, 13)] == [200] * 3
    assert read() == 200
