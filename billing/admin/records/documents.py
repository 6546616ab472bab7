"""Invoice PDFs and the documents of hot reads."""

from __future__ import annotations

import json

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.defaultfilters import filesizeformat
from django.utils.safestring import SafeString

from accounts.admin.lists.display import NO_VALUE
from accounts.admin.lists.large_tables import LargeTableAdmin
from accounts.admin.lists.read_only import ReadOnlyAdmin, account_link
from billing.admin.formatting import format_json, page_link
from billing.models import AccountDocument, InvoicePdf


@admin.register(InvoicePdf)
class InvoicePdfAdmin(LargeTableAdmin, ReadOnlyAdmin):
    """One PDF per version of an invoice, a credit note or a year's statement; a failed one shows its error."""

    list_display = (
        "shown",
        "account_page",
        "version",
        "state",
        "file_size",
        "attempts",
        "created_at",
        "error",
    )
    list_filter = ("state", "created_at")
    list_select_related = ("invoice__customer__account", "credit_note__customer__account", "account")
    search_fields = (
        "invoice__provider_id__exact",
        "invoice__customer__email__startswith",
        "account__email__startswith",
    )
    # No link to the file: invoices are served by signed links only.
    fields = (
        "shown",
        "account_page",
        "version",
        "state",
        "file_size",
        "attempts",
        "next_attempt_at",
        "error",
        "created_at",
    )

    @admin.display(description="shows", ordering="invoice__provider_id")
    def shown(self, pdf: InvoicePdf) -> SafeString | str:
        """Return a link to the invoice or the credit note, or the year of the statement."""
        return page_link(pdf.invoice or pdf.credit_note) if pdf.invoice or pdf.credit_note else pdf.title

    @admin.display(description="account", ordering="invoice__customer__account__email")
    def account_page(self, pdf: InvoicePdf) -> SafeString | str:
        """Return a link to the account."""
        return account_link(pdf.owner)

    @admin.display(description="size")
    def file_size(self, pdf: InvoicePdf) -> str:
        """Return the size of the file."""
        try:
            return filesizeformat(pdf.file.size) if pdf.file else NO_VALUE
        except OSError:
            return "the file is missing"


@admin.register(AccountDocument)
class AccountDocumentAdmin(LargeTableAdmin, ReadOnlyAdmin):
    """The stored responses of hot reads."""

    list_display = ("account_page", "kind", "content_version", "built_at")
    list_select_related = ("account",)
    search_fields = ("account__email__startswith",)
    fields = ("account_page", "kind", "content_version", "built_at", "formatted_body")

    def get_queryset(self, request: HttpRequest) -> QuerySet[AccountDocument]:
        """Leave the bodies out, which a list does not show."""
        return super().get_queryset(request).defer("body")

    @admin.display(description="account", ordering="account__email")
    def account_page(self, document: AccountDocument) -> SafeString | str:
        """Return a link to the account."""
        return account_link(document.account)

    @admin.display(description="answer")
    def formatted_body(self, document: AccountDocument) -> SafeString:
        """Return the stored body."""
        return format_json(json.loads(document.body))
