"""The site's settings, which operators change without a deployment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from accounts.admin.forms.plain_text import PlainTextAdmin
from accounts.brands import site
from accounts.models import SiteSettings

if TYPE_CHECKING:
    SettingsModelForm = forms.ModelForm[SiteSettings]
else:
    SettingsModelForm = forms.ModelForm

OFFER_FIELDS = ("free_month_on", "pause_offer_on")
SEEN_VERSION = "seen_version"


class SiteSettingsForm(SettingsModelForm):
    """The settings, which are not saved over what another operator has saved since the page was opened."""

    seen_version = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial[SEEN_VERSION] = self.instance.version

    def clean(self) -> dict[str, Any]:
        """Refuse a page that is out of date. Raises ValidationError."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get(SEEN_VERSION) not in (None, self.instance.version):
            raise ValidationError(
                "Somebody has changed the settings since you opened this page. Nothing was saved: open it again."
            )
        return cleaned


@admin.register(SiteSettings)
class SiteSettingsAdmin(PlainTextAdmin):
    """The single row of settings. Operators who may only switch offers see the other fields read-only."""

    form = SiteSettingsForm

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Group the fields: offers, canceling, and the rest."""
        editable = [field.name for field in SiteSettings._meta.fields if field.editable]
        rest = [name for name in editable if name not in (*OFFER_FIELDS, "enable_cancel_button")]
        if self.has_change_permission(request, obj):
            rest.append(SEEN_VERSION)
        return (
            ("Offers", {"fields": OFFER_FIELDS}),
            ("Cancelling", {"fields": ("enable_cancel_button",)}),
            ("Site", {"fields": rest}),
        )

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return all fields but the offers for operators who may only switch offers."""
        if super().has_change_permission(request, obj):
            return ()
        editable = (field.name for field in SiteSettings._meta.fields if field.editable)
        return tuple(name for name in editable if name not in OFFER_FIELDS)

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
