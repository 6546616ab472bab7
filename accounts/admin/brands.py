"""Brands and streaming services: names, logos, colors and links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from accounts.admin.forms.picture_chooser import PictureChooser, picture_choices
from accounts.admin.forms.picture_form import PictureForm
from accounts.admin.forms.seen_rows import SeenRowAdmin
from accounts.brands.pictures import LOGO_SHAPE, PictureUpload, UploadedFile, check_logo_upload
from accounts.models import Brand, StreamingService
from accounts.models.brand_colors import (
    COLOR_TOKENS,
    HEX_COLOR,
    HOVER_ENDS,
    HOVER_MIX_SHARE,
    SURFACES,
    ContrastPair,
    contrast_failures,
    contrast_pairs,
    default_colors,
    validate_colors,
)
from accounts.models.site import validate_host_names

LOGO_FOLDER = "portal/art/brands/"
LOGO_FIELDS = ("logo", "logo_dark")
PATH_HELP = {
    "logo": "One of the portal's own, or an earlier upload; a new upload below takes its place.",
    "logo_dark": "Without one, the logo sits on a light plate.",
}
UPLOAD_HELP = (
    "SVG without scripts and links, or PNG, JPEG or WebP of at least 72 by 72 pixels; up to six times as wide as high, "
    "at most 256 KB. Mails show a PNG that is drawn of it. For an SVG with text they show the brand's name: turn text "
    "into paths."
)


class LogoForm(PictureForm):
    """A form with logos for light and dark backgrounds, each given by a path or uploaded."""

    pictures = LOGO_FIELDS
    shape = LOGO_SHAPE

    logo_upload = forms.FileField(label="Upload a logo", required=False, help_text=UPLOAD_HELP)
    logo_dark_upload = forms.FileField(
        label="Upload a logo for a dark background", required=False, help_text=UPLOAD_HELP
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in LOGO_FIELDS:
            if name in self.fields:  # not if the operator has view permission only
                stored = getattr(self.instance, name)
                choices = picture_choices(LOGO_FOLDER, stored=stored, is_required=self.fields[name].required)
                self.fields[name].widget = PictureChooser(choices=choices)
                self.fields[name].help_text = PATH_HELP[name]
        for field in self.fields.values():
            if isinstance(field, forms.URLField):
                field.widget.attrs["class"] = "vURLField"

    def check_upload(self, file: UploadedFile) -> PictureUpload:
        """Return a raster or SVG upload if it is valid. Raises ValidationError."""
        return check_logo_upload(file)


COLOR_LABELS = {"primary": "Primary", "onPrimary": "On primary", "accent": "Accent", "link": "Link"}
COLOR_HELP = {
    "primary": "Buttons, icons, the head of a mail. 3 to 1 on the page.",
    "onPrimary": "Text on primary. 4.5 to 1, also while a button is pointed at.",
    "accent": "The edge along the top of every page. 3 to 1 on the page.",
    "link": "Links. 4.5 to 1 on the page.",
}


def _color_field(token: str) -> forms.CharField:
    return forms.CharField(
        label=COLOR_LABELS[token],
        help_text=COLOR_HELP[token],
        widget=forms.TextInput(attrs={"type": "color"}),
    )


COLOR_FIELDS = {f"{scheme}_{token}": (scheme, token) for scheme in SURFACES for token in COLOR_TOKENS}


class BrandForm(LogoForm):
    """A brand with a color picker per token and one host name per line."""

    host_lines = forms.CharField(
        label="Host names",
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="One per line.",
    )

    class Meta:
        """Excludes the two columns that the form edits with its own fields."""

        model = Brand
        exclude = ("colours", "host_names")
        help_texts = {"is_default": "Used for host names that no brand lists. It replaces the default so far."}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        colors: Any = self.instance.colours or default_colors()
        for name, (scheme, token) in COLOR_FIELDS.items():
            self.fields[name] = _color_field(token)
            self.initial.setdefault(name, colors[scheme][token])
        self.initial.setdefault("host_lines", "\n".join(self.instance.host_names))

    def _get_validation_exclusions(self) -> set[str]:
        """Leave out that only one brand is the default: `BrandAdmin.save_model` ends that of the other."""
        return {*super()._get_validation_exclusions(), "is_default"}  # type: ignore[misc]  # the stubs leave it out

    def clean_host_lines(self) -> list[str]:
        """Return the host names. Raises ValidationError if one is invalid or belongs to another brand."""
        names = [line.strip().lower() for line in self.cleaned_data["host_lines"].splitlines() if line.strip()]
        validate_host_names(names)
        for other in Brand.objects.exclude(pk=self.instance.pk):
            taken = sorted({*names} & {*other.host_names})
            if taken:
                raise ValidationError(f"{other} has {', '.join(taken)} already.")
        return names

    def clean(self) -> dict[str, Any]:
        """Add an error to each picker whose color fails WCAG 2.2 AA."""
        cleaned = super().clean()
        colors: Any = {scheme: {} for scheme in SURFACES}
        for name, (scheme, token) in COLOR_FIELDS.items():
            colors[scheme][token] = cleaned.get(name)
        self._check_colors(colors)
        if _are_colors(colors):
            self.instance.colours = colors
        self.instance.host_names = cleaned.get("host_lines", [])
        return cleaned

    def _check_colors(self, colors: Any) -> None:
        try:
            validate_colors(colors)
        except ValidationError as error:
            if any(name in self.errors for name in COLOR_FIELDS) or not _are_colors(colors):
                self.add_error(None, error)
                return
            for failure in contrast_failures(colors):
                self.add_error(f"{failure.scheme}_{failure.token}", str(failure))


def _are_colors(colors: Any) -> bool:
    return all(HEX_COLOR.match(str(color)) for palette in colors.values() for color in palette.values())


@dataclass(frozen=True)
class ColorPreview:
    """What the form shows of one scheme: the surface of its pages, and its pairs of colors with their contrast."""

    scheme: str
    surface: str
    hover_end: str
    pairs: Sequence[ContrastPair]


def _preview_colors(colors: Any) -> list[ColorPreview]:
    """Return the previews of a brand's colors, which have passed the form's checks."""
    pairs = list(contrast_pairs(colors))
    return [
        ColorPreview(scheme, surface, HOVER_ENDS[scheme], [pair for pair in pairs if pair.scheme == scheme])
        for scheme, surface in SURFACES.items()
    ]


class LogoAdmin(SeenRowAdmin):
    """An admin whose form has logos."""

    change_form_template = "admin/accounts/logo_form.html"

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Store the uploaded logos, then the row that refers to them."""
        form.store_uploads()
        super().save_model(request, obj, form, change)

    @admin.display(description="logo")
    def logo_shown(self, obj: Brand | StreamingService) -> SafeString:
        """Return the logo as an image."""
        logos = [(obj.logo_url,)] if obj.logo else []
        return format_html_join("", '<img src="{}" height="24" alt="">', logos)


