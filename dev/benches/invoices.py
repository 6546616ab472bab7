"""An invoice of five lines against reportlab: its figures alone, and the same page; and the memory that many take."""

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
from billing.pdf.document import InvoiceDocument
from billing.pdf.presentation import outcome, period
from billing.pdf.render import render_invoice
from billing.tests.pdf.samples import with_lines
from dev.benches.figures import ROUNDS, Comparison, hand_over, interleaved
from dev.benches.same_page import SamePage

LINES = 5
DRAWN = 5
RENDERS = 300


def _figures_alone(document: InvoiceDocument) -> bytes:
    """Draw the figures in a standard font: no artwork, no fonts of our own, nothing for screen readers."""
    style = getSampleStyleSheet()["Normal"]
    parties = [
        "<br/>".join((party.name, party.email, *party.address))
        for party in (document.seller, document.subscriber)
    ]
    lines = [
        (escape(line.description), period(line.period_from, line.period_to), str(line.quantity), line.amount)
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
    said = [Paragraph(document.number, style), Table([[Paragraph(party, style) for party in parties]])]
    target = io.BytesIO()
    SimpleDocTemplate(target).build([*said, Table(cells), Paragraph(outcome(document), style)])
    return target.getvalue()


def _milliseconds(draw: Callable[[InvoiceDocument], bytes], document: InvoiceDocument) -> float:
    began = time.process_time()
    for _ in range(DRAWN):
        draw(document)
    return (time.process_time() - began) / DRAWN * 1000


def _megabytes() -> float:
    told = subprocess.run(
        ["ps", "-o", "rss=", "-p", str(os.getpid())], capture_output=True, text=True, check=True
    )
    return int(told.stdout) / 1024


def _after(renders: int, document: InvoiceDocument) -> float:
    for _ in range(renders):
        render_invoice(document)
    return _megabytes()


def _compared(
    document: InvoiceDocument, name: str, against: str, other: Callable[[InvoiceDocument], bytes]
) -> Comparison:
    seen = interleaved(
        {
            "ours": partial(_milliseconds, render_invoice, document),
            "other": partial(_milliseconds, other, document),
        }
    )
    return Comparison(name, against, "ms of CPU", seen["ours"], seen["other"], "≤ 4.5")


def main() -> None:
    """Measure, and hand over what was seen; the first renders fill what is kept, so memory counts from there."""
    document = with_lines(LINES)
    in_type = replace(document, brand=replace(document.brand, logo=None))
    seen = [
        _compared(document, "invoice of five lines", "its figures by platypus", _figures_alone),
        _compared(in_type, "the same without artwork", "the same page by platypus", SamePage().draw),
    ]
    early = [_megabytes()] * ROUNDS
    late = [_after(RENDERS // ROUNDS, document) for _ in range(ROUNDS)]
    hand_over(
        [*seen, Comparison(f"memory while {RENDERS} are drawn", "before them", "MB", late, early, "flat")]
    )


if __name__ == "__main__":
    main()
