"""Operations that give a link to the PDF of an invoice or a credit note, and the page behind the link."""

from __future__ import annotations

import hashlib
import hmac

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from chargebee_sandbox import clock, settings
from chargebee_sandbox.api import router
from chargebee_sandbox.api.errors import ApiError
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.billing.credit_notes import format_day
from chargebee_sandbox.models import CreditNote, Invoice
from chargebee_sandbox.operations.lookup import find_resource

LINK_SECONDS = 60 * 60
"""How long a link is valid, in seconds of the site's clock."""

_MODELS: dict[str, type[Invoice] | type[CreditNote]] = {"invoices": Invoice, "credit_notes": CreditNote}
_DISPOSITIONS = ("attachment", "inline")
_PAGE_HEAD = "BT /F1 11 Tf 56 780 Td 16 TL"


@router.post("invoice.pdf", "/invoices/{handle}/pdf", "disposition_type")
def retrieve_invoice_pdf(params: Params, handle: str) -> Body:
    """Return a link to the PDF of an invoice."""
    return _download_link(params, "invoices", handle)


@router.post("credit_note.pdf", "/credit_notes/{handle}/pdf", "disposition_type")
def retrieve_credit_note_pdf(params: Params, handle: str) -> Body:
    """Return a link to the PDF of a credit note."""
    return _download_link(params, "credit_notes", handle)


@router.get("invoice.download_einvoice", "/invoices/{handle}/download_einvoice")
def download_einvoice(params: Params, handle: str) -> Body:
    """Refuse: electronic invoices are a feature that this site has not enabled."""
    find_resource(Invoice, handle)
    raise ApiError(400, "configuration_incompatible", "E-invoicing is not enabled for this site")


@require_safe
def serve_pdf(request: HttpRequest, kind: str, handle: str, disposition: str, valid_till: int) -> HttpResponse:
    """Serve the PDF behind a link; 404 for an unknown document and for a link that is wrong or too old."""
    model = _MODELS.get(kind)
    row = model.objects.filter(handle=handle).first() if model else None
    signature = _sign_link(kind, handle, disposition, valid_till)
    is_signed = hmac.compare_digest(request.GET.get("signature", ""), signature)
    if row is None or not is_signed or clock.now_seconds() >= valid_till:
        return HttpResponse("There is no such document.", status=404, content_type="text/plain")
    response = HttpResponse(_render_pdf(_document_lines(row)), content_type="application/pdf")
    response["Content-Disposition"] = f'{disposition}; filename="{row.kind}-{handle}.pdf"'
    return response


def _download_link(params: Params, kind: str, handle: str) -> Body:
    find_resource(_MODELS[kind], handle)
    disposition = params.choice("disposition_type", _DISPOSITIONS, "attachment")
    valid_till = clock.now_seconds() + LINK_SECONDS
    path = f"downloads/{kind}/{handle}/{disposition}/{valid_till}.pdf"
    signature = _sign_link(kind, handle, disposition, valid_till)
    url = f"http://127.0.0.1:{settings.SANDBOX_PORT}/{path}?signature={signature}"
    link = {"download_url": url, "valid_till": valid_till, "mime_type": "application/pdf", "object": "download"}
    return {"download": link}


def _sign_link(*parts: str | int) -> str:
    text = "/".join(str(part) for part in parts)
    return hmac.new(settings.SANDBOX_API_KEY.encode(), text.encode(), hashlib.sha256).hexdigest()


def _document_lines(row: Invoice | CreditNote) -> list[str]:
    lines = [f"{row.kind.replace('_', ' ').title()} {row.handle}", format_day(row["date"]), ""]
    lines += [f"{line['description']}: {_format_amount(line['amount'])}" for line in row["line_items"]]
    lines += [
        f"{discount['description']}: -{_format_amount(discount['amount'])}" for discount in row.get("discounts", [])
    ]
    lines += [f"{tax['name']}: {_format_amount(tax['amount'])}" for tax in row.get("taxes", [])]
    return [*lines, "", f"Total: {_format_amount(row['total'])} {row['currency_code']}", f"Status: {row['status']}"]


def _format_amount(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"


def _render_pdf(lines: list[str]) -> bytes:
    """Return a page of text as PDF, with the standard font Helvetica in Latin-1."""
    shown = " T* ".join(f"({_escape_text(line)}) Tj" for line in lines)
    content = f"{_PAGE_HEAD} {shown} ET".encode("latin-1", "replace")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
            b"/Resources << /Font << /F1 5 0 R >> >> >>"
        ),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    body, offsets = b"%PDF-1.4\n", []
    for number, definition in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, definition)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    trailer = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(body))
    return body + b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table) + trailer


def _escape_text(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
