"""PDFs: each version is rendered once, and downloaded by a short-lived signed link (docs/rules.md, rule 12)."""

import hashlib
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import IO

from django.conf import settings
from django.core import signing
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db.models import Exists, OuterRef

from accounts.models import Account
from billing.errors import BillingError
from billing.invoices.credit_note_content import credit_note_pdf_content
from billing.invoices.pdf_content import invoice_pdf_content
from billing.invoices.statement_content import statement_pdf_content
from billing.models import AccountDocument, CreditNote, Invoice, InvoicePdf
from billing.pdf.render import render_credit_note, render_invoice, render_statement
from billing.queries.payments.invoices import invoices_of_year, refunds_of_year
from core.clock import database_now
from core.errors import NotFound
from core.workers import task_queue
from core.workers.leases import LeaseQuerySet

logger = logging.getLogger(__name__)

State = InvoicePdf.State

SIGNING_SALT = "billing.invoice-pdf"
LINK_LIFETIME = timedelta(minutes=5)
RETRY_AFTER_SECONDS = 2
MAX_ATTEMPTS = 5
# About a minute's work: further messages would wait in the broker while each sweep repeats them.
# More than a day writes, and few enough for a statement: which PDFs are missing is sought among so many.
RECENT_INVOICES = 20_000
ANNOUNCE_LIMIT = 200
LEASE_DURATION = timedelta(minutes=2)
BACKOFF = timedelta(minutes=1)


class InvoiceNotReady(BillingError):
    """The PDF of an invoice or a statement is not rendered yet."""

    code = "invoice_not_ready"
    status = 503
    message = "Your invoice is being prepared. Please try again in a moment."


class PdfProcessDied(Exception):
    """Each attempt killed its worker: rendering took too long or too much memory."""


@dataclass(frozen=True)
class SignedPdf:
    """A PDF behind a signed token: its file, and the name to save it by."""

    file: IO[bytes]
    name: str


def invoice_token(account: Account, number: str) -> str:
    """Return a signed token for an invoice's PDF, valid for five minutes.

    Raises NotFound when the account has no such invoice; InvoiceNotReady, and requests the PDF, when there is no file.
    """
    invoice = Invoice.objects.filter(customer__account=account, provider_id=number, deleted=False).first()
    if invoice is None:
        logger.warning("Account %s named an invoice that is not its own", account.pk)
        raise NotFound
    return _sign_token(account, request_pdf(invoice), "Your invoice is being prepared. Please try again in a moment.")


def open_invoice_pdf(invoice: Invoice) -> IO[bytes]:
    """Return the file of an invoice for an operator. Raises InvoiceNotReady, and requests the PDF, if there is none."""
    pdf = request_pdf(invoice)
    _check_ready(pdf, "The PDF is being prepared. Please try again in a moment.")
    try:
        return pdf.file.open("rb")
    except OSError as error:
        raise NotFound from error


def credit_note_token(account: Account, number: str) -> str:
    """Return a signed token for a credit note's PDF, valid for five minutes.

    Raises NotFound when the account has no such credit note that counts; InvoiceNotReady, and requests the PDF, when
    there is no file.
    """
    note = CreditNote.objects.filter(customer__account=account, provider_id=number).first()
    if note is None or not note.is_valid:
        logger.warning("Account %s named a credit note that is not its own", account.pk)
        raise NotFound
    pdf = _request_version(credit_note=note, version=note.resource_version)
    return _sign_token(account, pdf, "Your credit note is being prepared. Please try again in a moment.")


def statement_token(account: Account, year: int) -> str:
    """Return a signed token for the statement of a year, in the site's time zone, valid for five minutes.

    Raises NotFound when the year has no invoice and no refund; InvoiceNotReady, and requests the PDF, when there is no
    file.
    """
    version = _statement_version(account, year)
    if version is None:
        raise NotFound
    pdf = _request_version(account=account, year=year, version=version)
    return _sign_token(account, pdf, "Your statement is being prepared. Please try again in a moment.")


def _sign_token(account: Account, pdf: InvoicePdf, waiting_message: str) -> str:
    _check_ready(pdf, waiting_message)
    return signing.dumps([account.pk, pdf.pk, pdf.version], salt=SIGNING_SALT)


def _check_ready(pdf: InvoicePdf, waiting_message: str) -> None:
    if pdf.state != State.READY:
        # Somebody is waiting, so this one does not go to the jobs' queue.
        task_queue.enqueue_task("billing.tasks.make_invoice_pdf", pdf.pk)
        raise InvoiceNotReady(waiting_message, retry_after=RETRY_AFTER_SECONDS)


def open_signed_pdf(token: str, *, reader: Account | None = None) -> SignedPdf:
    """Return the file of a token from `invoice_token`, `credit_note_token` or `statement_token`.

    Raises NotFound when the token is altered, expired, of an outdated version, or of another account than `reader`.
    Without a reader the token alone gives access.
    """
    try:
        account_pk, pdf_pk, version = signing.loads(token, salt=SIGNING_SALT, max_age=LINK_LIFETIME)
        pdf = _stored_pdfs().get(pk=pdf_pk, version=version, state=State.READY)
        if pdf.owner is None or pdf.owner.pk != account_pk or pdf.version != _current_version(pdf):
            raise NotFound
        if reader is not None and reader.pk != account_pk:
            logger.warning("Account %s followed a link to an invoice that is not its own", reader.pk)
            raise NotFound
        return SignedPdf(pdf.file.open("rb"), _file_name(pdf))
    except (signing.BadSignature, ValueError, TypeError, InvoicePdf.DoesNotExist, OSError) as error:
        raise NotFound from error


