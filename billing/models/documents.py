"""Finished bytes: the hot reads' documents and the invoices' PDFs."""

from django.db import models

from accounts.models import Account
from billing.models.mirror import CreditNote, Invoice
from core.workers.leases import Leased, LeaseQuerySet

FILES_PER_FOLDER = 10_000


class AccountDocument(models.Model):
    """A hot read's finished answer, served until the mirror changes (decision 1).

    `content_version` is the catalogue's version it was built with; one of another version is built again on read.
    `etag` is a digest of the body, by which a reader that has it already is told so.
    """

    class Kind(models.TextChoices):
        ACCOUNT = "account", "GET /api/account"
        PLANS = "plans", "GET /api/account/manage-plans"
        INVOICES = "invoices", "GET /api/invoice/list"

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="documents")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    body = models.TextField()
    etag = models.CharField(max_length=32, default="", db_default="")
    content_version = models.PositiveIntegerField()
    built_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["account", "kind"], name="one_document_per_kind")]

    def __str__(self) -> str:
        return f"{self.kind} of {self.account}"


class ContentVersion(models.Model):
    """The version of prices, coupons and bundle rates that documents are built with: one row, only ever raised."""

    version = models.PositiveIntegerField(default=1)

    def __str__(self) -> str:
        return str(self.version)


class InvoicePdf(Leased):
    """The PDF of an invoice, of a credit note, or of the statement of an account's year, rendered once per version.

    A statement has `account` and `year`, an invoice's PDF has `invoice` only, that of a credit note `credit_note` only.
    """

    class State(models.TextChoices):
        WANTED = "wanted", "waiting"
        READY = "ready", "ready"
        FAILED = "failed", "failed too often"

    UNFINISHED = models.Q(state=State.WANTED)

    invoice = models.ForeignKey(Invoice, on_delete=models.CASCADE, null=True, related_name="pdfs")
    credit_note = models.ForeignKey(CreditNote, on_delete=models.CASCADE, null=True, related_name="pdfs")
    account = models.ForeignKey(Account, on_delete=models.CASCADE, null=True, related_name="statements")
    year = models.PositiveSmallIntegerField(null=True, help_text="Of a statement, in the site's time zone.")
    version = models.BigIntegerField(
        help_text="The invoice's resource version; a statement's number for the versions of all that it lists."
    )
    state = models.CharField(max_length=8, choices=State.choices, default=State.WANTED)
    file = models.FileField(upload_to="invoices/", blank=True)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = LeaseQuerySet["InvoicePdf"].as_manager()

    class Meta:
        verbose_name = "invoice PDF"
        constraints = [
            models.UniqueConstraint(fields=["invoice", "version"], name="one_pdf_per_version"),
            models.UniqueConstraint(fields=["credit_note", "version"], name="one_credit_note_per_version"),
            models.UniqueConstraint(fields=["account", "year", "version"], name="one_statement_per_version"),
            models.CheckConstraint(
                name="invoice_or_note_or_year",
                condition=models.Q(invoice__isnull=False, credit_note=None, account=None, year=None)
                | models.Q(invoice=None, credit_note__isnull=False, account=None, year=None)
                | models.Q(invoice=None, credit_note=None, account__isnull=False, year__isnull=False),
            ),
        ]
        indexes = [models.Index(fields=["state", "next_attempt_at"], name="pdf_due")]

    def __str__(self) -> str:
        return f"{self.title} v{self.version}"

    @property
    def stored_name(self) -> str:
        """Where its file is stored. No folder has more files than are listed or copied in reasonable time."""
        return f"invoices/{self.pk // FILES_PER_FOLDER}/{self.pk}.pdf"

    @property
    def title(self) -> str:
        """What it shows: `invoice 17`, `credit note CN-3` or `statement of 2026`."""
        if self.invoice:
            return f"invoice {self.invoice.provider_id}"
        return f"credit note {self.credit_note.provider_id}" if self.credit_note else f"statement of {self.year}"

    @property
    def statement(self) -> tuple[Account, int]:
        """The account and the year of a statement. Raises ValueError for any other PDF."""
        if self.account is None or self.year is None:
            raise ValueError(f"not a statement: {self}")
        return self.account, self.year

    @property
    def owner(self) -> Account | None:
        """The account that may read it: an invoice may have moved to another one."""
        subject = self.invoice or self.credit_note
        return subject.customer.account if subject else self.account
