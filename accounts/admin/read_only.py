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
    """A model that operators may look at; nobody adds, changes or deletes it here, not even a superuser."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody."""
        return False


def account_link(account: Account | None) -> SafeString | str:
    """Give a link to the account's page."""
    if account is None:
        return "none"
    return format_html(
        '<a href="{}">{}</a>', reverse("admin:accounts_account_change", args=[account.pk]), account
    )
