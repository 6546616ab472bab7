"""Read-only pages of credit notes, which refund or credit invoices, and of promotional credits."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString

from accounts.admin.lists.csv_export import ExportableAdmin
from accounts.admin.lists.display import NO_VALUE
from billing.admin.formatting import credit_note_state
from billing.admin.records.mirror import CustomerOwnedAdmin, MirroredAdmin
from billing.models import CreditNote, PromotionalCredit
from billing.money import format_cents
from billing.terms import DEFAULT_CURRENCY


@admin.register(CreditNote)
class CreditNoteAdmin(CustomerOwnedAdmin, ExportableAdmin):
    """Credit notes; the number is the provider's id."""

    list_display = (
        "account_page",
        "provider_id",
        "invoice_number",
        "issued_at",
        "reason",
        "formatted_total",
        "formatted_refund",
        "formatted_rest",
        "status_in_words",
        "deletion",
    )
    list_display_links = ("provider_id",)
    ordering = ("-issued_at",)
    list_filter = ("deleted", "issued_at")
    search_fields = (
        "provider_id__exact",
        "invoice_number__exact",
        "customer__provider_id__exact",
        "customer__email__startswith",
    )
    fields = (
        "provider_id",
        "account_page",
        "customer_page",
        "invoice_number",
        "issued_at",
        "reason",
        "formatted_total",
        "formatted_refund",
        "formatted_rest",
        "status_in_words",
        *MirroredAdmin.last_fields,
    )

    export_columns = (
        ("number", lambda note: note.provider_id),
        ("customer", lambda note: note.customer.provider_id),
        ("email", lambda note: note.customer.email),
        ("invoice", lambda note: note.invoice_number),
        ("issued_at", lambda note: note.issued_at),
        ("type", lambda note: note.text("type")),
        ("reason", lambda note: note.text("reason_code")),
        ("status", lambda note: note.text("status")),
        ("currency", lambda note: note.text("currency_code")),
        ("total_cents", lambda note: note.cents("total")),
        ("refunded_cents", lambda note: note.cents("amount_refunded")),
        ("available_cents", lambda note: note.cents("amount_available")),
    )

    @admin.display(description="reason")
    def reason(self, note: CreditNote) -> str:
        """Return why it was issued."""
        return note.text("reason_code").replace("_", " ").capitalize() or NO_VALUE

    @admin.display(description="total")
    def formatted_total(self, note: CreditNote) -> str:
        """Return the total, tax included."""
        return _format_field(note, "total")

    @admin.display(description="refunded")
    def formatted_refund(self, note: CreditNote) -> str:
        """Return what was refunded to a payment method."""
        return _format_field(note, "amount_refunded")

    @admin.display(description="left")
    def formatted_rest(self, note: CreditNote) -> str:
        """Return what is left to pay bills with."""
        return _format_field(note, "amount_available")

    @admin.display(description="status")
    def status_in_words(self, note: CreditNote) -> SafeString:
        """Return its status as a pill."""
        return credit_note_state(note)


def _format_field(note: CreditNote, field: str) -> str:
    return format_cents(note.cents(field), note.text("currency_code") or DEFAULT_CURRENCY)


@admin.register(PromotionalCredit)
class PromotionalCreditAdmin(CustomerOwnedAdmin):
    """The entries of the promotional credits: what was given, and what bills have used."""

    list_display = ("account_page", "provider_id", "created_at", "change", "balance", "what_for", "reference")
    list_display_links = ("provider_id",)
    ordering = ("-created_at",)
    list_filter = ("created_at",)
    search_fields = ("provider_id__exact", "customer__provider_id__exact", "customer__email__startswith")
    fields = (
        "provider_id",
        "account_page",
        "customer_page",
        "created_at",
        "change",
        "balance",
        "what_for",
        "reference",
        *MirroredAdmin.last_fields,
    )

    @admin.display(description="amount")
    def change(self, credit: PromotionalCredit) -> str:
        """Return what was added, negative for a deduction."""
        cents = credit.cents("amount") if credit.is_addition else -credit.cents("amount")
        return format_cents(cents, credit.text("currency_code") or DEFAULT_CURRENCY)

    @admin.display(description="balance then")
    def balance(self, credit: PromotionalCredit) -> str:
        """Return the balance after it."""
        return format_cents(credit.cents("closing_balance"), credit.text("currency_code") or DEFAULT_CURRENCY)

    @admin.display(description="what for")
    def what_for(self, credit: PromotionalCredit) -> str:
        """Return its description."""
        return credit.text("description") or NO_VALUE

    @admin.display(description="reference")
    def reference(self, credit: PromotionalCredit) -> str:
        """Return the reference by which the portal knows its own."""
        return credit.text("reference") or NO_VALUE
