"""Read-only admin pages and links between pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import flatten_fieldsets
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied
from django.db import DataError
from django.db.models import JSONField
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.models import Account

if TYPE_CHECKING:
    DjangoModelAdmin = admin.ModelAdmin[Any]
else:
    DjangoModelAdmin = admin.ModelAdmin


class AnyModelAdmin(DjangoModelAdmin):
    """The base of all pages of a model."""

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        """Return whether the list may be filtered by this lookup: by no JSON, whose lookups not every database has."""
        json_columns = {field.name for field in self.opts.concrete_fields if isinstance(field, JSONField)}
        return lookup.partition("__")[0] not in json_columns and super().lookup_allowed(lookup, value, request)

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """Return the page of the list. Raises IncorrectLookupParameters for values that no column can have.

        Django finds out most of them; a NUL or the year 0 only the query does.
        """
        try:
            return super().get_changelist_instance(request)
        except (ValueError, OverflowError, DataError) as error:
            if not request.GET:
                raise
            raise IncorrectLookupParameters(error) from error

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Return the row; None for a key with a NUL, which PostgreSQL refuses to look for."""
        return None if "\0" in object_id else super().get_object(request, object_id, from_field)

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Return what the operators' log has on a row. Raises PermissionDenied for who only sees the row.

        Django asks for no more than to see it; the log has the names and reasons of operators with other work.
        """
        if not (self.has_change_permission(request) or request.user.has_perm("admin.view_logentry")):
            raise PermissionDenied
        return super().history_view(request, object_id, extra_context)


class ReadOnlyAdmin(AnyModelAdmin):
    """A model that nobody, not even a superuser, can add, change or delete in the admin.

    `account_lookup` is the lookup from a row to its account, with which an account's page links to the filtered list.
    """

    account_lookup = "account__id__exact"

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        """Return whether the list may be filtered by this lookup; by account always, never by what no page shows.

        Django allows every column. Who may see that there is a second factor could find out its key, letter by letter.
        """
        if lookup == self.account_lookup:
            return True
        return lookup.partition("__")[0] not in self._hidden_columns(request) and super().lookup_allowed(
            lookup, value, request
        )

    def _hidden_columns(self, request: HttpRequest) -> set[str]:
        """Return the columns, except keys and relations, that neither the list nor the page of a row shows."""
        filters = [item[0] if isinstance(item, tuple) else item for item in self.get_list_filter(request)]
        shown = {*self.get_list_display(request), *flatten_fieldsets(self.get_fieldsets(request)), *filters}
        columns = (field for field in self.opts.concrete_fields if not field.primary_key and not field.is_relation)
        return {field.name for field in columns}.difference(shown, [self.date_hierarchy])

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return False."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return False."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return False."""
        return False


def page_link(address: str | None, text: object) -> SafeString | str:
    """Return a link, or only its text if there is no URL."""
    return format_html('<a href="{}">{}</a>', address, text) if address else str(text)


def account_link(account: Account | None) -> SafeString | str:
    """Return a link to the account's page."""
    if account is None:
        return "none"
    return page_link(reverse("admin:accounts_account_change", args=[account.pk]), account)
