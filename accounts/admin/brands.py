"""Brands and services: names, logos that are checked, colours that can be read, links that are allowed."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AdminTextInputWidget
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from accounts.admin.picture_form import PictureForm
from accounts.admin.read_only import AnyModelAdmin
from accounts.colours import SURFACES, TOKENS, default_colours, validate_colours, weaknesses
from accounts.models import Brand, StreamingService
from accounts.models.site import validate_host_names
from accounts.pictures import LOGO, Upload, UploadedFile, checked_logo

LOGOS = ("logo", "logo_dark")
PLACE_HELP = {
    "logo": "A path below the portal's static files; an upload below takes its place.",
    "logo_dark": "Empty: the logo stands on a light plate there.",
}
UPLOAD_HELP = (
    "SVG without scripts and links, or PNG, JPEG or WebP of at least 72 by 72 pixels; up to six times as wide as high, "
    "at most 256 KB."
)


class LogoForm(PictureForm):
    """Something with a logo for light and one for dark ground, each named or uploaded."""

    pictures = LOGOS
    shape = LOGO

    logo_upload = forms.FileField(label="Upload a logo", required=False, help_text=UPLOAD_HELP)
    logo_dark_upload = forms.FileField(
        label="Upload a logo for dark ground", required=False, help_text=UPLOAD_HELP
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in LOGOS:
            if name in self.fields:  # not for who may only look
                self.fields[name].widget = AdminTextInputWidget(attrs={"class": "vLargeTextField"})
                self.fields[name].help_text = PLACE_HELP[name]
        for field in self.fields.values():
            if isinstance(field, forms.URLField):
                field.widget.attrs["class"] = "vURLField"

    def check_upload(self, file: UploadedFile) -> Upload:
        """Take a drawing too. Raises ValidationError."""
        return checked_logo(file)


COLOUR_LABELS = {"primary": "Primary", "onPrimary": "On primary", "accent": "Accent", "link": "Link"}
COLOUR_HELP = {
    "primary": "Buttons, icons, the head of a mail. 3 to 1 on the page.",
    "onPrimary": "Text on primary. 4.5 to 1, also while a button is pointed at.",
    "accent": "The edge along the top of every page. 3 to 1 on the page.",
    "link": "Links. 4.5 to 1 on the page.",
}


def _colour_field(token: str) -> forms.CharField:
    return forms.CharField(
        label=COLOUR_LABELS[token],
        help_text=COLOUR_HELP[token],
        widget=forms.TextInput(attrs={"type": "color"}),
    )


COLOUR_FIELDS = {f"{scheme}_{token}": (scheme, token) for scheme in SURFACES for token in TOKENS}


class BrandForm(LogoForm):
    """A brand with a colour picker per token and its host names one per line."""

    host_lines = forms.CharField(
        label="Host names",
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
            self.fields[name] = _colour_field(token)
            self.initial.setdefault(name, colours[scheme][token])
        self.initial.setdefault("host_lines", "\n".join(self.instance.host_names))

    def clean_host_lines(self) -> list[str]:
        """Give the host names, each checked, and none that another brand has."""
        names = [
            line.strip().lower() for line in self.cleaned_data["host_lines"].splitlines() if line.strip()
        ]
        validate_host_names(names)
        for other in Brand.objects.exclude(pk=self.instance.pk):
            taken = sorted({*names} & {*other.host_names})
            if taken:
                raise ValidationError(f"{other} has {', '.join(taken)} already.")
        return names

    def clean(self) -> dict[str, Any]:
        """Refuse colours that cannot be read (WCAG 2.2 AA), beside each picker that would have to change."""
        cleaned = super().clean()
        colours: Any = {scheme: {} for scheme in SURFACES}
        for name, (scheme, token) in COLOUR_FIELDS.items():
            colours[scheme][token] = cleaned.get(name)
        self._check_colours(colours)
        self.instance.colours = colours
        self.instance.host_names = cleaned.get("host_lines", [])
        return cleaned

    def _check_colours(self, colours: Any) -> None:
        try:
            validate_colours(colours)
        except ValidationError as error:
            if any(name in self.errors for name in COLOUR_FIELDS) or not _are_colours(colours):
                self.add_error(None, error)
                return
            for weak in weaknesses(colours):
                self.add_error(f"{weak.scheme}_{weak.token}", str(weak))


def _are_colours(colours: Any) -> bool:
    try:
        weaknesses(colours)
    except (TypeError, ValueError):
        return False
    return True


class LogoAdmin(AnyModelAdmin):
    """Something with logos: what was uploaded is kept when the form is."""

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Store the logos, then what names them."""
        form.keep_uploads()
        super().save_model(request, obj, form, change)

    @admin.display(description="logo")
    def logo_shown(self, obj: Brand | StreamingService) -> SafeString:
        """Show the logo as it is."""
        shown = [(obj.logo_url,)] if obj.logo else []
        return format_html_join("", '<img src="{}" height="24" alt="">', shown)


@admin.register(Brand)
class BrandAdmin(LogoAdmin):
    """Names, logos, colours and links, per set of host names."""

    form = BrandForm
    list_display = (
        "code",
        "name",
        "logo_shown",
        "hosts",
        "is_default",
    )
    search_fields = ("code", "name")

    @admin.display(description="host names")
    def hosts(self, brand: Brand) -> str:
        """List the host names."""
        return ", ".join(brand.host_names)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Group the fields; the colour pickers are made by the form and so are named here."""
        return (
            (None, {"fields": ("code", "name", "is_default", "host_lines")}),
            ("Logos", {"fields": ("logo", "logo_upload", "logo_dark", "logo_dark_upload")}),
            ("Links", {"fields": ("terms_url", "privacy_url", "help_centre_url")}),
            ("Shown", {"fields": ("contact_link_enabled", "show_sub_logos")}),
            *(
                (
                    f"Colours, {scheme}",
                    {"fields": tuple(name for name, (of, _) in COLOUR_FIELDS.items() if of == scheme)},
                )
                for scheme in SURFACES
            ),
        )

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        """Give the form as it is: the admin would look for the pickers among the model's columns."""
        return BrandForm


@admin.register(StreamingService)
class StreamingServiceAdmin(LogoAdmin):
    """Where each service is watched."""

    form = LogoForm
    list_display = ("code", "name", "logo_shown", "stream_url", "browse_url", "position")
    search_fields = ("code", "name")
    fields = (
        "code",
        "name",
        "position",
        "stream_url",
        "browse_url",
        "logo",
        "logo_upload",
        "logo_dark",
        "logo_dark_upload",
    )
