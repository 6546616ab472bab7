"""What operators set: the site, its brands, the streaming services."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from zoneinfo import available_timezones

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator, URLValidator
from django.db import models
from django.db.models import Q
from django.templatetags.static import static

from accounts.colours import default_colours, validate_colours
from accounts.links import allowed, validate_link

# The only codes that choose terms and privacy links (specification, section 1); compared without case.
KNOWN_CODES = ("faith-family", "gospel-TV", "kids")

# Where the pictures stand that operators uploaded, among the stored files and on the site.
UPLOADED = "pictures/"

_HTTPS = URLValidator(schemes=["https"])
_NOTICE_DAYS = (MinValueValidator(1), MaxValueValidator(60))
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
    if place.startswith(UPLOADED):
        return f"/{place}"
    return place if not place or place.startswith("https://") else static(place)


if TYPE_CHECKING:
    UrlField = models.URLField[str, str]
else:
    UrlField = models.URLField


class LinkField(UrlField):
    """An https address on a host that the portal may link to."""

    default_validators = [_HTTPS, validate_link]

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
    pause_offer_on = models.BooleanField(
        "pause offered on the cancel screen",
        default=True,
        help_text="Off: the cancel screen offers no pause; pausing itself stays possible.",
    )
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
    trial_notice_days = models.PositiveSmallIntegerField(
        "days before a trial ends",
        default=7,
        validators=_NOTICE_DAYS,
        help_text="When subscribers are told that it will be billed. 1 to 60.",
    )
    renewal_notice_days = models.PositiveSmallIntegerField(
        "days before a yearly renewal",
        default=30,
        validators=_NOTICE_DAYS,
        help_text="When subscribers are told that it will be billed. 1 to 60.",
    )

    class Meta:
        verbose_name_plural = "site settings"
        permissions = [("switch_offers", "Can switch offers on and off")]
        constraints = [models.CheckConstraint(condition=Q(id=1), name="site_settings_are_one_row")]

    def __str__(self) -> str:
        return "Site settings"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store the settings as the next version."""
        if not self._state.adding:
            self.version += 1
        super().save(*args, **kwargs)


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
    logo_dark = models.CharField(
        "logo for dark ground",
        max_length=300,
        blank=True,
        validators=[validate_picture],
        help_text="Empty: the logo stands on a light plate there.",
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
    def logo_dark_url(self) -> str:
        """The address of the logo for dark ground; empty when there is none."""
        return picture_url(self.logo_dark)

    @property
    def hero_url(self) -> str:
        """The address of the landing page's wide picture; empty for a code that is not one of the three."""
        drawn = next((code for code in KNOWN_CODES if code.casefold() == self.code.casefold()), None)
        return picture_url(f"portal/art/hero/{drawn}.svg") if drawn else ""

    @property
    def known(self) -> bool:
        """Whether the code is one of the three that have links of their own."""
        return self.code.casefold() in {code.casefold() for code in KNOWN_CODES}

    @property
    def terms_link(self) -> str:
        """The terms of service; empty for a code that is not one of the three (contract, rule 14)."""
        return allowed(self.terms_url) if self.known else ""

    @property
    def privacy_link(self) -> str:
        """The privacy policy; empty for a code that is not one of the three."""
        return allowed(self.privacy_url) if self.known else ""

    @property
    def help_centre_link(self) -> str:
        """The help centre's new-request page; empty for a code that is not one of the three."""
        return allowed(self.help_centre_url) if self.known else ""


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
    logo_dark = models.CharField(
        "logo for dark ground",
        max_length=300,
        blank=True,
        validators=[validate_picture],
        help_text="Empty: the logo stands on a light plate there.",
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

    @property
    def logo_dark_url(self) -> str:
        """The address of the logo for dark ground; empty when there is none."""
        return picture_url(self.logo_dark)

    @property
    def stream_link(self) -> str:
        """Where 'start streaming' leads; empty where the portal may not link to it."""
        return allowed(self.stream_url)

    @property
    def browse_link(self) -> str:
        """Where 'return to watching' leads; empty where the portal may not link to it."""
        return allowed(self.browse_url)
