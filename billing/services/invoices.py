"""Invoices as PDF: wanted, made once per version by a task, handed out by a signed link of minutes (rule 12)."""

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
from billing.models import Invoice, InvoicePdf
from billing.pdf.render import render_invoice
from billing.services import hints, leases
from billing.services.invoice_document import document_of
from portal import kill_points
from portal.errors import NotFound

logger = logging.getLogger(__name__)

State = InvoicePdf.State

SIGNING_SALT = "billing.invoice-pdf"
LINK_LASTS = timedelta(minutes=5)
RETRY_AFTER_SECONDS = 2
ATTEMPTS = 5
# More messages than a minute's work would only wait in the broker, and be sent again the next minute.
ANNOUNCED_AT_ONCE = 200
LEASE = timedelta(minutes=2)
BACKOFF = timedelta(minutes=1)


class InvoiceNotReady(BillingError):
    """The PDF is still being made."""

    code = "invoice_not_ready"
    status = 503
    message = "Your invoice is being prepared. Please try again in a moment."


class DrawingDied(Exception):
    """Each try ended with the process that made it: it took too long, or all memory."""


def signed_download(account: Account, number: str) -> str:
    """Return the signed token of an invoice's PDF, good for five minutes.

    Raises NotFound when the account has no such invoice, InvoiceNotReady (and has it made) while there is no file.
    """
    invoice = Invoice.objects.filter(customer__account=account, provider_id=number, deleted=False).first()
    if invoice is None:
        logger.warning("Account %s named an invoice that is not its own", account.pk)
        raise NotFound
    document = want(invoice)
    if document.state != State.READY:
        # Somebody waits for this one: it does not stand in line behind a night's worth of others.
        hints.hint("make_invoice_pdf", document.pk)
        raise InvoiceNotReady(retry_after=RETRY_AFTER_SECONDS)
    return signing.dumps([account.pk, document.pk, document.version], salt=SIGNING_SALT)


def open_signed(token: str, *, reader: Account | None = None) -> IO[bytes]:
    """Return the file that a token stands for.

    Raises NotFound when the token is altered, too old, of a replaced file, or of another account than the reader's;
    a reader who is not known is taken at the token's word.
    """
    try:
        account_pk, pdf_pk, version = signing.loads(token, salt=SIGNING_SALT, max_age=LINK_LASTS)
        document = InvoicePdf.objects.select_related("invoice__customer").get(
            pk=pdf_pk, version=version, state=State.READY, invoice__customer__account=account_pk
        )
        if document.version != document.invoice.resource_version:
            raise NotFound
        if reader is not None and reader.pk != account_pk:
            logger.warning("Account %s followed a link to an invoice that is not its own", reader.pk)
            raise NotFound
        return document.file.open("rb")
    except (signing.BadSignature, ValueError, TypeError, InvoicePdf.DoesNotExist, OSError) as error:
        raise NotFound from error


def want(invoice: Invoice) -> InvoicePdf:
    """Return the PDF of an invoice's present version, which is due to be made if there is none."""
    document, _ = InvoicePdf.objects.get_or_create(
        invoice=invoice, version=invoice.resource_version, defaults={"next_attempt_at": leases.now()}
    )
    if document.state == State.FAILED:
        _want_again(document)
    return document


def want_missing(*, limit: int = 500) -> int:
    """Ask for the PDFs that no invoice's present version has yet; return how many were asked for."""
    made = InvoicePdf.objects.filter(invoice=OuterRef("pk"), version=OuterRef("resource_version"))
    missing = Invoice.objects.filter(~Exists(made), deleted=False, customer__account__isnull=False)
    wanted = [want(invoice) for invoice in missing.order_by("-issued_at")[:limit]]
    announce([document.pk for document in wanted])
    return len(wanted)


def announce(pks: Iterable[int]) -> None:
    """Have PDFs made that nobody waits for, in the line of the jobs: sign-in codes do not wait behind them."""
    for pk in pks:
        hints.announce("make_invoice_pdf", pk, queue=settings.JOBS_QUEUE)


def make(pdf_pk: int) -> None:
    """Render a wanted PDF and store it, if nobody else is doing so; a failure is tried again a few times."""
    document = _claim(pdf_pk)
    if document is None:
        return
    kill_points.reached("invoice claimed")
    if document.attempts > ATTEMPTS:
        _failed(document, DrawingDied())
        return
    try:
        content = render_invoice(document_of(document.invoice))
        name = storages["invoices"].save(f"invoices/{document.pk}.pdf", ContentFile(content))
    except Exception as error:  # noqa: BLE001  (whatever it is, it is kept and the others go on)
        _failed(document, error)
        return
    kill_points.reached("invoice stored")
    InvoicePdf.objects.filter(pk=document.pk).update(
        state=State.READY, file=name, error="", next_attempt_at=None
    )


def due() -> list[int]:
    """Return the wanted PDFs that nobody is making, the longest waiting first."""
    waiting = InvoicePdf.objects.filter(state=State.WANTED, next_attempt_at__lte=leases.now())
    return list(waiting.order_by("next_attempt_at", "pk").values_list("pk", flat=True)[:ANNOUNCED_AT_ONCE])


def _want_again(document: InvoicePdf) -> None:
    """Somebody asks for a file that was given up: whatever was wrong may have been mended."""
    InvoicePdf.objects.filter(pk=document.pk, state=State.FAILED).update(
        state=State.WANTED, attempts=0, next_attempt_at=leases.now()
    )


def _claim(pdf_pk: int) -> InvoicePdf | None:
    now = leases.now()
    document = InvoicePdf.objects.select_related("invoice__customer__account").filter(pk=pdf_pk).first()
    if document is None:
        return None
    won = InvoicePdf.objects.filter(
        pk=pdf_pk, state=State.WANTED, attempts=document.attempts, next_attempt_at__lte=now
    ).update(attempts=document.attempts + 1, next_attempt_at=now + LEASE)
    document.attempts += 1
    return document if won else None


def _failed(document: InvoicePdf, error: Exception) -> None:
    logger.error("The PDF of invoice %s failed", document.invoice.provider_id, exc_info=error)
    given_up = document.attempts >= ATTEMPTS
    InvoicePdf.objects.filter(pk=document.pk).update(
        state=State.FAILED if given_up else State.WANTED,
        error=f"{type(error).__name__}: {error}"[:2000],
        next_attempt_at=None if given_up else leases.now() + BACKOFF,
    )
