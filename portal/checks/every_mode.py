"""Settings that are wrong in every mode, the demo's too."""

from __future__ import annotations

from collections.abc import Sequence
from email.utils import getaddresses
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Tags, register
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from portal.checks.messages import (
    DOMAIN,
    LOOPBACK,
    SCRIPT_ADDRESS,
    SITE_NAME,
    public_suffixes,
    setting_error,
    setting_warning,
)


@register(Tags.security)
def check_endpoint_scheme(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse to send the API key to another machine over plain http."""
    endpoint = urlsplit(settings.CHARGEBEE_ENDPOINT)
    if settings.CHARGEBEE_ENDPOINT and endpoint.scheme != "https" and endpoint.hostname not in LOOPBACK:
        return [setting_error(16, "CHARGEBEE_ENDPOINT is plain http to another machine.", "Use https.")]
    return []


@register(Tags.security)
def check_provider_script_origin(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse a provider's script that is not https or whose host could be a pattern."""
    address = settings.CHARGEBEE_JS_URL
    if not SCRIPT_ADDRESS.fullmatch(address):
        return [setting_error(20, "CHARGEBEE_JS_URL is not the address of a script on one host.", "Spell it out.")]
    if urlsplit(address).scheme != "https" and urlsplit(address).hostname not in LOOPBACK:
        return [setting_error(21, "CHARGEBEE_JS_URL is plain http on another machine.", "Use https.")]
    return []


@register(Tags.security)
def check_site_name(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse a site whose address `https://<site>.chargebee.com` could be a pattern or another host."""
    if SITE_NAME.fullmatch(settings.CHARGEBEE_SITE):
        return []
    return [setting_error(27, "CHARGEBEE_SITE is not the name of a site.", "acme, if it is acme.chargebee.com.")]


@register(Tags.security)
def check_support_widget_origin(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse a widget's script that is not https or whose host could be a pattern."""
    address = settings.SUPPORT_WIDGET_URL
    if address and not SCRIPT_ADDRESS.fullmatch(address):
        return [setting_error(23, "SUPPORT_WIDGET_URL is not the address of a script on one host.", "Spell it out.")]
    if address and urlsplit(address).scheme != "https" and urlsplit(address).hostname not in LOOPBACK:
        return [setting_error(24, "SUPPORT_WIDGET_URL is plain http on another machine.", "Use https.")]
    return []


@register(Tags.security)
def check_link_domains(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse an entry such as `com` or `co.uk` that would allow links to strangers' domains."""
    if not all(DOMAIN.fullmatch(domain) for domain in settings.LINK_DOMAINS):
        return [setting_error(25, "LINK_DOMAINS holds what is no domain.", "Name domains: example.com,example.org.")]
    if suffixes := public_suffixes(settings.LINK_DOMAINS):
        text = f"LINK_DOMAINS names {', '.join(suffixes)}, below which anybody can have a domain."
        return [setting_error(36, text, "Name the brands' own domains: example.co.uk.")]
    return []


@register(Tags.security)
def check_mail_sender(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse a sender with a line break or without an address: every mail, sign-in codes too, would fail."""
    if _is_mail_address(settings.DEFAULT_FROM_EMAIL):
        return []
    return [
        setting_error(
            28, "DEFAULT_FROM_EMAIL is not one mail address.", "Example: Your subscriptions <no-reply@example.com>."
        )
    ]


def _is_mail_address(text: str) -> bool:
    addresses = getaddresses([text])
    if not text.isprintable() or len(addresses) != 1:
        return False
    try:
        validate_email(addresses[0][1])
    except ValidationError:
        return False
    return True


@register(Tags.security)
def check_webhook_username(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse a name that basic auth cannot carry, since no webhook would be accepted."""
    name = settings.CHARGEBEE_WEBHOOK_USERNAME
    if name and ":" not in name and name.isprintable():
        return []
    return [setting_error(29, "CHARGEBEE_WEBHOOK_USERNAME is empty or has a colon.", "Choose a plain name.")]


@register(Tags.security)
def check_security_contact(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse a contact that `/.well-known/security.txt` cannot name."""
    contact = settings.SECURITY_CONTACT
    scheme, _, rest = contact.partition(":")
    if not contact or (contact.isprintable() and rest.strip("/") and scheme in ("https", "mailto")):
        return []
    return [
        setting_error(35, "SECURITY_CONTACT is neither https:// nor mailto:.", "Example: mailto:security@acme.com.")
    ]


@register(Tags.security)
def check_trace_collector(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Warn of traces, and the collector's password with them, that go to another machine over plain http."""
    address = urlsplit(settings.OTEL_EXPORTER_OTLP_ENDPOINT)
    if address.scheme == "http" and address.hostname not in LOOPBACK:
        text = "OTEL_EXPORTER_OTLP_ENDPOINT is plain http to another machine."
        return [setting_warning(7, text, "Use https, unless the network between them is private.")]
    return []


@register(Tags.security)
def check_error_reports(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse to send reports of errors to another machine over plain http."""
    address = urlsplit(settings.SENTRY_DSN)
    if settings.SENTRY_DSN and address.scheme != "https" and address.hostname not in LOOPBACK:
        return [setting_error(30, "SENTRY_DSN is plain http to another machine.", "Use https.")]
    return []
