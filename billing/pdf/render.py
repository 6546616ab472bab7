"""Rendering an invoice's data to HTML and PDF."""

from functools import cache

from django.template import Context, Engine, Template

from billing.pdf.assets import PROJECT_ROOT
from billing.pdf.invoice_context import invoice_context
from billing.pdf.invoice_data import InvoiceData

TEMPLATE_ROOT = PROJECT_ROOT / "templates"


@cache
def _invoice_template() -> Template:
    """Return the compiled template. Its own engine keeps context processors and template overrides out."""
    return Engine(dirs=[str(TEMPLATE_ROOT)], autoescape=True).get_template("billing/invoice.html")


def render_html(invoice: InvoiceData) -> str:
    """Return the invoice as HTML; every value is escaped."""
    return _invoice_template().render(Context(invoice_context(invoice), use_l10n=False, use_tz=False))


def render_invoice(invoice: InvoiceData) -> bytes:
    """Return the invoice as a tagged PDF.

    Pure: the same data gives the same bytes, only bundled artwork and fonts are read, and nothing is stored. Raises
    OSError when Pango's libraries are not installed.
    """
    from billing.pdf.engine import print_html  # WeasyPrint takes 0.3 s and 26 MB to load

    return print_html(render_html(invoice))
