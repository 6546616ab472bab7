"""The activity of accounts, read-only."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString

from accounts.admin.read_only import ReadOnlyAdmin, account_link
from accounts.models import AccountEvent


@admin.register(AccountEvent)
class AccountEventAdmin(ReadOnlyAdmin):
    """The activity of all accounts, newest first."""

    list_display = ("at", "kind", "text", "actor", "account_page")
    list_filter = ("kind", "at")
    list_select_related = ("account",)
    search_fields = ("account__email", "text", "actor")
    date_hierarchy = "at"
    fields = ("at", "kind", "text", "actor", "account_page", "recorded_at")

    @admin.display(description="account", ordering="account__email")
    def account_page(self, event: AccountEvent) -> SafeString | str:
        """Return a link to the account."""
        return account_link(event.account)
