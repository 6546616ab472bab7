"""Serializers of the endpoints for sign-in and for the site."""

from __future__ import annotations

from typing import Any

from django.core.validators import RegexValidator
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from core.email_addresses import MAX_LENGTH, InvalidAddress, normalize_email
from core.fields import StrictCharField, StrictUuidField

SIX_DIGITS_MESSAGE = "Enter the six-digit code."


@extend_schema_field({"type": "string", "format": "email", "maxLength": MAX_LENGTH})
class AddressField(StrictCharField):
    """An email address, which is normalized."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=MAX_LENGTH, trim_whitespace=False, **kwargs)

    def to_internal_value(self, data: Any) -> str:
        """Return the normalized address. Raises `serializers.ValidationError`."""
        try:
            return normalize_email(super().to_internal_value(data))
        except InvalidAddress as error:
            raise serializers.ValidationError(str(error)) from error


class SendOtpSerializer(serializers.Serializer[Any]):
    """`challengeId` is the browser's previous challenge, if any, which the new one replaces."""

    email = AddressField()
    challenge_id = StrictUuidField(required=False, allow_null=True, default=None)


class CodeSentSerializer(serializers.Serializer[Any]):
    """The response, which is the same for every address."""

    message = serializers.CharField()
    expires_in = serializers.IntegerField(help_text="Seconds for which the code is accepted.")
    resend_in = serializers.IntegerField(help_text="Seconds until another code may be asked for.")
    challenge_id = serializers.UUIDField()


class VerifyOtpSerializer(serializers.Serializer[Any]):
    """Without `challengeId`, the newest code of the address is verified."""

    email = AddressField()
    otp = StrictCharField(
        max_length=20,
        validators=[RegexValidator(r"\A[0-9]{6}\Z", SIX_DIGITS_MESSAGE)],
        error_messages={"invalid": SIX_DIGITS_MESSAGE},
    )
    challenge_id = StrictUuidField(required=False, allow_null=True, default=None)


class SignedInAccountSerializer(serializers.Serializer[Any]):
    """The account of the new session."""

    name = serializers.CharField(allow_blank=True)
    email = serializers.CharField()


class SessionSerializer(serializers.Serializer[Any]):
    """The new session. The token is returned only here."""

    token = serializers.CharField()
    expires_at = serializers.DateTimeField()
    account = SignedInAccountSerializer()


class PaletteSerializer(serializers.Serializer[Any]):
    """A brand's colors in one scheme, as `#rrggbb`."""

    primary = serializers.CharField()
    on_primary = serializers.CharField(source="onPrimary")
    accent = serializers.CharField()
    link = serializers.CharField()


class ColorsSerializer(serializers.Serializer[Any]):
    """A brand's colors in both schemes."""

    light = PaletteSerializer()
    dark = PaletteSerializer()


class BrandSerializer(serializers.Serializer[Any]):
    """The brand of this host name. An empty link is not shown."""

    code = serializers.CharField()
    name = serializers.CharField()
    logo_url = serializers.CharField()
    logo_dark_url = serializers.CharField(help_text="For dark backgrounds; empty if there is none.")
    hero_url = serializers.CharField(help_text="The landing page's hero picture; empty if there is none.")
    colors = ColorsSerializer(source="colours")
    terms_url = serializers.CharField(source="terms_link")
    privacy_url = serializers.CharField(source="privacy_link")
    help_centre_url = serializers.CharField(source="help_centre_link")
    contact_link_enabled = serializers.BooleanField()
    show_sub_logos = serializers.BooleanField()


class ServiceSerializer(serializers.Serializer[Any]):
    """A streaming service and the pages where it is watched."""

    id = serializers.CharField(source="code")
    name = serializers.CharField()
    logo_url = serializers.CharField()
    logo_dark_url = serializers.CharField(help_text="For dark backgrounds; empty if there is none.")
    summary = serializers.CharField(help_text="A line about what can be watched; empty if operators wrote none.")
    stream_url = serializers.CharField(source="stream_link")
    browse_url = serializers.CharField(source="browse_link")


class SupportWidgetSerializer(serializers.Serializer[Any]):
    """The URL of the support widget's script."""

    script_url = serializers.CharField()


class SiteSerializer(serializers.Serializer[Any]):
    """The site. `siteName` and `publishableKey` start Chargebee.js; dates are shown in `timeZone`.

    `clockOffset` is how many seconds the billing clock is ahead of real time: 0 in production.
    """

    site_name = serializers.CharField()
    publishable_key = serializers.CharField()
    enable_cancel_button = serializers.BooleanField(source="settings.enable_cancel_button")
    pause_offer_on = serializers.BooleanField(source="settings.pause_offer_on")
    chargebee_js_url = serializers.CharField()
    paypal_offered = serializers.BooleanField(help_text="Whether a PayPal account can be added.")
    support_widget = SupportWidgetSerializer(allow_null=True)
    time_zone = serializers.CharField(source="settings.time_zone")
    clock_offset = serializers.IntegerField()
    brand = BrandSerializer()
    services = ServiceSerializer(many=True)
