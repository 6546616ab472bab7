"""The system health page: every check with its state and what to do, and the runbook, which says more."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.admin.lists.read_only import ReadOnlyAdmin
from billing import clock
from billing.health import checks
from billing.health.checks import HealthCheck
from billing.models import SystemHealth
from core.markdown import Section, read_sections

RUNBOOK = settings.BASE_DIR / "docs" / "runbook.md"


@admin.register(SystemHealth)
class SystemHealthAdmin(ReadOnlyAdmin):
    """One page of health checks; failing ones come first."""

    def get_urls(self) -> list[Any]:
        """Return the URLs of the page and of the runbook. There are no rows, so there are no others."""
        wrap = self.admin_site.admin_view
        return [
            path("", wrap(self.changelist_view), name="billing_systemhealth_changelist"),
            path("runbook/", wrap(self.runbook_view), name="billing_systemhealth_runbook"),
        ]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show every health check. Raises PermissionDenied."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        results = checks.run_health_checks(now=clock.billing_now())
        titles = {section.anchor: section.title for section in runbook_sections()}
        shown = [(check, list_url_of(check, request), titles[check.runbook]) for check in results]
        context = {
            **self.admin_site.each_context(request),
            "title": "System health",
            "subtitle": None,
            "opts": self.opts,
            "failing": [row for row in shown if row[0].needs_somebody],
            "passing": [row for row in shown if not row[0].needs_somebody],
            **(extra_context or {}),
        }
        return TemplateResponse(request, "admin/billing/systemhealth/health.html", context)

    def runbook_view(self, request: HttpRequest) -> HttpResponse:
        """Show the runbook. Raises PermissionDenied."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        context = {
            **self.admin_site.each_context(request),
            "title": "Runbook",
            "subtitle": None,
            "opts": self.opts,
            "sections": runbook_sections(),
        }
        return TemplateResponse(request, "admin/billing/systemhealth/runbook.html", context)


@cache
def runbook_sections() -> list[Section]:
    """Return the sections of `docs/runbook.md`, which changes with a release only."""
    return list(read_sections(RUNBOOK.read_text(encoding="utf-8"), write_link=_write_link))


def _write_link(label: SafeString, target: str) -> SafeString:
    """Return a link to a heading of the runbook; other documents are in the repository only, so they are named."""
    if target.startswith("#"):
        return format_html('<a href="{}">{}</a>', target, label)
    return format_html("{} (<code>{}</code>)", label, target.split("#", maxsplit=1)[0].removeprefix("../"))


def list_url_of(check: HealthCheck, request: HttpRequest) -> str:
    """Return the URL of the list of what a check counts; empty where the operator may not see it."""
    if not check.admin_list:
        return ""
    app, model = check.admin_list.split("_", 1)
    if not request.user.has_perm(f"{app}.view_{model}"):
        return ""
    return f"{reverse(f'admin:{check.admin_list}_changelist')}?{check.admin_filter}".rstrip("?")
