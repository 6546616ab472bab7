"""Invoice PDFs: each version is rendered once, and downloaded by a short-lived signed link (docs/rules.md, rule 12)."""

import logging
from collections.abc import Iterable
from datetime import timedelta
from typing import IO

from django.conf import settings
from django.core import signing
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db.models import Exists, OuterRef

from accounts.models import Account
from billing.errors import BillingError
from billing.invoices.pdf_content import invoice_pdf_content
from billing.models import AccountDocument, Invoice, InvoicePdf
from billing.pdf.render import render_invoice
from core import task_queue
from core.clock import database_now
from core.errors import NotFound

logger = logging.getLogger(__name__)

State = InvoicePdf.State

SIGNING_SALT = "billing.invoice-pdf"
LINK_LIFETIME = timedelta(minutes=5)
RETRY_AFTER_SECONDS = 2
MAX_ATTEMPTS = 5
# About a minute's work: further messages would wait in the broker while each sweep repeats them.
ANNOUNCE_LIMIT = 200
LEASE_DURATION = timedelta(minutes=2)
BACKOFF = timedelta(minutes=1)


class InvoiceNotReady(BillingError):
    """The PDF is not rendered yet."""

    code = "invoice_not_ready"
    status = 503
    message = "Your invoice is being prepared. Please try again in a moment."


class PdfProcessDied(Exception):
    """Each attempt killed its worker: rendering took too long or too much memory."""


def download_token(account: Account, number: str) -> str:
    """Return a signed token for an invoice's PDF, valid for five minutes.

    Raises NotFound when the account has no such invoice; InvoiceNotReady, and requests the PDF, when there is no file.
    """
    invoice = Invoice.objects.filter(customer__account=account, provider_id=number, deleted=False).first()
    if invoice is None:
        logger.warning("Account %s named an invoice that is not its own", account.pk)
        raise NotFound
    pdf = request_pdf(invoice)
    if pdf.state != State.READY:
        # A subscriber is waiting, so this one does not go to the jobs' queue.
        task_queue.enqueue_task("billing.tasks.make_invoice_pdf", pdf.pk)
        raise InvoiceNotReady(retry_after=RETRY_AFTER_SECONDS)
    return signing.dumps([account.pk, pdf.pk, pdf.version], salt=SIGNING_SALT)


def open_signed_pdf(token: str, *, reader: Account | None = None) -> IO[bytes]:
    """Return the file of a token from `download_token`.

    Raises NotFound when the token is altered, expired, of an outdated version, or of another account than `reader`.
    Without a reader the token alone gives access.
    """
    try:
        account_pk, pdf_pk, version = signing.loads(token, salt=SIGNING_SALT, max_age=LINK_LIFETIME)
        pdf = InvoicePdf.objects.select_related("invoice__customer").get(
            pk=pdf_pk, version=version, state=State.READY, invoice__customer__account=account_pk
        )
        if pdf.version != pdf.invoice.resource_version:
            raise NotFound
        if reader is not None and reader.pk != account_pk:
            logger.warning("Account %s followed a link to an invoice that is not its own", reader.pk)
            raise NotFound
        return pdf.file.open("rb")
    except (signing.BadSignature, ValueError, TypeError, InvoicePdf.DoesNotExist, OSError) as error:
        raise NotFound from error


def request_pdf(invoice: Invoice) -> InvoicePdf:
    """Return the PDF of an invoice's current version; create it, due to be rendered, if there is none."""
    pdf, _ = InvoicePdf.objects.get_or_create(
        invoice=invoice, version=invoice.resource_version, defaults={"next_attempt_at": database_now()}
    )
    if pdf.state == State.FAILED:
        _reset_failed_pdf(pdf)
    return pdf


def request_missing_pdfs(*, limit: int = 500) -> int:
    """Request the PDFs of invoices whose current version has none; return how many.

    Accounts whose pages were never read are left out: an imported site has millions of invoices that nobody asks for.
    """
    read = AccountDocument.objects.filter(account=OuterRef("customer__account"))
    existing = InvoicePdf.objects.filter(invoice=OuterRef("pk"), version=OuterRef("resource_version"))
    missing = Invoice.objects.filter(~Exists(existing), Exists(read), deleted=False)
    requested = [request_pdf(invoice) for invoice in missing.order_by("-issued_at")[:limit]]
    announce_pdfs([pdf.pk for pdf in requested])
    return len(requested)


def announce_pdfs(pks: Iterable[int]) -> None:
    """Enqueue the rendering of PDFs in the jobs' queue, so that they do not delay sign-in codes."""
    for pk in pks:
        task_queue.enqueue_expiring_task("billing.tasks.make_invoice_pdf", pk, queue=settings.JOBS_QUEUE)


def make_pdf(pdf_pk: int) -> None:
    """Claim a PDF if it is due, render it and store it; a failure is retried a few times."""
    pdf = InvoicePdf.objects.select_related("invoice__customer__account").claim_one(pdf_pk, lease=LEASE_DURATION)
    if pdf is None:
        return
    if pdf.attempts > MAX_ATTEMPTS:
        _record_failure(pdf, PdfProcessDied())
        return
    try:
        content = render_invoice(invoice_pdf_content(pdf.invoice))
        name = storages["invoices"].save(f"invoices/{pdf.pk}.pdf", ContentFile(content))
    except Exception as error:  # noqa: BLE001  (any failure is recorded with the PDF)
        _record_failure(pdf, error)
        return
    pdf.finish(state=State.READY, file=name, error="")


def due_pdf_ids() -> list[int]:
    """Return the keys of the due PDFs, the longest due first."""
    due = InvoicePdf.objects.due().order_by("next_attempt_at", "pk")
    return list(due.values_list("pk", flat=True)[:ANNOUNCE_LIMIT])


def _reset_failed_pdf(pdf: InvoicePdf) -> None:
    """Make a failed PDF due again: it is requested once more, and the cause may have been fixed."""
    InvoicePdf.objects.filter(pk=pdf.pk, state=State.FAILED).update(
        state=State.WANTED, attempts=0, next_attempt_at=database_now()
    )


def _record_failure(pdf: InvoicePdf, error: Exception) -> None:
    logger.error("The PDF of invoice %s failed", pdf.invoice.provider_id, exc_info=error)
    message = f"{type(error).__name__}: {error}"[:2000]
    if pdf.attempts >= MAX_ATTEMPTS:
        pdf.finish(state=State.FAILED, error=message)
    else:
        pdf.retry_later(BACKOFF, error=message)
