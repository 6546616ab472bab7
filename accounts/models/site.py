"""What operators configure: the site, its brands and the streaming services."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from zoneinfo import available_timezones

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator, URLValidator
from django.db import models
from django.db.models import Q
from django.templatetags.static import static

from accounts.models.brand_colors import default_colors, validate_colors
from accounts.models.link_policy import allowed_link, validate_link

# Only these brands have terms, privacy and help links. Compared case-insensitively.
KNOWN_BRAND_CODES = ("faith-family", "gospel-TV", "kids")

# Uploaded pictures have this prefix both in the file storage and in their URL.
UPLOADS_PREFIX = "pictures/"

_validate_https_url = URLValidator(schemes=["https"])
_NOTICE_DAYS_VALIDATORS = (MinValueValidator(1), MaxValueValidator(60))
_validate_static_path = RegexValidator(
    r"\A[A-Za-z0-9_][A-Za-z0-9_./-]*\Z", "Enter a path below the static files, or an https address."
)


def validate_time_zone(name: str) -> None:
    """Raise ValidationError if the name is not in the IANA database."""
    if name not in available_timezones():
        raise ValidationError("%(name)s is not an IANA time zone.", params={"name": name})


def validate_picture(path: str) -> None:
    """Raise ValidationError unless this is an https URL or a path below the static files."""
    if path.startswith("https://"):
        _validate_https_url(path)
        return
    _validate_static_path(path)
    if ".." in path:
        raise ValidationError("A path may not lead out of the static files.")


def validate_host_names(names: object) -> None:
    """Raise ValidationError unless this is a list of host names in lower case, without ports."""
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValidationError("Enter a list of host names.")
    for name in names:
        RegexValidator(r"\A[a-z0-9]([a-z0-9.-]*[a-z0-9])?\Z", f"{name!r} is not a host name in lower case.")(name)


def picture_url(path: str) -> str:
    """Return the URL of a picture that `validate_picture` accepted; empty if the path is."""
    if path.startswith(UPLOADS_PREFIX):
        return f"/{path}"
    return path if not path or path.startswith("https://") else static(path)


if TYPE_CHECKING:
    UrlField = models.URLField[str, str]
else:
    UrlField = models.URLField


class LinkField(UrlField):
    """An https URL on a host that the portal may link to."""

    default_validators = [_validate_https_url, validate_link]

    def formfield(self, *args: Any, **kwargs: Any) -> Any:
        """Return a form field that assumes https for a URL without a scheme."""
        return super().formfield(*args, **{"assume_scheme": "https", **kwargs})


class SiteSettings(models.Model):
    """The settings, a single row, that operators change without a deployment.

    `version` increases with each change, so that a document built from the settings can tell that it is out of date.
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    version = models.PositiveIntegerField(default=1, editable=False)
    enable_cancel_button = models.BooleanField(
        default=True, help_text="If off, the cancel button is hidden and cancellations are refused."
    )
    free_month_on = models.BooleanField("free month offered", default=False)
    pause_offer_on = models.BooleanField(
        "pause offered on the cancel screen",
        default=True,
        help_text="If off, the cancel screen offers no pause. Subscribers can still pause.",
    )
    seller_name = models.CharField(
        max_length=120, blank=True, help_text="The seller on invoices. If empty, the brand's name."
    )
    seller_address = models.TextField(max_length=500, blank=True, help_text="As printed on invoices, one per line.")
    seller_tax_id = models.CharField("seller's tax number", max_length=60, blank=True)
    time_zone = models.CharField(
        max_length=64,
        default="America/New_York",
        validators=[validate_time_zone],
        help_text="The time zone for nightly resumes and for dates in emails.",
    )
    trial_notice_days = models.PositiveSmallIntegerField(
        "days before a trial ends",
        default=7,
        validators=_NOTICE_DAYS_VALIDATORS,
        help_text="When we email subscribers about the upcoming bill. 1 to 60.",
    )
    renewal_notice_days = models.PositiveSmallIntegerField(
        "days before a yearly renewal",
        default=30,
        validators=_NOTICE_DAYS_VALIDATORS,
        help_text="When we email subscribers about the upcoming bill. 1 to 60.",
    )

    class Meta:
        verbose_name_plural = "site settings"
        permissions = [("switch_offers", "Can switch offers on and off")]
        constraints = [models.CheckConstraint(condition=Q(id=1), name="site_settings_are_one_row")]

    def __str__(self) -> str:
        return "Site settings"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store the settings and increase their version."""
        if not self._state.adding:
            self.version += 1
        super().save(*args, **kwargs)


class Brand(models.Model):
    """The look and the links of the portal on some of its host names."""

    code = models.CharField(max_length=40, unique=True)
    name = models.CharField(max_length=80)
    host_names = models.JSONField(default=list, blank=True, validators=[validate_host_names])
    is_default = models.BooleanField(default=False, help_text="Used for host names that no brand lists.")
    logo = models.CharField(
        max_length=300,
        blank=True,
        validators=[validate_picture],
        help_text="A static file's path, or an https address.",
    )
    logo_dark = models.CharField(
        "logo for dark background",
        max_length=300,
        blank=True,
        validators=[validate_picture],
        help_text="If empty, the logo sits on a light plate.",
    )
    colours = models.JSONField(default=default_colors, validators=[validate_colors])
    terms_url = LinkField("terms of service", blank=True)
    privacy_url = LinkField("privacy policy", blank=True)
    help_centre_url = LinkField("help center, new request", blank=True)
    contact_link_enabled = models.BooleanField("'Contact Customer Service' shown", default=True)
    show_sub_logos = models.BooleanField("row of the three brands shown", default=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["is_default"], condition=Q(is_default=True), name="one_default_brand")
        ]

    def __str__(self) -> str:
        return self.name or self.code

    @property
    def logo_url(self) -> str:
        """The logo's URL, empty if there is none."""
        return picture_url(self.logo)

    @property
    def logo_dark_url(self) -> str:
        """The URL of the logo for dark backgrounds, empty if there is none."""
        return picture_url(self.logo_dark)

    @property
    def hero_url(self) -> str:
        """The URL of the landing page's hero picture, empty for an unknown code."""
        known_code = next((code for code in KNOWN_BRAND_CODES if code.casefold() == self.code.casefold()), None)
        return picture_url(f"portal/art/hero/{known_code}.svg") if known_code else ""

    @property
    def has_known_code(self) -> bool:
        """Whether this is one of `KNOWN_BRAND_CODES`, which have links."""
        return self.code.casefold() in {code.casefold() for code in KNOWN_BRAND_CODES}

    @property
    def terms_link(self) -> str:
        """The terms of service, empty for an unknown code (docs/rules.md, rule 14)."""
        return allowed_link(self.terms_url) if self.has_known_code else ""

    @property
    def privacy_link(self) -> str:
        """The privacy policy, empty for an unknown code."""
        return allowed_link(self.privacy_url) if self.has_known_code else ""

    @property
    def help_centre_link(self) -> str:
        """The help center's new-request page, empty for an unknown code."""
        return allowed_link(self.help_centre_url) if self.has_known_code else ""


