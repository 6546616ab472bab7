"""What the endpoints of sign-in and of the site take and give."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from accounts.addresses import MAX_LENGTH, InvalidAddress, normalise_email


class AddressField(serializers.CharField):
    """An e-mail address, given on in its normalised spelling."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=MAX_LENGTH, trim_whitespace=False, **kwargs)

    def to_internal_value(self, data: Any) -> str:
        """Give the normalised address. Raises `serializers.ValidationError`."""
        try:
            return normalise_email(super().to_internal_value(data))
        except InvalidAddress as error:
            raise serializers.ValidationError(str(error)) from error


class SendOtpRequest(serializers.Serializer[Any]):
    """`challengeId`, when given, is the browser's own earlier challenge, which the new one replaces."""

    email = AddressField()
    challenge_id = serializers.UUIDField(required=False, allow_null=True, default=None)


class SendOtpResponse(serializers.Serializer[Any]):
    """The same for every address."""

    message = serializers.CharField()
    expires_in = serializers.IntegerField(help_text="Seconds for which the code is accepted.")
    resend_in = serializers.IntegerField(help_text="Seconds until another code may be asked for.")
    challenge_id = serializers.UUIDField()


class VerifyOtpRequest(serializers.Serializer[Any]):
    """Without `challengeId` the newest code of the address counts."""

    email = AddressField()
    otp = serializers.RegexField(
        r"\A[0-9]{6}\Z", error_messages={"invalid": "Enter the six digits of the code."}, max_length=20
    )
    challenge_id = serializers.UUIDField(required=False, allow_null=True, default=None)


class SignedInAccount(serializers.Serializer[Any]):
    """Whose session it is."""

    name = serializers.CharField(allow_blank=True)
    email = serializers.CharField()


class VerifyOtpResponse(serializers.Serializer[Any]):
    """The new session. The token is told once."""

    token = serializers.CharField()
    expires_at = serializers.DateTimeField()
    account = SignedInAccount()


class PaletteSerializer(serializers.Serializer[Any]):
    """A brand's tokens in one scheme, as `#rrggbb`."""

    primary = serializers.CharField()
    on_primary = serializers.CharField(source="onPrimary")
    accent = serializers.CharField()
    link = serializers.CharField()


class ColorsSerializer(serializers.Serializer[Any]):
    """A brand's tokens in both schemes."""

    light = PaletteSerializer()
    dark = PaletteSerializer()


class BrandSerializer(serializers.Serializer[Any]):
    """How the portal looks on this host name; an empty link is not drawn."""

    code = serializers.CharField()
    name = serializers.CharField()
    logo_url = serializers.CharField()
    colors = ColorsSerializer(source="colours")
    terms_url = serializers.SerializerMethodField()
    privacy_url = serializers.SerializerMethodField()
    help_centre_url = serializers.SerializerMethodField()
    contact_link_enabled = serializers.BooleanField()
    show_sub_logos = serializers.BooleanField()

    def get_terms_url(self, brand: Any) -> str:
        """Give the terms of service, if the brand has its own."""
        return str(brand.link(brand.terms_url))

    def get_privacy_url(self, brand: Any) -> str:
        """Give the privacy policy, if the brand has its own."""
        return str(brand.link(brand.privacy_url))

    def get_help_centre_url(self, brand: Any) -> str:
        """Give the help centre's new-request page, if the brand has its own."""
        return str(brand.link(brand.help_centre_url))


class ServiceSerializer(serializers.Serializer[Any]):
    """A streaming service and where it is watched."""

    id = serializers.CharField(source="code")
    name = serializers.CharField()
    logo_url = serializers.CharField()
    stream_url = serializers.CharField()
    browse_url = serializers.CharField()


class SupportWidgetSerializer(serializers.Serializer[Any]):
    """The support widget: a link to help and its text."""

    text = serializers.CharField(source="support_widget_label")
    url = serializers.CharField(source="support_widget_url")


class SiteSerializer(serializers.Serializer[Any]):
    """`siteName` and `publishableKey` start the provider's script."""

    site_name = serializers.SerializerMethodField()
    publishable_key = serializers.SerializerMethodField()
    enable_cancel_button = serializers.BooleanField(source="settings.enable_cancel_button")
    chargebee_js_url = serializers.SerializerMethodField()
    support_widget = serializers.SerializerMethodField()
    time_zone = serializers.CharField(source="settings.time_zone")
    brand = BrandSerializer()
    services = ServiceSerializer(many=True)

    def get_site_name(self, _site: Any) -> str:
        """Give the provider's site."""
        return str(settings.CHARGEBEE_SITE)

    def get_publishable_key(self, _site: Any) -> str:
        """Give the key that is meant for browsers."""
        return str(settings.CHARGEBEE_PUBLISHABLE_KEY)

    def get_chargebee_js_url(self, _site: Any) -> str:
        """Give the address of the provider's script."""
        return str(settings.CHARGEBEE_JS_URL)

    @extend_schema_field(SupportWidgetSerializer(allow_null=True))
    def get_support_widget(self, site: Any) -> dict[str, Any] | None:
        """Give the widget, or null while operators have set none."""
        if not site["settings"].support_widget_url:
            return None
        return dict(SupportWidgetSerializer(site["settings"]).data)
