"""Lists that may be taken along as CSV, filtered and searched as they are on the screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import SEARCH_VAR
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import path, reverse

from accounts.admin import journal
from accounts.admin.read_only import AnyModelAdmin
from accounts.admin.spreadsheets import csv_response

AT_ONCE = 2000

Column = tuple[str, Callable[[Any], object]]


class ExportedAdmin(AnyModelAdmin):
    """A list with a download for those who have `export_<model>`; each download is logged."""

    change_list_template = "admin/exported_change_list.html"
    export_columns: ClassVar[Sequence[Column]] = ()

    def has_export_permission(self, request: HttpRequest) -> bool:
        """Whether the operator may take the list along."""
        permission = f"{self.opts.app_label}.export_{self.opts.model_name}"
        return self.has_view_permission(request) and request.user.has_perm(permission)

    def get_urls(self) -> list[Any]:
        """Add the download's address."""
        export = path(
            "export/", self.admin_site.admin_view(self.export_view), name=f"{self._address_stem}_export"
        )
        return [export, *super().get_urls()]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the list, with a way to its download."""
        may = {"export_address": reverse(f"admin:{self._address_stem}_export")}
        shown = may if self.has_export_permission(request) else {}
        return super().changelist_view(request, {**shown, **(extra_context or {})})

    def export_view(self, request: HttpRequest) -> HttpResponseBase:
        """Answer with the list as CSV. Raises PermissionDenied."""
        if not self.has_export_permission(request):
            raise PermissionDenied
        try:
            rows = self.get_changelist_instance(request).get_queryset(request)
        except IncorrectLookupParameters:
            return HttpResponseRedirect(reverse(f"admin:{self._address_stem}_changelist"))
        journal.note_about_all(request, self.model, f"Exported as CSV{_narrowed(request)}.")
        header = [name for name, _ in self.export_columns]
        return csv_response(str(self.opts.verbose_name_plural), header, self._exported(rows))

    def _exported(self, rows: QuerySet[Any]) -> Iterator[list[object]]:
        for row in rows.iterator(chunk_size=AT_ONCE):
            yield [value(row) for _, value in self.export_columns]

    @property
    def _address_stem(self) -> str:
        return f"{self.opts.app_label}_{self.opts.model_name}"


def _narrowed(request: HttpRequest) -> str:
    """Say how the list was narrowed. What was searched for is left out: it may name somebody."""
    filters = request.GET.copy()
    searched = ", searched" if filters.pop(SEARCH_VAR, None) else ""
    return f"{searched}, filtered by {filters.urlencode()}" if filters else searched
