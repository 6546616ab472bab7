"""CSV export of the admin's lists, with the filters and the search of the page."""

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

from accounts.admin import audit_log
from accounts.admin.lists.csv_format import csv_response
from accounts.admin.lists.large_tables import has_found_too_much
from accounts.admin.lists.read_only import AnyModelAdmin

CHUNK_SIZE = 2000

Column = tuple[str, Callable[[Any], object]]


class ExportableAdmin(AnyModelAdmin):
    """An admin whose list can be exported with the permission `export_<model>`. Each export is logged."""

    change_list_template = "admin/exported_change_list.html"
    export_columns: ClassVar[Sequence[Column]] = ()

    def has_export_permission(self, request: HttpRequest) -> bool:
        """Return whether the operator may export the list."""
        permission = f"{self.opts.app_label}.export_{self.opts.model_name}"
        return self.has_view_permission(request) and request.user.has_perm(permission)

    def get_urls(self) -> list[Any]:
        """Add the URL of the export."""
        export = path("export/", self.admin_site.admin_view(self.export_view), name=f"{self._url_name_prefix}_export")
        return [export, *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list with a link to its export."""
        link = {"export_address": reverse(f"admin:{self._url_name_prefix}_export")}
        export_context = link if self.has_export_permission(request) else {}
        return super().changelist_view(request, {**export_context, **(extra_context or {})})

    def export_view(self, request: HttpRequest) -> HttpResponseBase:
        """Return the list as CSV; if it is not complete, lead to the list, which says so. Raises PermissionDenied."""
        if not self.has_export_permission(request):
            raise PermissionDenied
        try:
            rows = self.get_changelist_instance(request).get_queryset(request)
        except IncorrectLookupParameters:
            return HttpResponseRedirect(reverse(f"admin:{self._url_name_prefix}_changelist"))
        if has_found_too_much(request):
            return HttpResponseRedirect(
                f"{reverse(f'admin:{self._url_name_prefix}_changelist')}?{request.GET.urlencode()}"
            )
        audit_log.log_table_action(request, self.model, f"Exported as CSV{_describe_filters(request)}.")
        header = [name for name, _ in self.export_columns]
        return csv_response(str(self.opts.verbose_name_plural), header, self._export_rows(rows))

    def _export_rows(self, rows: QuerySet[Any]) -> Iterator[list[object]]:
        for row in rows.iterator(chunk_size=CHUNK_SIZE):
            yield [value(row) for _, value in self.export_columns]

    @property
    def _url_name_prefix(self) -> str:
        return f"{self.opts.app_label}_{self.opts.model_name}"


def _describe_filters(request: HttpRequest) -> str:
    """Describe the list's filters for the log. The search term is left out, because it may be personal data."""
    filters = request.GET.copy()
    searched = ", searched" if filters.pop(SEARCH_VAR, None) else ""
    return f"{searched}, filtered by {filters.urlencode()}" if filters else searched
