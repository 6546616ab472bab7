"""Rendering an invoice PDF crashes, hangs or uses up the memory."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from django.utils import timezone

from billing.invoices.pdf_files import request_pdf
from billing.models import Invoice, InvoicePdf
from billing.tests.support.live_provider import FAITH
from faults.support.running_portal import RunningPortal, wait_until

State = InvoicePdf.State
# Enough invoice lines to render for a minute.
LINES = 4_000
TASK = "billing.tasks.make_invoice_pdf"


@contextmanager
def request_slow_invoice(portal: RunningPortal, name: str) -> Iterator[tuple[httpx.Client, InvoicePdf]]:
    """Give a subscriber an invoice that renders very slowly during the block, and request its PDF.

    The jobs' worker is paused meanwhile: its sweep could take the PDF before the worker that the test watches.
    """
    account, browser = portal.create_subscriber(name, FAITH)
    invoice = Invoice.objects.get(customer__account=account)
    original: dict[str, Any] = {"payload": invoice.payload, "resource_version": invoice.resource_version}
    invoice.payload = {**invoice.payload, "line_items": invoice.payload["line_items"] * LINES}
    # Newer than the provider's version, so that a job does not overwrite it.
    invoice.resource_version += 1_000_000
    invoice.save()
    with portal.processes["jobs"].pause_process():
        wanted = request_pdf(invoice)
        try:
            yield browser, wanted
        finally:
            Invoice.objects.filter(pk=invoice.pk).update(**original)
            InvoicePdf.objects.filter(pk=wanted.pk).update(version=original["resource_version"])


def start_rendering(portal: RunningPortal, wanted: InvoicePdf, **limits: int) -> int:
    """Send the rendering task with shorter limits; return the id of the process that renders."""
    portal.send_task(TASK, wanted.pk, **limits)
    (pid,) = wait_until(lambda: portal.running_task_pids(TASK, "worker"), what="a process that renders")
    wait_until(lambda: InvoicePdf.objects.get(pk=wanted.pk).attempts == 1, what="its claim of the PDF")
    return pid


def assert_others_unaffected(portal: RunningPortal, browser: httpx.Client, name: str) -> None:
    """Assert that the download answers 503 and that a sign-in code still arrives."""
    invoice = Invoice.objects.get(customer__email=f"{name}@example.com")
    answer = browser.get(f"/api/invoice/pdf/{invoice.provider_id}")
    assert (answer.status_code, answer.json()["code"]) == (503, "invoice_not_ready")
    browser.post("/api/auth/send-otp", json={"email": f"{name}@example.com"})
    portal.mail_server.wait_for_mails(f"{name}@example.com")


def assert_rendered_on_retry(portal: RunningPortal, wanted: InvoicePdf) -> None:
    """Assert that the retry renders the PDF."""
    InvoicePdf.objects.filter(pk=wanted.pk).update(next_attempt_at=timezone.now())
    portal.send_ticks()
    wait_until(lambda: InvoicePdf.objects.get(pk=wanted.pk).state == State.READY, what="the next try")


@pytest.mark.shows("reliability-23")
def test_a_rendering_that_exceeds_its_time_limit_is_stopped_and_retried(portal: RunningPortal) -> None:
    with request_slow_invoice(portal, "abby") as (browser, wanted):
        rendering = start_rendering(portal, wanted, soft_time_limit=3, time_limit=9)
        assert_others_unaffected(portal, browser, "abby")
        # The soft limit raises an exception, which the PDF library may swallow; then the hard limit kills.
        wait_until(
            lambda: (
                InvoicePdf.objects.get(pk=wanted.pk).error or rendering not in portal.processes["worker"].child_pids()
            ),
            what="the end of its time",
        )
    assert InvoicePdf.objects.get(pk=wanted.pk).state == State.WANTED
    assert_rendered_on_retry(portal, wanted)


@pytest.mark.shows("reliability-23")
def test_a_rendering_that_cannot_be_interrupted_is_killed_and_its_process_replaced(
    portal: RunningPortal,
) -> None:
    with request_slow_invoice(portal, "beth") as (browser, wanted):
        hanging = start_rendering(portal, wanted, soft_time_limit=4, time_limit=8)
        os.kill(hanging, signal.SIGSTOP)
        assert_others_unaffected(portal, browser, "beth")
        wait_until(lambda: hanging not in portal.processes["worker"].child_pids(), what="its end")
        assert InvoicePdf.objects.get(pk=wanted.pk).state == State.WANTED
    assert_rendered_on_retry(portal, wanted)


@pytest.mark.shows("reliability-23")
def test_a_rendering_killed_for_lack_of_memory_harms_no_other_work_and_is_retried(
    portal: RunningPortal,
) -> None:
    with request_slow_invoice(portal, "cora") as (browser, wanted):
        killed = start_rendering(portal, wanted)
        os.kill(killed, signal.SIGKILL)  # as the kernel does when memory runs out
        assert_others_unaffected(portal, browser, "cora")
        wait_until(lambda: killed not in portal.processes["worker"].child_pids(), what="its end")
        assert InvoicePdf.objects.get(pk=wanted.pk).state == State.WANTED
    assert_rendered_on_retry(portal, wanted)
