"""The activity of accounts, read-only."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString

from accounts.admin.lists.large_tables import LargeTableAdmin, RecentValuesFilter
from accounts.admin.lists.read_only import ReadOnlyAdmin, account_link
from accounts.models import AccountEvent


@admin.register(AccountEvent)
class AccountEventAdmin(LargeTableAdmin, ReadOnlyAdmin):
    """The activity of all accounts, newest first."""

    list_display = ("at", "kind", "text", "actor", "account_page")
    list_filter = (("kind", RecentValuesFilter), "at")
    list_select_related = ("account",)
    search_fields = ("account__email__startswith",)
    search_help_text = "Start of an address"
    fields = ("at", "kind", "text", "actor", "account_page", "recorded_at")

    @admin.display(description="account", ordering="account__email")
    def account_page(self, event: AccountEvent) -> SafeString | str:
        """Return a link to the account."""
        return account_link(event.account)
