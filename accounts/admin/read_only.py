"""Admin pages that show and do not change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.models import Account

if TYPE_CHECKING:
    AnyModelAdmin = admin.ModelAdmin[Any]
else:
    AnyModelAdmin = admin.ModelAdmin


class ReadOnlyAdmin(AnyModelAdmin):
    """A model that operators may look at; nobody adds, changes or deletes it here, not even a superuser.

    `account_lookup` names the way from a row to its account, by which an account's page narrows the list.
    """

    account_lookup = "account__id__exact"

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        """Whether the list may be narrowed so: to an account always."""
        return lookup == self.account_lookup or super().lookup_allowed(lookup, value, request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody."""
        return False


def page_link(address: str | None, words: object) -> SafeString | str:
    """Give a link; the bare words where there is no address."""
    return format_html('<a href="{}">{}</a>', address, words) if address else str(words)


def account_link(account: Account | None) -> SafeString | str:
    """Give a link to the account's page."""
    if account is None:
        return "none"
    return page_link(reverse("admin:accounts_account_change", args=[account.pk]), account)
