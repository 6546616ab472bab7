"""The page that an invoice is drawn as, drawn by reportlab: what the same words cost without HTML, CSS and tags."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import partial
from html import escape
from typing import Any

import fontTools.ttLib
from reportlab.lib import colors
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

from billing.pdf.assets import FONT_ROOT
from billing.pdf.document import InvoiceDocument
from billing.pdf.presentation import invoice_context


class SamePage:
    """All words of our page, in its fonts and about its places; no artwork, and nothing for screen readers."""

    def __init__(self) -> None:
        for weight in (400, 600):
            pdfmetrics.registerFont(TTFont(f"sans-{weight}", _as_reportlab_reads_it(weight)))
        self._normal = ParagraphStyle("normal", fontName="sans-400", fontSize=10, leading=14.5)
        self._strong = ParagraphStyle("strong", self._normal, fontName="sans-600")
        self._big = ParagraphStyle("big", self._strong, fontSize=23, leading=26)

    def draw(self, document: InvoiceDocument) -> bytes:
        """Return the page as PDF."""
        said: dict[str, Any] = invoice_context(document)
        head = Table([[self._text(said["brand"]["name"], self._big), self._title(said["status"])]])
        parties = Table(
            [
                [
                    self._party("Billed to", said["subscriber"]),
                    self._party("From", said["seller"]),
                    [self._text("Details", self._strong), self._facts(said)],
                ]
            ]
        )
        closing = Table([[self._payment(said), self._sums(said)]])
        target = io.BytesIO()
        template = SimpleDocTemplate(target, title=f"Invoice {said['number']}", author=said["seller"]["name"])
        template.build([head, parties, self._lines(said["lines"]), closing], *[partial(self._foot, said)] * 2)
        return target.getvalue()

    def _text(self, words: str, style: ParagraphStyle | None = None) -> Paragraph:
        return Paragraph(escape(words), style or self._normal)

    def _title(self, status: str) -> list[Paragraph]:
        return [self._text("Invoice", self._big), self._text(status, self._strong)]

    def _party(self, title: str, party: dict[str, str]) -> list[Paragraph]:
        below = [self._text(line) for line in party["address"].splitlines()]
        return [self._text(title, self._strong), self._text(party["name"], self._strong), *below]

    def _facts(self, said: dict[str, Any]) -> Table:
        facts = (("Number", said["number"]), ("Date", said["issued_on"]), ("Currency", said["currency"]))
        return Table([[self._text(word) for word in fact] for fact in facts])

    def _lines(self, lines: Sequence[dict[str, str]]) -> Table:
        head = [
            self._text(word, self._strong)
            for word in ("Description", "Period", "Qty", "Unit price", "Amount")
        ]
        rows = [
            [
                self._text(line["description"], self._strong),
                *(self._text(line[name]) for name in ("period", "quantity", "unit_amount", "amount")),
            ]
            for line in lines
        ]
        rules = [("LINEBELOW", (0, 0), (-1, -1), 0.5, colors.grey)]
        return Table([head, *rows], repeatRows=1, colWidths=(180, 100, 40, 70, 70), style=rules)

    def _sums(self, said: dict[str, Any]) -> Table:
        last = (
            {"label": "Total", "amount": said["total"]},
            *said["settlement"],
            {"label": "Amount due", "amount": said["amount_due"]},
        )
        rows = [[self._text(row["label"]), self._text(row["amount"])] for row in (*said["sums"], *last)]
        return Table(rows, colWidths=(120, 60))

    def _payment(self, said: dict[str, Any]) -> list[Paragraph]:
        return [
            self._text("Payment", self._strong),
            self._text(said["outcome"]),
            self._text(f"Paid with {said['paid_with']}"),
        ]

    def _foot(self, said: dict[str, Any], canvas: Canvas, page: SimpleDocTemplate) -> None:
        canvas.setFont("sans-400", 8.5)
        canvas.drawString(50, 40, said["seller"]["name"])
        canvas.drawCentredString(300, 40, f"Invoice {said['number']}")
        canvas.drawRightString(560, 40, f"Page {page.page} of 1")


def _as_reportlab_reads_it(weight: int) -> io.BytesIO:
    """Return one of our fonts unpacked: reportlab does not read WOFF2."""
    font = fontTools.ttLib.TTFont(FONT_ROOT / f"source-sans-3-latin-{weight}.woff2")
    font.flavor = None
    unpacked = io.BytesIO()
    font.save(unpacked)
    unpacked.seek(0)
    return unpacked
