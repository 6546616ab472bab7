"""What operators set: the site, its brands, the streaming services."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from zoneinfo import available_timezones

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator, URLValidator
from django.db import models
from django.db.models import Q
from django.templatetags.static import static

from accounts.colours import default_colours, validate_colours

# The only codes that choose terms and privacy links (specification, section 1); compared without case.
KNOWN_CODES = ("faith-family", "gospel-TV", "kids")

_HTTPS = URLValidator(schemes=["https"])
_PATH = RegexValidator(
    r"\A[A-Za-z0-9_][A-Za-z0-9_./-]*\Z", "Enter a path below the static files, or an https address."
)


def validate_time_zone(name: str) -> None:
    """Refuse a name that the IANA database does not have."""
    if name not in available_timezones():
        raise ValidationError("%(name)s is not an IANA time zone.", params={"name": name})


def validate_picture(place: str) -> None:
    """Accept a static file's path or an https address, and nothing that leaves the static files."""
    if place.startswith("https://"):
        _HTTPS(place)
        return
    _PATH(place)
    if ".." in place:
        raise ValidationError("A path may not lead out of the static files.")


def validate_host_names(names: object) -> None:
    """Accept a list of host names in lower case, without ports."""
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValidationError("Enter a list of host names.")
    for name in names:
        RegexValidator(r"\A[a-z0-9]([a-z0-9.-]*[a-z0-9])?\Z", f"{name!r} is not a host name in lower case.")(
            name
        )


def picture_url(place: str) -> str:
    """Give the address of a picture that `validate_picture` accepted; empty stays empty."""
    return place if not place or place.startswith("https://") else static(place)


if TYPE_CHECKING:
    UrlField = models.URLField[str, str]
else:
    UrlField = models.URLField


class LinkField(UrlField):
    """An https address, the only kind that the portal links to."""

    default_validators = [_HTTPS]

    def formfield(self, *args: Any, **kwargs: Any) -> Any:
        """Give a form field that reads an address without a scheme as https."""
        return super().formfield(*args, **{"assume_scheme": "https", **kwargs})


class SiteSettings(models.Model):
    """The one row of settings that operators change without a deploy.

    `version` grows with each change, so that a document built from the settings can tell that it is out of
    date.
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    version = models.PositiveIntegerField(default=1, editable=False)
    enable_cancel_button = models.BooleanField(
        default=True, help_text="Off: the cancel button is hidden, and the call is refused."
    )
    free_month_on = models.BooleanField("free month offered", default=False)
    support_widget_label = models.CharField(max_length=60, blank=True)
    support_widget_url = LinkField(blank=True, help_text="Empty: no support widget is drawn.")
    seller_name = models.CharField(
        max_length=120, blank=True, help_text="Who invoices are from. Empty: the brand's name."
    )
    seller_address = models.TextField(
        max_length=500, blank=True, help_text="As printed on invoices, a line each."
    )
    seller_tax_id = models.CharField("seller's tax number", max_length=60, blank=True)
    time_zone = models.CharField(
        max_length=64,
        default="America/New_York",
        validators=[validate_time_zone],
        help_text="The nightly resumes run in this zone, and mails tell dates in it.",
    )

    class Meta:
        verbose_name_plural = "site settings"
        constraints = [models.CheckConstraint(condition=Q(id=1), name="site_settings_are_one_row")]

    def __str__(self) -> str:
        return "Site settings"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store the settings as the next version."""
        if not self._state.adding:
            self.version += 1
        super().save(*args, **kwargs)

    @property
    def support_widget(self) -> dict[str, str] | None:
        """The support widget's text and address, or None while operators have set none."""
        if not self.support_widget_url:
            return None
        return {"text": self.support_widget_label or "Help", "url": self.support_widget_url}


class Brand(models.Model):
    """How the portal looks and where it links to, on some of its host names."""

    code = models.CharField(max_length=40, unique=True)
    name = models.CharField(max_length=80)
    host_names = models.JSONField(default=list, blank=True, validators=[validate_host_names])
    is_default = models.BooleanField(default=False, help_text="Serves every host name that no brand claims.")
    logo = models.CharField(
        max_length=300,
        blank=True,
        validators=[validate_picture],
        help_text="A static file's path, or an https address.",
    )
    colours = models.JSONField(default=default_colours, validators=[validate_colours])
    terms_url = LinkField("terms of service", blank=True)
    privacy_url = LinkField("privacy policy", blank=True)
    help_centre_url = LinkField("help centre, new request", blank=True)
    contact_link_enabled = models.BooleanField("'Contact Customer Service' shown", default=True)
    show_sub_logos = models.BooleanField("row of the three brands shown", default=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["is_default"], condition=Q(is_default=True), name="one_default_brand"
            )
        ]

    def __str__(self) -> str:
        return self.name or self.code

    @property
    def logo_url(self) -> str:
        """The logo's address; empty when there is none."""
        return picture_url(self.logo)

    @property
    def known(self) -> bool:
        """Whether the code is one of the three that have links of their own."""
        return self.code.casefold() in {code.casefold() for code in KNOWN_CODES}

    @property
    def terms_link(self) -> str:
        """The terms of service; empty for a code that is not one of the three (contract, rule 14)."""
        return self.terms_url if self.known else ""

    @property
    def privacy_link(self) -> str:
        """The privacy policy; empty for a code that is not one of the three."""
        return self.privacy_url if self.known else ""

    @property
    def help_centre_link(self) -> str:
        """The help centre's new-request page; empty for a code that is not one of the three."""
        return self.help_centre_url if self.known else ""


class StreamingService(models.Model):
    """One of the three streaming services and where it is watched."""

    code = models.CharField(max_length=40, unique=True)
    name = models.CharField(max_length=80)
    logo = models.CharField(
        max_length=300,
        blank=True,
        validators=[validate_picture],
        help_text="A static file's path, or an https address.",
    )
    stream_url = LinkField("where 'start streaming' leads")
    browse_url = LinkField("where 'return to watching' leads")
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["position", "id"]

    def __str__(self) -> str:
        return self.name

    @property
    def logo_url(self) -> str:
        """The logo's address; empty when there is none."""
        return picture_url(self.logo)
