"""The page of an invoice drawn by reportlab: what the same words cost without HTML, CSS and tags."""

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
from billing.pdf.invoice_context import invoice_context
from billing.pdf.invoice_data import InvoiceData


class ReportlabPage:
    """All words of our page, in its fonts and roughly its layout, without artwork or tags for screen readers."""

    def __init__(self) -> None:
        for weight in (400, 600):
            pdfmetrics.registerFont(TTFont(f"sans-{weight}", _unpack_font(weight)))
        self._normal = ParagraphStyle("normal", fontName="sans-400", fontSize=10, leading=14.5)
        self._strong = ParagraphStyle("strong", self._normal, fontName="sans-600")
        self._big = ParagraphStyle("big", self._strong, fontSize=23, leading=26)

    def draw_page(self, document: InvoiceData) -> bytes:
        """Return the page as PDF."""
        context: dict[str, Any] = invoice_context(document)
        head = Table([[self._make_text(context["brand"]["name"], self._big), self._title_block(context["status"])]])
        parties = Table(
            [
                [
                    self._party_block("Billed to", context["subscriber"]),
                    self._party_block("From", context["seller"]),
                    [self._make_text("Details", self._strong), self._facts_table(context)],
                ]
            ]
        )
        closing = Table([[self._payment_block(context), self._sums_table(context)]])
        target = io.BytesIO()
        template = SimpleDocTemplate(target, title=f"Invoice {context['number']}", author=context["seller"]["name"])
        template.build(
            [head, parties, self._lines_table(context["lines"]), closing],
            *[partial(self._draw_footer, context)] * 2,
        )
        return target.getvalue()

    def _make_text(self, words: str, style: ParagraphStyle | None = None) -> Paragraph:
        return Paragraph(escape(words), style or self._normal)

    def _title_block(self, status: str) -> list[Paragraph]:
        return [self._make_text("Invoice", self._big), self._make_text(status, self._strong)]

    def _party_block(self, title: str, party: dict[str, str]) -> list[Paragraph]:
        below = [self._make_text(line) for line in party["address"].splitlines()]
        return [self._make_text(title, self._strong), self._make_text(party["name"], self._strong), *below]

    def _facts_table(self, context: dict[str, Any]) -> Table:
        facts = (
            ("Number", context["number"]),
            ("Date", context["issued_on"]),
            ("Currency", context["currency"]),
        )
        return Table([[self._make_text(word) for word in fact] for fact in facts])

    def _lines_table(self, lines: Sequence[dict[str, str]]) -> Table:
        head = [
            self._make_text(word, self._strong) for word in ("Description", "Period", "Qty", "Unit price", "Amount")
        ]
        rows = [
            [
                self._make_text(line["description"], self._strong),
                *(self._make_text(line[name]) for name in ("period", "quantity", "unit_amount", "amount")),
            ]
            for line in lines
        ]
        rules = [("LINEBELOW", (0, 0), (-1, -1), 0.5, colors.grey)]
        return Table([head, *rows], repeatRows=1, colWidths=(180, 100, 40, 70, 70), style=rules)

    def _sums_table(self, context: dict[str, Any]) -> Table:
        last = (
            {"label": "Total", "amount": context["total"]},
            *context["settlement"],
            {"label": "Amount due", "amount": context["amount_due"]},
        )
        rows = [[self._make_text(row["label"]), self._make_text(row["amount"])] for row in (*context["sums"], *last)]
        return Table(rows, colWidths=(120, 60))

    def _payment_block(self, context: dict[str, Any]) -> list[Paragraph]:
        return [
            self._make_text("Payment", self._strong),
            self._make_text(context["outcome"]),
            self._make_text(f"Paid with {context['paid_with']}"),
        ]

    def _draw_footer(self, context: dict[str, Any], canvas: Canvas, page: SimpleDocTemplate) -> None:
        canvas.setFont("sans-400", 8.5)
        canvas.drawString(50, 40, context["seller"]["name"])
        canvas.drawCentredString(300, 40, f"Invoice {context['number']}")
        canvas.drawRightString(560, 40, f"Page {page.page} of 1")


def _unpack_font(weight: int) -> io.BytesIO:
    """Return one of our fonts without WOFF2's compression, which reportlab does not read."""
    font = fontTools.ttLib.TTFont(FONT_ROOT / f"source-sans-3-latin-{weight}.woff2")
    font.flavor = None
    unpacked = io.BytesIO()
    font.save(unpacked)
    unpacked.seek(0)
    return unpacked
