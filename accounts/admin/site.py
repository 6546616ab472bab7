"""The site's settings: what operators change without a deploy."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from accounts import site
from accounts.admin.read_only import AnyModelAdmin
from accounts.models import SiteSettings

OFFERS = ("free_month_on", "pause_offer_on")


@admin.register(SiteSettings)
class SiteSettingsAdmin(AnyModelAdmin):
    """One row, so the list leads straight to it. Who may only switch offers sees the rest and changes nothing of it."""

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Group the fields: what keeps subscribers first, then what concerns everything else."""
        shown = [field.name for field in SiteSettings._meta.fields if field.editable]
        rest = [name for name in shown if name not in (*OFFERS, "enable_cancel_button")]
        return (
            ("Offers", {"fields": OFFERS}),
            ("Cancelling", {"fields": ("enable_cancel_button",)}),
            ("Site", {"fields": rest}),
        )

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Leave nothing but the offers to those who may switch offers alone."""
        if super().has_change_permission(request, obj):
            return ()
        editable = (field.name for field in SiteSettings._meta.fields if field.editable)
        return tuple(name for name in editable if name not in OFFERS)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whether the operator may change all of it, or switch the offers."""
        return super().has_change_permission(request, obj) or request.user.has_perm("accounts.switch_offers")

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Go to the one row, which is made on the way if need be. Raises PermissionDenied."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        return HttpResponseRedirect(
            reverse("admin:accounts_sitesettings_change", args=[site.site_settings().pk])
        )

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody: there is one already."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody: the portal needs it."""
        return False
