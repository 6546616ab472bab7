"""How everything that works unseen stands, on one page, with what to do in words."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import path, reverse

from accounts.admin.read_only import ReadOnlyAdmin
from billing import clock
from billing.models import Machinery
from billing.services import machinery
from billing.services.machinery import Sign


@admin.register(Machinery)
class MachineryAdmin(ReadOnlyAdmin):
    """The page; what needs somebody stands first."""

    def get_urls(self) -> list[Any]:
        """Give the page; there are no rows, so there is nothing else."""
        page = self.admin_site.admin_view(self.changelist_view)
        return [path("", page, name="billing_machinery_changelist")]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show every sign. Raises PermissionDenied."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        found = sorted(machinery.signs(now=clock.now()), key=lambda sign: not sign.needs_somebody)
        context = {
            **self.admin_site.each_context(request),
            "title": "Machinery",
            "subtitle": None,
            "opts": self.opts,
            "signs": [(sign, _list_of(sign, request)) for sign in found],
            "waiting": sum(sign.needs_somebody for sign in found),
            **(extra_context or {}),
        }
        return TemplateResponse(request, "admin/billing/machinery/machinery.html", context)


def _list_of(sign: Sign, request: HttpRequest) -> str:
    """Give the address of the list of what a sign counts; none where the operator may not see it."""
    if not sign.address:
        return ""
    app, model = sign.address.split("_", 1)
    if not request.user.has_perm(f"{app}.view_{model}"):
        return ""
    return f"{reverse(f'admin:{sign.address}_changelist')}?{sign.narrowed}".rstrip("?")