def _file_name(pdf: InvoicePdf) -> str:
    if pdf.invoice:
        return "invoice.pdf"
    return "credit-note.pdf" if pdf.credit_note else f"statement-{pdf.year}.pdf"


def _stored_pdfs() -> LeaseQuerySet[InvoicePdf]:
    return InvoicePdf.objects.select_related("invoice__customer__account", "credit_note__customer__account", "account")


def _current_version(pdf: InvoicePdf) -> int | None:
    subject = pdf.invoice or pdf.credit_note
    return subject.resource_version if subject else _statement_version(*pdf.statement)


def _statement_version(account: Account, year: int) -> int | None:
    """Return a number that changes with any invoice or refund of the year; None if it has none."""
    rows = (*invoices_of_year(account, year), *refunds_of_year(account, year))
    stated = sorted((row.provider_id, row.resource_version) for row in rows)
    digest = hashlib.sha256(repr(stated).encode()).digest()
    # Half of 64 bits, which the database's signed integers hold.
    return int.from_bytes(digest[:8]) >> 1 if stated else None


def request_pdf(invoice: Invoice) -> InvoicePdf:
    """Return the PDF of an invoice's current version; create it, due to be rendered, if there is none."""
    return _request_version(invoice=invoice, version=invoice.resource_version)


def _request_version(**shown: Invoice | CreditNote | Account | int) -> InvoicePdf:
    pdf, _ = InvoicePdf.objects.get_or_create(**shown, defaults={"next_attempt_at": database_now()})
    if pdf.state == State.FAILED:
        _reset_failed_pdf(pdf)
    return pdf


def request_missing_pdfs(*, limit: int = 500) -> int:
    """Request the PDFs of invoices written lately whose current version has none; return how many.

    Accounts whose pages were never read are left out: an imported site has millions of invoices that nobody asks for.
    Older invoices are rendered when they are asked for.
    """
    read = AccountDocument.objects.filter(account=OuterRef("customer__account"))
    existing = InvoicePdf.objects.filter(invoice=OuterRef("pk"), version=OuterRef("resource_version"))
    # Judged row by row: as conditions, they let the database read all invoices to find the newest that meet them.
    written_lately = Invoice.objects.order_by("-synced_at").annotate(has_pdf=Exists(existing), is_read=Exists(read))
    judged = written_lately.values_list("issued_at", "pk", "deleted", "has_pdf", "is_read")[:RECENT_INVOICES]
    missing = sorted(row[:2] for row in judged if row[2:] == (False, False, True))[::-1][:limit]
    invoices = Invoice.objects.in_bulk([pk for _, pk in missing])
    requested = [request_pdf(invoices[pk]) for _, pk in missing]
    announce_pdfs([pdf.pk for pdf in requested])
    return len(requested)


def announce_pdfs(pks: Iterable[int]) -> None:
    """Enqueue the rendering of PDFs in the jobs' queue, so that they do not delay sign-in codes."""
    for pk in pks:
        task_queue.enqueue_expiring_task("billing.tasks.make_invoice_pdf", pk, queue=settings.JOBS_QUEUE)


def make_pdf(pdf_pk: int) -> None:
    """Claim a PDF if it is due, render it and store it; a failure is retried a few times.

    An outdated version, which nobody can download, is deleted instead, and so is the file of an erased account.
    """
    pdf = _stored_pdfs().claim_one(pdf_pk, lease=LEASE_DURATION)
    if pdf is None:
        return
    if pdf.version != _current_version(pdf):
        storages["invoices"].delete(pdf.stored_name)  # of a try whose worker died
        pdf.delete()
        return
    if pdf.attempts > MAX_ATTEMPTS:
        _record_failure(pdf, PdfProcessDied())
        return
    try:
        name = storages["invoices"].save(pdf.stored_name, ContentFile(_render_pdf(pdf)))
    except Exception as error:  # noqa: BLE001  (any failure is recorded with the PDF)
        _record_failure(pdf, error)
        return
    if not pdf.finish(state=State.READY, file=name, error="") and not InvoicePdf.objects.filter(pk=pdf.pk).exists():
        storages["invoices"].delete(name)


def _render_pdf(pdf: InvoicePdf) -> bytes:
    if pdf.invoice:
        return render_invoice(invoice_pdf_content(pdf.invoice))
    if pdf.credit_note:
        return render_credit_note(credit_note_pdf_content(pdf.credit_note))
    return render_statement(statement_pdf_content(*pdf.statement))


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
    logger.error("The PDF of %s failed", pdf.title, exc_info=error)
    message = f"{type(error).__name__}: {error}"[:2000]
    if pdf.attempts >= MAX_ATTEMPTS:
        pdf.finish(state=State.FAILED, error=message)
    else:
        pdf.retry_later(BACKOFF, error=message)
