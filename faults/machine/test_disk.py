"""A full disk: for invoice PDFs, for the log, and for an SQLite database."""

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
from billing.tests.support.live_provider import FAITH
from conftest import ROOT, free_port
from faults.support.running_portal import PortalProcess, RunningPortal, wait_until

# A file size limit acts like a full disk.
SIZE_LIMIT = 16_384
PREPARE = """
from django.core.management import call_command
from accounts.models import Account, SessionToken
call_command("migrate", verbosity=0)
account = Account.objects.open_account(email="zoe@example.com", first_name="Zoe", last_name="Tester")
print(SessionToken.objects.create(user=account.user)[1])
"""


@contextmanager
def fill_disk(process: PortalProcess) -> Iterator[None]:
    """Limit the file size of a process and its two children during the block."""
    wait_until(lambda: len(process.child_pids()) == 2, what="both of its processes")
    pids = [process.pid, *process.child_pids()]
    for pid in pids:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (SIZE_LIMIT, resource.RLIM_INFINITY))
    try:
        yield
    finally:
        # Later tests use the same processes.
        for pid in pids:
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def is_serving(browser: httpx.Client) -> bool:
    """Return whether a web server answers."""
    try:
        return browser.get("/healthz").status_code == 200
    except httpx.TransportError:
        return False


@pytest.mark.shows("reliability-22")
def test_an_invoice_pdf_without_disk_space_leaves_no_partial_file_and_is_rendered_later(
    portal: RunningPortal,
) -> None:
    account, browser = portal.create_subscriber("yara", FAITH)
    number = str(portal.provider.invoices(account)[0].id)
    address = f"/api/invoice/pdf/{number}"
    folder = portal.folder / "media" / "invoices"
    before = {*folder.rglob("*")}
    wanted = InvoicePdf.objects.filter(invoice__provider_id=number)
    # Otherwise the sweep of the jobs' worker, whose disk is not full, may render the PDF.
    with portal.processes["jobs"].pause_process(), fill_disk(portal.processes["worker"]):
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
def sqlite_server(portal: RunningPortal, tmp_path: Path) -> Iterator[PortalProcess]:
    """Yield a web server on SQLite, without other processes, whose log cannot be written."""
    changed = {"VAR_DIR": str(tmp_path), "DATABASE_URL": "", "REDIS_URL": "", "PORT": str(free_port())}
    command = portal.processes["web"].command
    process = PortalProcess(command, {**portal.environment, **changed}, Path("/dev/full"))
    process.start_process()
    yield process
    process.kill_process()


@pytest.mark.shows("reliability-22")
def test_a_portal_on_sqlite_reads_and_refuses_writes_while_its_disk_is_full_and_recovers(
    sqlite_server: PortalProcess,
) -> None:
    command = [sys.executable, "manage.py", "shell", "-v", "0", "-c", PREPARE]
    prepared = subprocess.run(
        command, cwd=ROOT, env=dict(sqlite_server.environment), capture_output=True, text=True, check=True
    )
    browser = httpx.Client(
        base_url=f"http://127.0.0.1:{sqlite_server.environment['PORT']}",
        headers={"Authorization": f"Bearer {prepared.stdout.strip()}"},
        timeout=30,
    )
    wait_until(lambda: is_serving(browser))

    def read() -> int:
        return browser.get("/api/account/profile").status_code

    def write(number: int) -> int:
        payload = {"email": f"somebody{number}@example.com"}
        return browser.post("/api/auth/send-otp", json=payload).status_code

    assert read() == 200
    with fill_disk(sqlite_server):
        statuses = [write(number) for number in range(6)]
        assert set(statuses) <= {200, 503}
        assert statuses[-1] == 503
        assert read() == 200
    assert [write(number) for number in range(10, 13)] == [200] * 3
    assert read() == 200
