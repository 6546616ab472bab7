"""The system health page: every check with its state and what to do."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import path, reverse

from accounts.admin.read_only import ReadOnlyAdmin
from billing import clock
from billing.health import checks
from billing.health.checks import HealthCheck
from billing.models import SystemHealth


@admin.register(SystemHealth)
class SystemHealthAdmin(ReadOnlyAdmin):
    """One page of health checks; failing ones come first."""

    def get_urls(self) -> list[Any]:
        """Return the URL of the page. There are no rows, so there are no others."""
        page = self.admin_site.admin_view(self.changelist_view)
        return [path("", page, name="billing_systemhealth_changelist")]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show every health check. Raises PermissionDenied."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        results = sorted(checks.run_health_checks(now=clock.billing_now()), key=lambda check: not check.needs_somebody)
        context = {
            **self.admin_site.each_context(request),
            "title": "System health",
            "subtitle": None,
            "opts": self.opts,
            "signs": [(check, list_url_of(check, request)) for check in results],
            "waiting": sum(check.needs_somebody for check in results),
            **(extra_context or {}),
        }
        return TemplateResponse(request, "admin/billing/systemhealth/health.html", context)


def list_url_of(check: HealthCheck, request: HttpRequest) -> str:
    """Return the URL of the list of what a check counts; empty where the operator may not see it."""
    if not check.admin_list:
        return ""
    app, model = check.admin_list.split("_", 1)
    if not request.user.has_perm(f"{app}.view_{model}"):
        return ""
    return f"{reverse(f'admin:{check.admin_list}_changelist')}?{check.admin_filter}".rstrip("?")