@admin.register(Brand)
class BrandAdmin(LogoAdmin):
    """The brands."""

    form = BrandForm
    list_display = (
        "code",
        "name",
        "logo_shown",
        "hosts",
        "is_default",
    )
    search_fields = ("code", "name")
    change_form_template = "admin/accounts/brand/change_form.html"
    fieldsets: ClassVar[Any] = (
        (None, {"fields": ("code", "name", "is_default", "host_lines")}),
        ("Logos", {"fields": ("logo", "logo_upload", "logo_dark", "logo_dark_upload")}),
        ("Links", {"fields": ("terms_url", "privacy_url", "help_centre_url")}),
        ("Shown", {"fields": ("contact_link_enabled", "show_sub_logos")}),
        *(
            (f"Colors, {scheme}", {"fields": tuple(f"{scheme}_{token}" for token in COLOR_TOKENS)})
            for scheme in SURFACES
        ),
    )

    def save_model(self, request: HttpRequest, obj: Brand, form: Any, change: bool) -> None:
        """Store the brand; the default brand so far is none any more if this one becomes it."""
        if obj.is_default:
            Brand.objects.filter(is_default=True).exclude(pk=obj.pk).update(is_default=False)
        super().save_model(request, obj, form, change)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Render the form with a preview of the stored colors, which a script keeps to those that are chosen."""
        brand: Brand | None = context.get("original")
        colors: Any = (brand.colours if brand else None) or default_colors()
        extra = {"previews": _preview_colors(colors), "hover_share": HOVER_MIX_SHARE}
        return super().render_change_form(request, {**context, **extra}, *args, **kwargs)

    @admin.display(description="host names")
    def hosts(self, brand: Brand) -> str:
        """Return the host names, separated by commas."""
        return ", ".join(brand.host_names)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        """Return the form unchanged, because the admin would look for the pickers among the model's fields."""
        return BrandForm


@admin.register(StreamingService)
class StreamingServiceAdmin(LogoAdmin):
    """The streaming services."""

    form = LogoForm
    list_display = ("code", "name", "logo_shown", "stream_url", "browse_url", "position")
    search_fields = ("code", "name")
    fields = (
        "code",
        "name",
        "summary",
        "position",
        "stream_url",
        "browse_url",
        "logo",
        "logo_upload",
        "logo_dark",
        "logo_dark_upload",
    )
