"""Read-only pages of cancellation feedback and churn events."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString

from accounts.admin.lists.large_tables import LargeTableAdmin, RecentValuesFilter
from accounts.admin.lists.read_only import ReadOnlyAdmin, account_link
from billing.models import CancellationFeedback, ChurnEvent


@admin.register(CancellationFeedback)
class CancellationFeedbackAdmin(LargeTableAdmin, ReadOnlyAdmin):
    """Survey answers, newest first. They stay when the account is erased."""

    list_display = ("at", "account_page", "reason", "satisfaction", "usage", "offer", "outcome", "brand")
    list_filter = (
        "outcome",
        ("reason", RecentValuesFilter),
        ("satisfaction", RecentValuesFilter),
        ("usage", RecentValuesFilter),
        "offer",
        ("brand", RecentValuesFilter),
        "at",
    )
    list_select_related = ("account",)
    ordering = ("-at",)
    search_fields = ("account__email__startswith",)
    search_help_text = "Start of an address"
    fields = (
        "at",
        "account_page",
        "services",
        "plan_ids",
        "subscription_ids",
        "reason",
        "satisfaction",
        "usage",
        "offer",
        "outcome",
        "brand",
        "actor",
        "command",
    )

    @admin.display(description="account", ordering="account__email")
    def account_page(self, feedback: CancellationFeedback) -> SafeString | str:
        """Return a link to the account."""
        return account_link(feedback.account)


@admin.register(ChurnEvent)
class ChurnEventAdmin(LargeTableAdmin, ReadOnlyAdmin):
    """Churn events, newest first: one per cancellation, pause, resume or offer of a subscription."""

    list_display = ("at", "kind", "account_page", "service", "offer", "reason", "brand", "subscription_id")
    list_filter = ("kind", ("service", RecentValuesFilter), "offer", ("brand", RecentValuesFilter), "at")
    list_select_related = ("account",)
    ordering = ("-at",)
    search_fields = ("account__email__startswith", "subscription_id__exact")
    fields = (
        "at",
        "kind",
        "account_page",
        "subscription_id",
        "service",
        "plan_id",
        "offer",
        "reason",
        "satisfaction",
        "usage",
        "brand",
        "command",
    )

    @admin.display(description="account", ordering="account__email")
    def account_page(self, event: ChurnEvent) -> SafeString | str:
        """Return a link to the account."""
        return account_link(event.account)
