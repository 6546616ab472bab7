"""The page of a report: one screen, and each of its tables as CSV."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import path, reverse

from accounts.admin import audit_log
from accounts.admin.lists.csv_format import csv_response
from accounts.admin.lists.read_only import ReadOnlyAdmin
from billing.admin.churn.tables import Table


class ReportAdmin(ReadOnlyAdmin):
    """One page with a report named `title`; exporting its tables needs a permission of its own."""

    title: str

    @abstractmethod
    def build_context(self, request: HttpRequest) -> dict[str, Any]:
        """Return what the template of the report shows."""

    @abstractmethod
    def build_table(self, request: HttpRequest, name: str) -> tuple[Table, str]:
        """Return a table to export and the range of time in it. Raises Http404 for an unknown table."""

    def has_export_permission(self, request: HttpRequest) -> bool:
        """Return whether the operator may export the tables."""
        return self.has_view_permission(request) and request.user.has_perm(f"billing.export_{self.opts.model_name}")

    def get_urls(self) -> list[Any]:
        """Return the URLs of the page and the export. The report has no rows, so there are no others."""
        wrap = self.admin_site.admin_view
        return [
            path("", wrap(self.changelist_view), name=f"billing_{self.opts.model_name}_changelist"),
            path("export/", wrap(self.export_view), name=f"billing_{self.opts.model_name}_export"),
        ]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the report. Raises PermissionDenied."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        context = {
            **self.admin_site.each_context(request),
            "title": self.title,
            "subtitle": None,
            "opts": self.opts,
            **self.build_context(request),
            **(extra_context or {}),
        }
        return TemplateResponse(request, f"admin/billing/{self.opts.model_name}/report.html", context)

    def export_view(self, request: HttpRequest) -> HttpResponseBase:
        """Return one table as CSV, and log the export. Raises PermissionDenied, or Http404 for an unknown table."""
        if not self.has_export_permission(request):
            raise PermissionDenied
        table, span = self.build_table(request, request.GET.get("table", ""))
        audit_log.log_table_action(request, self.model, f"Exported “{table.title}” as CSV, {span}.")
        return csv_response(f"{self.title.lower()} {table.id} {span}", table.columns, table.rows)

    def export_url(self, request: HttpRequest) -> str:
        """Return the URL to which a table's name is added to export it; empty for who may not."""
        if not self.has_export_permission(request):
            return ""
        query = request.GET.copy()
        query.pop("table", None)
        return f"{reverse(f'admin:billing_{self.opts.model_name}_export')}?{query.urlencode()}&table="
