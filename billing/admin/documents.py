"""What was finished ahead of being asked for: invoice PDFs and the hot reads' documents."""

from __future__ import annotations

import json

from django.contrib import admin
from django.template.defaultfilters import filesizeformat
from django.utils.safestring import SafeString

from accounts.admin.read_only import ReadOnlyAdmin, account_link
from billing.admin.readable import UNSET, page_link, pretty
from billing.models import AccountDocument, InvoicePdf


@admin.register(InvoicePdf)
class InvoicePdfAdmin(ReadOnlyAdmin):
    """One PDF per version of an invoice; a failed one keeps its reason."""

    list_display = (
        "invoice_page",
        "account_page",
        "version",
        "state",
        "size",
        "attempts",
        "created_at",
        "error",
    )
    list_filter = ("state", "created_at")
    list_select_related = ("invoice__customer__account",)
    search_fields = ("invoice__provider_id", "invoice__customer__email")
    date_hierarchy = "created_at"
    ordering = ("-created_at", "-pk")
    # The file itself is left out: invoices are handed out by signed links, not by a folder's address.
    fields = (
        "invoice_page",
        "account_page",
        "version",
        "state",
        "size",
        "attempts",
        "next_attempt_at",
        "error",
        "created_at",
    )

    @admin.display(description="invoice", ordering="invoice__provider_id")
    def invoice_page(self, pdf: InvoicePdf) -> SafeString | str:
        """Link to the invoice."""
        return page_link(pdf.invoice)

    @admin.display(description="account", ordering="invoice__customer__account__email")
    def account_page(self, pdf: InvoicePdf) -> SafeString | str:
        """Link to the account."""
        return account_link(pdf.invoice.customer.account)

    @admin.display(description="size")
    def size(self, pdf: InvoicePdf) -> str:
        """Tell how large the file is."""
        try:
            return filesizeformat(pdf.file.size) if pdf.file else UNSET
        except OSError:
            return "the file is missing"


@admin.register(AccountDocument)
class AccountDocumentAdmin(ReadOnlyAdmin):
    """What the app is answered, as it stands now."""

    list_display = ("account_page", "kind", "content_version", "built_at")
    list_filter = ("kind",)
    list_select_related = ("account",)
    search_fields = ("account__email",)
    fields = ("account_page", "kind", "content_version", "built_at", "answer")

    @admin.display(description="account", ordering="account__email")
    def account_page(self, document: AccountDocument) -> SafeString | str:
        """Link to the account."""
        return account_link(document.account)

    @admin.display(description="answer")
    def answer(self, document: AccountDocument) -> SafeString:
        """Show the answer."""
        return pretty(json.loads(document.body))
