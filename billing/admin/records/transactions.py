"""Read-only pages of payments, payment attempts, and refunds."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import Q
from django.http import HttpRequest
from django.utils.safestring import SafeString

from accounts.admin.lists.csv_export import ExportableAdmin
from accounts.admin.lists.display import NO_VALUE
from accounts.admin.lists.filters import condition_filter
from billing.admin.formatting import failure_words, transaction_name, transaction_state
from billing.admin.records.mirror import CustomerOwnedAdmin, MirroredAdmin
from billing.models import Transaction
from billing.money import format_cents
from billing.queries.payments.payment_methods import attach_sources
from billing.queries.reports.collections import OUTCOME_FILTERS


class TransactionList(ChangeList):
    """A list page whose transactions have their payment methods, by one query."""

    def get_results(self, request: HttpRequest) -> None:
        """Read a page and attach the payment methods."""
        super().get_results(request)
        self.result_list = list(self.result_list)
        attach_sources(self.result_list)


OutcomeFilter = condition_filter(
    "outcome",
    "outcome",
    {
        **{str(outcome): (str(outcome).capitalize(), condition) for outcome, condition in OUTCOME_FILTERS.items()},
        "open": ("In progress", Q(status__in=("in_progress", "needs_attention"))),
    },
)


@admin.register(Transaction)
class TransactionAdmin(CustomerOwnedAdmin, ExportableAdmin):
    """Payments and payment attempts."""

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        """Return the list that reads the payment methods of a page together."""
        return TransactionList

    list_display = (
        "account_page",
        "made_at",
        "kind_and_method",
        "formatted_amount",
        "outcome",
        "why",
        "provider_id",
    )
    list_display_links = ("provider_id",)
    ordering = ("-made_at", "-pk")
    list_filter = (OutcomeFilter, "made_at")
    search_fields = ("provider_id__exact", "customer__provider_id__exact", "customer__email__startswith")
    fields = (
        "provider_id",
        "account_page",
        "customer_page",
        "kind_and_method",
        "formatted_amount",
        "made_at",
        "outcome",
        "why",
        *MirroredAdmin.last_fields,
    )

    export_columns = (
        ("id", lambda transaction: transaction.provider_id),
        ("customer", lambda transaction: transaction.customer.provider_id),
        ("email", lambda transaction: transaction.customer.email),
        ("made_at", lambda transaction: transaction.instant("date")),
        ("type", lambda transaction: transaction.text("type")),
        ("payment_method", lambda transaction: transaction.text("payment_method")),
        ("status", lambda transaction: transaction.text("status")),
        ("currency", lambda transaction: transaction.text("currency_code")),
        ("amount_cents", lambda transaction: transaction.cents("amount")),
        ("error_code", lambda transaction: transaction.text("error_code")),
    )

    @admin.display(description="kind")
    def kind_and_method(self, transaction: Transaction) -> str:
        """Return what it is, and the name of the payment method."""
        return transaction_name(transaction)

    @admin.display(description="amount")
    def formatted_amount(self, transaction: Transaction) -> str:
        """Return the amount."""
        return format_cents(transaction.cents("amount"), transaction.text("currency_code") or "USD")

    @admin.display(description="outcome")
    def outcome(self, transaction: Transaction) -> SafeString:
        """Return how it ended as a pill."""
        return transaction_state(transaction)

    @admin.display(description="why")
    def why(self, transaction: Transaction) -> str:
        """Return why it failed, in our words and the bank's."""
        return failure_words(transaction) or NO_VALUE
