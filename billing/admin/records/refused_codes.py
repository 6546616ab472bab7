"""Read-only pages of the codes that subscribers could not redeem."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString

from accounts.admin.lists.large_tables import LargeTableAdmin
from accounts.admin.lists.read_only import ReadOnlyAdmin, account_link
from billing.models import RefusedCode


@admin.register(RefusedCode)
class RefusedCodeAdmin(LargeTableAdmin, ReadOnlyAdmin):
    """Refused codes, newest first: many refusals of one code show a campaign that is set up wrongly."""

    list_display = ("at", "account_page", "code", "reason")
    list_filter = ("at",)
    list_select_related = ("account",)
    ordering = ("-at",)
    search_fields = ("account__email__startswith", "code__exact")
    search_help_text = "Start of an address, or a code"
    fields = ("at", "account_page", "code", "reason")

    @admin.display(description="account", ordering="account__email")
    def account_page(self, refused: RefusedCode) -> SafeString | str:
        """Return a link to the account."""
        return account_link(refused.account)
