"""Rendering the data of invoices, credit notes and yearly statements to HTML and PDF.

Pure: the same data gives the same bytes, only bundled artwork and fonts are read, and nothing is stored.
"""

from collections.abc import Mapping
from functools import cache

from django.template import Context, Engine, Template

from billing.pdf.assets import PROJECT_ROOT
from billing.pdf.credit_note_context import credit_note_context
from billing.pdf.credit_note_data import CreditNoteData
from billing.pdf.invoice_context import invoice_context
from billing.pdf.invoice_data import InvoiceData
from billing.pdf.statement_context import statement_context
from billing.pdf.statement_data import StatementData

TEMPLATE_ROOT = PROJECT_ROOT / "templates"


@cache
def _load_template(name: str) -> Template:
    """Return a compiled template. Its own engine keeps context processors and template overrides out."""
    return Engine(dirs=[str(TEMPLATE_ROOT)], autoescape=True).get_template(f"billing/{name}")


def _render_html(template: str, context: Mapping[str, object]) -> str:
    return _load_template(template).render(Context(dict(context), use_l10n=False, use_tz=False))


def render_html(invoice: InvoiceData) -> str:
    """Return the invoice as HTML; every value is escaped."""
    return _render_html("invoice.html", invoice_context(invoice))


def render_invoice(invoice: InvoiceData) -> bytes:
    """Return the invoice as a tagged PDF. Raises OSError when Pango's libraries are not installed."""
    return _print_html(render_html(invoice))


def render_credit_note(note: CreditNoteData) -> bytes:
    """Return the credit note as a tagged PDF. Raises OSError when Pango's libraries are not installed."""
    return _print_html(_render_html("credit_note.html", credit_note_context(note)))


def render_statement(statement: StatementData) -> bytes:
    """Return the statement as a tagged PDF. Raises OSError when Pango's libraries are not installed."""
    return _print_html(_render_html("statement.html", statement_context(statement)))


def _print_html(html: str) -> bytes:
    from billing.pdf.engine import print_html  # WeasyPrint takes 0.3 s and 26 MB to load

    return print_html(html)
