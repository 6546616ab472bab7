"""Drawing an invoice crashes, hangs or takes all memory (fault matrix, row 23)."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from django.utils import timezone

from billing.models import Invoice, InvoicePdf
from billing.tests.live import FAITH
from faults.portal import Portal, wait_until

State = InvoicePdf.State
# Enough lines to keep a worker busy for a minute.
LINES = 4_000


@contextmanager
def endless(portal: Portal, name: str) -> Iterator[tuple[httpx.Client, InvoicePdf]]:
    """Make a subscriber's invoice one that takes very long to draw, until the block is over; its PDF is wanted."""
    account, browser = portal.subscriber(name, FAITH)
    invoice = Invoice.objects.get(customer__account=account)
    was: dict[str, Any] = invoice.payload
    invoice.payload = {**was, "line_items": was["line_items"] * LINES}
    invoice.save()
    wanted = InvoicePdf.objects.create(
        invoice=invoice, version=invoice.resource_version, next_attempt_at=timezone.now()
    )
    try:
        yield browser, wanted
    finally:
        Invoice.objects.filter(pk=invoice.pk).update(payload=was)


def being_drawn(wanted: InvoicePdf) -> None:
    """Wait until a worker has it in hand."""
    wait_until(lambda: InvoicePdf.objects.get(pk=wanted.pk).attempts == 1, what="a worker")


def assert_others_are_unhurt(portal: Portal, browser: httpx.Client, name: str) -> None:
    """See that a sign-in code comes meanwhile, and that the subscriber is told to wait."""
    invoice = Invoice.objects.get(customer__email=f"{name}@example.com")
    answer = browser.get(f"/api/invoice/pdf/{invoice.provider_id}")
    assert (answer.status_code, answer.json()["code"]) == (503, "invoice_not_ready")
    browser.post("/api/auth/send-otp", json={"email": f"{name}@example.com"})
    portal.post_office.wait_for(f"{name}@example.com")


def assert_made_in_the_end(portal: Portal, wanted: InvoicePdf) -> None:
    """See that the next try, once the wait is over, makes it."""
    InvoicePdf.objects.filter(pk=wanted.pk).update(next_attempt_at=timezone.now())
    portal.tick()
    wait_until(lambda: InvoicePdf.objects.get(pk=wanted.pk).state == State.READY, what="the next try")


def test_one_that_takes_too_long_is_ended_and_tried_again(portal: Portal) -> None:
    with endless(portal, "abby") as (browser, wanted):
        # Shorter than the task's own limits, so that nobody waits for half a minute here.
        portal.send("billing.tasks.make_invoice_pdf", wanted.pk, soft_time_limit=2, time_limit=6)
        being_drawn(wanted)
        drawing = busiest(portal)
        assert_others_are_unhurt(portal, browser, "abby")
        # Asked to end, which the library that draws may take for a fault of a font; then killed.
        wait_until(
            lambda: (
                InvoicePdf.objects.get(pk=wanted.pk).error
                or drawing not in portal.processes["worker"].children()
            ),
            what="the end of its time",
        )
    assert InvoicePdf.objects.get(pk=wanted.pk).state == State.WANTED
    assert_made_in_the_end(portal, wanted)


def test_one_that_cannot_be_interrupted_is_killed_and_its_process_replaced(portal: Portal) -> None:
    with endless(portal, "beth") as (browser, wanted):
        portal.send("billing.tasks.make_invoice_pdf", wanted.pk, soft_time_limit=1, time_limit=3)
        being_drawn(wanted)
        hanging = busiest(portal)
        os.kill(hanging, signal.SIGSTOP)
        assert_others_are_unhurt(portal, browser, "beth")
        wait_until(lambda: hanging not in portal.processes["worker"].children(), what="its end")
        assert InvoicePdf.objects.get(pk=wanted.pk).state == State.WANTED
    assert_made_in_the_end(portal, wanted)


def test_one_that_takes_the_memory_dies_alone_and_is_tried_again(portal: Portal) -> None:
    with endless(portal, "cora") as (browser, wanted):
        portal.send("billing.tasks.make_invoice_pdf", wanted.pk)
        being_drawn(wanted)
        killed = busiest(portal)
        os.kill(killed, signal.SIGKILL)  # as the system does that has no memory left
        assert_others_are_unhurt(portal, browser, "cora")
        worker = portal.processes["worker"]
        wait_until(lambda: "WorkerLostError" in worker.log.read_text(), what="the loss in the log")
        assert killed not in worker.children()
        assert InvoicePdf.objects.get(pk=wanted.pk).state == State.WANTED
    assert_made_in_the_end(portal, wanted)


def busiest(portal: Portal) -> int:
    """Return the worker's process that has just used the processor most."""
    pids = portal.processes["worker"].children()
    before = {pid: used(pid) for pid in pids}
    time.sleep(0.5)
    return max(pids, key=lambda pid: used(pid) - before[pid])


def used(pid: int) -> int:
    """Return how long a process has used the processor, in the system's ticks."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])