class StreamingService(models.Model):
    """A streaming service and the pages where it is watched."""

    code = models.CharField(max_length=40, unique=True)
    name = models.CharField(max_length=80)
    logo = models.CharField(
        max_length=300,
        blank=True,
        validators=[validate_picture],
        help_text="A static file's path, or an https address.",
    )
    logo_dark = models.CharField(
        "logo for dark background",
        max_length=300,
        blank=True,
        validators=[validate_picture],
        help_text="If empty, the logo sits on a light plate.",
    )
    summary = models.CharField(
        max_length=120, blank=True, help_text="A line about what can be watched, shown to those who may subscribe."
    )
    stream_url = LinkField("'start streaming' link")
    browse_url = LinkField("'return to watching' link")
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["position", "id"]

    def __str__(self) -> str:
        return self.name

    @property
    def logo_url(self) -> str:
        """The logo's URL, empty if there is none."""
        return picture_url(self.logo)

    @property
    def logo_dark_url(self) -> str:
        """The URL of the logo for dark backgrounds, empty if there is none."""
        return picture_url(self.logo_dark)

    @property
    def stream_link(self) -> str:
        """Where 'start streaming' leads, empty if the portal may not link there."""
        return allowed_link(self.stream_url)

    @property
    def browse_link(self) -> str:
        """Where 'return to watching' leads, empty if the portal may not link there."""
        return allowed_link(self.browse_url)
