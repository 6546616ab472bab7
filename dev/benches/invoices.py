"""Rendering an invoice of five lines, against its figures alone and the same page by reportlab; memory of many."""

from __future__ import annotations

import io
import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from html import escape

from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

from billing.money import format_cents
from billing.pdf.invoice_context import format_period, outcome_sentence
from billing.pdf.invoice_data import InvoiceData
from billing.pdf.render import render_invoice
from billing.tests.pdf.sample_invoices import invoice_with_lines
from dev.benches.support.measurements import ROUNDS, Comparison, measure_interleaved, print_figures
from dev.benches.support.reportlab_page import ReportlabPage

LINES = 5
DRAWN = 5
RENDERS = 300


def _draw_figures_only(document: InvoiceData) -> bytes:
    """Draw the figures in a standard font, without artwork, own fonts or tags for screen readers."""
    style = getSampleStyleSheet()["Normal"]
    parties = [
        "<br/>".join((party.name, party.email, *party.address)) for party in (document.seller, document.subscriber)
    ]
    lines = [
        (
            escape(line.description),
            format_period(line.period_from, line.period_to),
            str(line.quantity),
            line.amount,
        )
        for line in document.lines
    ]
    sums = [
        *(("", "", discount.label, -discount.amount) for discount in document.discounts),
        *(("", "", tax.label, tax.amount) for tax in document.taxes),
        ("", "", "Total", document.total),
    ]
    cells = [
        [Paragraph(text, style) for text in (*words, format_cents(amount, document.currency))]
        for *words, amount in (*lines, *sums)
    ]
    heading = [Paragraph(document.number, style), Table([[Paragraph(party, style) for party in parties]])]
    target = io.BytesIO()
    SimpleDocTemplate(target).build([*heading, Table(cells), Paragraph(outcome_sentence(document), style)])
    return target.getvalue()


def _draw_milliseconds(draw: Callable[[InvoiceData], bytes], document: InvoiceData) -> float:
    began = time.process_time()
    for _ in range(DRAWN):
        draw(document)
    return (time.process_time() - began) / DRAWN * 1000


def _memory_megabytes() -> float:
    result = subprocess.run(["ps", "-o", "rss=", "-p", str(os.getpid())], capture_output=True, text=True, check=True)
    return int(result.stdout) / 1024


def _memory_after(renders: int, document: InvoiceData) -> float:
    for _ in range(renders):
        render_invoice(document)
    return _memory_megabytes()


def _compare_drawing(
    document: InvoiceData, name: str, against: str, other: Callable[[InvoiceData], bytes]
) -> Comparison:
    seen = measure_interleaved(
        {
            "ours": partial(_draw_milliseconds, render_invoice, document),
            "other": partial(_draw_milliseconds, other, document),
        }
    )
    return Comparison(name, against, "ms of CPU", seen["ours"], seen["other"], "≤ 4.5")


def main() -> None:
    """Measure and print; memory counts from the first renders on, which fill the caches."""
    document = invoice_with_lines(LINES)
    in_type = replace(document, brand=replace(document.brand, logo=None))
    seen = [
        _compare_drawing(document, "invoice of five lines", "its figures by platypus", _draw_figures_only),
        _compare_drawing(in_type, "the same without artwork", "the same page by platypus", ReportlabPage().draw_page),
    ]
    early = [_memory_megabytes()] * ROUNDS
    late = [_memory_after(RENDERS // ROUNDS, document) for _ in range(ROUNDS)]
    print_figures([*seen, Comparison(f"memory while {RENDERS} are drawn", "before them", "MB", late, early, "flat")])


if __name__ == "__main__":
    main()
