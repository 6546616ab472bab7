"""The site's settings, which operators change without a deployment."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from accounts.admin.forms.plain_text import PlainTextAdmin
from accounts.admin.forms.seen_rows import SeenRowAdmin
from accounts.brands import site
from accounts.models import SiteSettings

OFFER_FIELDS = ("free_month_on", "pause_offer_on")
_EDITABLE = [field.name for field in SiteSettings._meta.fields if field.editable]


@admin.register(SiteSettings)
class SiteSettingsAdmin(SeenRowAdmin, PlainTextAdmin):
    """The single row of settings. Operators who may only switch offers see the other fields read-only."""

    fieldsets = (
        ("Offers", {"fields": OFFER_FIELDS}),
        ("Canceling", {"fields": ("enable_cancel_button",)}),
        ("Site", {"fields": tuple(name for name in _EDITABLE if name not in (*OFFER_FIELDS, "enable_cancel_button"))}),
    )

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return all fields but the offers for operators who may only switch offers."""
        if super().has_change_permission(request, obj):
            return ()
        return tuple(name for name in _EDITABLE if name not in OFFER_FIELDS)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether the operator may change the settings or switch the offers."""
        return super().has_change_permission(request, obj) or request.user.has_perm("accounts.switch_offers")

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Redirect to the single row, which is created if necessary. Raises PermissionDenied."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        return HttpResponseRedirect(reverse("admin:accounts_sitesettings_change", args=[site.site_settings().pk]))

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return False: the row exists."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return False: the portal needs the row."""
        return False
