"""The site's settings, brands and services: what operators change without a deploy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from accounts import site
from accounts.admin.read_only import AnyModelAdmin
from accounts.colours import SURFACES, TOKENS, default_colours, validate_colours
from accounts.models import Brand, SiteSettings, StreamingService
from accounts.models.site import validate_host_names

if TYPE_CHECKING:
    BrandModelForm = forms.ModelForm[Brand]
else:
    BrandModelForm = forms.ModelForm


@admin.register(SiteSettings)
class SiteSettingsAdmin(AnyModelAdmin):
    """One row, so the list leads straight to it."""

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Go to the one row, which is made on the way if need be."""
        return HttpResponseRedirect(
            reverse("admin:accounts_sitesettings_change", args=[site.site_settings().pk])
        )

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody: there is one already."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody: the portal needs it."""
        return False


def _colour_field(scheme: str, token: str) -> forms.CharField:
    return forms.CharField(label=f"{scheme}: {token}", widget=forms.TextInput(attrs={"type": "color"}))


COLOUR_FIELDS = {f"{scheme}_{token}": (scheme, token) for scheme in SURFACES for token in TOKENS}


class BrandForm(BrandModelForm):
    """A brand with a colour picker per token and its host names one per line."""

    host_lines = forms.CharField(
        label="host names",
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="One per line.",
    )

    class Meta:
        """Everything but the two columns that the form's own fields stand for."""

        model = Brand
        exclude = ("colours", "host_names")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        colours: Any = self.instance.colours or default_colours()
        for name, (scheme, token) in COLOUR_FIELDS.items():
            self.fields[name] = _colour_field(scheme, token)
            self.initial.setdefault(name, colours[scheme][token])
        self.initial.setdefault("host_lines", "\n".join(self.instance.host_names))

    def clean_host_lines(self) -> list[str]:
        """Give the host names, each checked."""
        names = [
            line.strip().lower() for line in self.cleaned_data["host_lines"].splitlines() if line.strip()
        ]
        validate_host_names(names)
        return names

    def clean(self) -> dict[str, Any]:
        """Refuse colours that cannot be read (WCAG 2.2 AA)."""
        cleaned = super().clean() or self.cleaned_data
        colours: dict[str, dict[str, Any]] = {scheme: {} for scheme in SURFACES}
        for name, (scheme, token) in COLOUR_FIELDS.items():
            colours[scheme][token] = cleaned.get(name)
        validate_colours(colours)
        self.instance.colours = colours
        self.instance.host_names = cleaned.get("host_lines", [])
        return cleaned


@admin.register(Brand)
class BrandAdmin(AnyModelAdmin):
    """Names, logos, colours and links, per set of host names."""

    form = BrandForm
    list_display = ("code", "name", "is_default", "contact_link_enabled", "show_sub_logos")
    search_fields = ("code", "name")

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Group the fields; the colour pickers are made by the form and so are named here."""
        return (
            (None, {"fields": ("code", "name", "is_default", "host_lines", "logo")}),
            ("Links", {"fields": ("terms_url", "privacy_url", "help_centre_url")}),
            ("Shown", {"fields": ("contact_link_enabled", "show_sub_logos")}),
            ("Colours", {"fields": tuple(COLOUR_FIELDS)}),
        )

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        """Give the form as it is: the admin would look for the pickers among the model's columns."""
        return BrandForm


@admin.register(StreamingService)
class StreamingServiceAdmin(AnyModelAdmin):
    """Where each service is watched."""

    list_display = ("code", "name", "stream_url", "browse_url", "position")
    search_fields = ("code", "name")
