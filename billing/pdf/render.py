"""The one way in: an invoice's data goes in, a PDF file's bytes come out."""

from functools import cache

from django.template import Context, Engine, Template

from billing.pdf.assets import PROJECT_ROOT
from billing.pdf.document import InvoiceDocument
from billing.pdf.presentation import invoice_context

TEMPLATE_ROOT = PROJECT_ROOT / "templates"


@cache
def _template() -> Template:
    """Return the compiled page; an engine of its own keeps request context, language and overrides out of it."""
    return Engine(dirs=[str(TEMPLATE_ROOT)], autoescape=True).get_template("billing/invoice.html")


def render_html(document: InvoiceDocument) -> str:
    """Return the invoice as the HTML that is printed; every value from outside is escaped."""
    return _template().render(Context(invoice_context(document), use_l10n=False, use_tz=False))


def render_invoice(document: InvoiceDocument) -> bytes:
    """Return the invoice as a tagged PDF.

    Pure: the same document gives the same bytes, nothing is fetched but bundled artwork and fonts, nothing is
    stored. Raises `OSError` where Pango's libraries are not installed.
    """
    from billing.pdf.engine import print_html  # loads WeasyPrint: 0.3 s and 26 MB, only here

    return print_html(render_html(document))
