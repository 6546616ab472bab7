"""Drawing an invoice crashes, hangs or takes all memory (reliability, row 23)."""

from __future__ import annotations

import os
import signal
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
# In the system's ticks: far more than it takes to send a mail.
A_GOOD_WHILE = 0.4 * os.sysconf("SC_CLK_TCK")


@contextmanager
def endless(portal: Portal, name: str) -> Iterator[tuple[httpx.Client, InvoicePdf]]:
    """Make a subscriber's invoice one that takes very long to draw, until the block is over; its PDF is wanted."""
    account, browser = portal.subscriber(name, FAITH)
    invoice = Invoice.objects.get(customer__account=account)
    was: dict[str, Any] = {"payload": invoice.payload, "resource_version": invoice.resource_version}
    invoice.payload = {**invoice.payload, "line_items": invoice.payload["line_items"] * LINES}
    # Newer than what a job may read at the provider meanwhile.
    invoice.resource_version += 1_000_000
    invoice.save()
    wanted = InvoicePdf.objects.create(
        invoice=invoice, version=invoice.resource_version, next_attempt_at=timezone.now()
    )
    try:
        yield browser, wanted
    finally:
        Invoice.objects.filter(pk=invoice.pk).update(**was)
        InvoicePdf.objects.filter(pk=wanted.pk).update(version=was["resource_version"])


def begin_to_draw(portal: Portal, wanted: InvoicePdf, **limits: int) -> int:
    """Have it drawn, with other limits than the task's own so that nobody waits for half a minute; return by whom."""
    before = used_by_each(portal)
    portal.send("billing.tasks.make_invoice_pdf", wanted.pk, **limits)
    wait_until(lambda: InvoicePdf.objects.get(pk=wanted.pk).attempts == 1, what="a worker")
    # Whoever else is busy sends a mail, or looks for what is due; that is soon done.
    wait_until(lambda: at_work(portal, before), what="who draws it")
    return at_work(portal, before)[0]


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
        drawing = begin_to_draw(portal, wanted, soft_time_limit=3, time_limit=9)
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
        hanging = begin_to_draw(portal, wanted, soft_time_limit=4, time_limit=8)
        os.kill(hanging, signal.SIGSTOP)
        assert_others_are_unhurt(portal, browser, "beth")
        wait_until(lambda: hanging not in portal.processes["worker"].children(), what="its end")
        assert InvoicePdf.objects.get(pk=wanted.pk).state == State.WANTED
    assert_made_in_the_end(portal, wanted)


def test_one_that_takes_the_memory_dies_alone_and_is_tried_again(portal: Portal) -> None:
    with endless(portal, "cora") as (browser, wanted):
        killed = begin_to_draw(portal, wanted)
        os.kill(killed, signal.SIGKILL)  # as the system does that has no memory left
        assert_others_are_unhurt(portal, browser, "cora")
        worker = portal.processes["worker"]
        wait_until(lambda: "WorkerLostError" in worker.log.read_text(), what="the loss in the log")
        assert killed not in worker.children()
        assert InvoicePdf.objects.get(pk=wanted.pk).state == State.WANTED
    assert_made_in_the_end(portal, wanted)


def at_work(portal: Portal, before: dict[int, int]) -> list[int]:
    """Return which of the worker's processes have used the processor for a good while since."""
    return [pid for pid, ticks in used_by_each(portal).items() if ticks - before.get(pid, 0) > A_GOOD_WHILE]


def used_by_each(portal: Portal) -> dict[int, int]:
    """Return for how long each of the worker's processes has used the processor, in the system's ticks."""
    return {pid: used(pid) for pid in portal.processes["worker"].children()}


def used(pid: int) -> int:
    """Return how long a process has used the processor, in the system's ticks."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])
