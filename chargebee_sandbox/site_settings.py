"""What a merchant chooses for a site: a row of the database, whose defaults are those of the environment.

``load_settings()`` returns the row, or the environment's defaults as long as nothing was changed. ``start_afresh``
keeps the row, as it keeps a real site's configuration.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar
from zoneinfo import ZoneInfo, available_timezones

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from chargebee_sandbox import settings
from chargebee_sandbox.row_lookup import find_row


class DunningEnd(models.TextChoices):
    """What becomes of a subscription when the last retry of its invoice fails."""

    KEEP = "keep", "stays as it is"
    CANCEL = "cancel", "is canceled as not paid"
    PAUSE = "pause", "is paused"


class CardGateway(models.TextChoices):
    """The gateway that stores new cards."""

    CHARGEBEE = "chargebee", "Chargebee test gateway"
    STRIPE = "stripe", "Stripe"
    BRAINTREE = "braintree", "Braintree"
    AUTHORIZE_NET = "authorize_net", "Authorize.net"
    WORLDPAY = "worldpay", "Worldpay"
    ADYEN = "adyen", "Adyen"
    CHECKOUT_COM = "checkout_com", "Checkout.com"


CARD_UPDATING_GATEWAYS = (
    *(CardGateway.CHARGEBEE, CardGateway.STRIPE, CardGateway.BRAINTREE),
    *(CardGateway.AUTHORIZE_NET, CardGateway.WORLDPAY),
)
"""The gateways at which, as documented, a card can be changed."""


def validate_time_zone(name: str) -> None:
    """Check the name of an IANA time zone. Raises: ValidationError."""
    if name not in available_timezones():
        raise ValidationError("Enter the name of a time zone, such as America/New_York.")


class SiteSettings(models.Model):
    """The only row of the site's settings; the help texts are those of the console's page."""

    objects: ClassVar[models.Manager[SiteSettings]] = models.Manager()

    dunning_retries = models.PositiveSmallIntegerField(
        "Retries of a failed payment",
        validators=[MinValueValidator(1), MaxValueValidator(30)],
        help_text="One a day.",
    )
    dunning_end = models.CharField(
        "After the last retry the subscription",
        max_length=10,
        choices=DunningEnd.choices,
        help_text="Its invoice is marked as not paid in any case.",
    )
    unpaid_changes = models.BooleanField(
        "Keep a change whose payment fails",
        help_text="Its invoice enters dunning. Otherwise the change is refused.",
    )
    unbilled_charges = models.BooleanField(
        "Add charges to the next invoice",
        help_text="Charges during a term wait as unbilled charges, unless a request asks for an invoice.",
    )
    card_gateway = models.CharField(
        "Gateway of new cards",
        max_length=20,
        choices=CardGateway.choices,
        help_text="Adyen and Checkout.com refuse update_card. All know the same test cards.",
    )
    tax_percent = models.FloatField(
        "Tax in percent",
        validators=[MinValueValidator(0), MaxValueValidator(100)],
        help_text="Added to every line.",
    )
    time_zone = models.CharField(
        "Time zone",
        max_length=50,
        validators=[validate_time_zone],
        help_text="Of the dates in the descriptions of prorated lines.",
    )
    billing_day = models.PositiveSmallIntegerField(
        "Day of the month that all are billed on",
        default=0,
        validators=[MaxValueValidator(31)],
        help_text="Calendar billing: terms of months and years end on it; the first is cut and prorated. 0 is off.",
    )
    consolidated_invoices = models.BooleanField(
        "One invoice for all that renews on a day",
        default=False,
        help_text="Of a customer's subscriptions with one currency and payment source.",
    )
    business_entity = models.CharField(
        "Business entity of new customers",
        max_length=50,
        blank=True,
        default="",
        help_text="Named by them and by all that is theirs, as on a site with several. Empty: a site with one.",
    )
    lock_wait_seconds = models.FloatField(
        "Wait for a lock in seconds",
        validators=[MinValueValidator(0), MaxValueValidator(60)],
        help_text="How long a write waits for another one of the same customer; then it is a 429 lock_timeout.",
    )

    def __str__(self) -> str:
        return "the site's settings"

    @property
    def zone(self) -> ZoneInfo:
        """The time zone."""
        return ZoneInfo(self.time_zone)


_BOOLEANS: dict[str, bool | str] = {"true": True, "false": False}
SETTING_NAMES = tuple(settings.SITE_DEFAULTS)


def default_settings() -> SiteSettings:
    """Return the settings of the environment. Raises: ValidationError for one that is not valid."""
    defaults = SiteSettings(pk=1, **settings.SITE_DEFAULTS)
    defaults.clean_fields()
    return defaults


def load_settings() -> SiteSettings:
    """Return the site's settings."""
    return find_row(SiteSettings, "id", 1) or SiteSettings(pk=1, **settings.SITE_DEFAULTS)


def change_settings(values: Mapping[str, str]) -> SiteSettings:
    """Change the named settings and return all. Raises: ValidationError, by name, also for an unknown one."""
    changed = load_settings()
    unknown = [name for name in values if name not in SETTING_NAMES]
    if unknown:
        raise ValidationError({name: ["There is no such setting."] for name in unknown})
    for name, value in values.items():
        setattr(changed, name, _BOOLEANS.get(value, value))
    changed.clean_fields()
    changed.save()
    return changed


def reset_settings() -> SiteSettings:
    """Return to the settings of the environment, and return them."""
    SiteSettings.objects.all().delete()
    return default_settings()
