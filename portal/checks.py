"""System checks that refuse the demo's defaults and its insecure shortcuts in production."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import check_password
from django.core.checks import CheckMessage, Error, Tags, register, run_checks
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from portal import env
from portal.operator_groups import GROUPS

logger = logging.getLogger(__name__)

CHARGEBEE_DOMAIN = ".chargebee.com"
CHARGEBEE_SCRIPT_HOST = "js.chargebee.com"
DEMO_OPERATORS = ("admin", *GROUPS)
LOOPBACK = {"127.0.0.1", "localhost", "::1"}
# A literal host: its origin becomes a source in the Content-Security-Policy, where `*`, `;` and `,` are special.
SCRIPT_ADDRESS = re.compile(r"https?://([a-z0-9.-]+|\[::1\])(:[0-9]+)?/[^\s]*")
# A label of a host name, which becomes a source as well.
SITE_NAME = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")
DOMAIN = re.compile(r"([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]")
MIN_SECRET_LENGTH = 50
MIN_PASSWORD_LENGTH = 20


def _check_error(number: int, message: str, hint: str) -> Error:
    return Error(message, hint=hint, id=f"portal.E{number:03}")


def _secret_errors() -> Iterator[CheckMessage]:
    for number, name, default in (
        (1, "SECRET_KEY", env.DEMO_SECRET_KEY),
        (2, "OTP_PEPPER", env.DEMO_OTP_PEPPER),
    ):
        value = getattr(settings, name)
        if value == default or len(value) < MIN_SECRET_LENGTH:
            yield _check_error(
                number, f"{name} is the demo's or too short.", f"Set {MIN_SECRET_LENGTH} random characters."
            )
    if settings.SECRET_KEY == settings.OTP_PEPPER:
        yield _check_error(3, "SECRET_KEY and OTP_PEPPER are the same.", "One that leaks must not give away the other.")


def _address_errors() -> Iterator[CheckMessage]:
    if not settings.ALLOWED_HOSTS or "*" in settings.ALLOWED_HOSTS:
        yield _check_error(4, "ALLOWED_HOSTS does not name the hosts.", "Set ALLOWED_HOSTS to the brands' host names.")
    if not settings.LINK_DOMAINS:
        yield _check_error(
            22,
            "LINK_DOMAINS names no domain.",
            "Set it to where the brands' own pages are: example.com,example.org.",
        )
    if urlsplit(settings.BASE_URL).scheme != "https":
        yield _check_error(5, "BASE_URL is not an https address.", "Set BASE_URL to where subscribers open the portal.")
    if settings.NUM_PROXIES is None or settings.NUM_PROXIES < 0:
        yield _check_error(
            6,
            "NUM_PROXIES is not set, or below 0.",
            "Set how many proxies stand in front; limits by address depend on it.",
        )
    if not settings.ADMIN_NETWORKS:
        yield _check_error(
            26,
            "ADMIN_NETWORKS does not say from where operators come.",
            "Set their networks; 0.0.0.0/0,::/0 is everywhere.",
        )


def _service_errors() -> Iterator[CheckMessage]:
    if settings.DATABASES["default"]["ENGINE"] != "django.db.backends.postgresql":
        yield _check_error(7, "DATABASE_URL does not name a PostgreSQL database.", "SQLite is for the demo.")
    if not settings.CELERY_BROKER_URL.startswith(("redis://", "rediss://")):
        yield _check_error(8, "REDIS_URL is not set.", "The broker of files is for the demo.")
    if settings.EMAIL_BACKEND != "django.core.mail.backends.smtp.EmailBackend":
        yield _check_error(9, "EMAIL_URL does not name a mail server.", "Codes written to files reach nobody.")
    elif not _is_mail_private():
        yield _check_error(
            18, "EMAIL_URL sends mail in the clear.", "Use smtp+tls or smtp+ssl: sign-in codes go this way."
        )


def _is_mail_private() -> bool:
    return settings.EMAIL_USE_TLS or settings.EMAIL_USE_SSL or settings.EMAIL_HOST in LOOPBACK


def _provider_credential_errors() -> Iterator[CheckMessage]:
    for number, name, default in (
        (10, "CHARGEBEE_SITE", env.DEMO_SITE),
        (11, "CHARGEBEE_API_KEY", env.DEMO_API_KEY),
        (12, "CHARGEBEE_PUBLISHABLE_KEY", env.DEMO_PUBLISHABLE_KEY),
    ):
        if getattr(settings, name) in ("", default):
            yield _check_error(number, f"{name} is not set.", "Take it from the provider's console.")


def _provider_address_errors() -> Iterator[CheckMessage]:
    endpoint = urlsplit(settings.CHARGEBEE_ENDPOINT)
    is_chargebee = endpoint.scheme == "https" and (endpoint.hostname or "").endswith(CHARGEBEE_DOMAIN)
    if settings.CHARGEBEE_ENDPOINT and not is_chargebee:
        yield _check_error(13, "CHARGEBEE_ENDPOINT is not the real provider.", "Leave it empty in production.")
    script = urlsplit(settings.CHARGEBEE_JS_URL)
    if (script.scheme, script.netloc) != ("https", CHARGEBEE_SCRIPT_HOST):
        yield _check_error(14, "CHARGEBEE_JS_URL is not the provider's script.", "Leave it unset in production.")


def _webhook_errors() -> Iterator[CheckMessage]:
    passwords = settings.CHARGEBEE_WEBHOOK_PASSWORDS
    weak_passwords = [
        password
        for password in passwords
        if len(password) < MIN_PASSWORD_LENGTH or password == env.DEMO_WEBHOOK_PASSWORD
    ]
    if not passwords or weak_passwords:
        yield _check_error(
            15,
            "CHARGEBEE_WEBHOOK_PASSWORDS holds a weak password or none.",
            f"Set at least {MIN_PASSWORD_LENGTH} random characters; two, separated by a comma, while you change it.",
        )


@register(Tags.security)
def check_production_settings(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Return an error for each setting that is acceptable only in the demo; none outside production."""
    if not settings.PRODUCTION:
        return []
    checks = (
        _secret_errors,
        _address_errors,
        _service_errors,
        _provider_credential_errors,
        _provider_address_errors,
        _webhook_errors,
    )
    return [message for check in checks for message in check()]


@register(Tags.security)
def check_endpoint_scheme(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse, in every mode, to send the API key to another machine over plain http."""
    endpoint = urlsplit(settings.CHARGEBEE_ENDPOINT)
    if settings.CHARGEBEE_ENDPOINT and endpoint.scheme != "https" and endpoint.hostname not in LOOPBACK:
        return [_check_error(16, "CHARGEBEE_ENDPOINT is plain http to another machine.", "Use https.")]
    return []


@register(Tags.security)
def check_provider_script_origin(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse, in every mode, a provider's script that is not https or whose host could be a pattern."""
    address = settings.CHARGEBEE_JS_URL
    if not SCRIPT_ADDRESS.fullmatch(address):
        return [_check_error(20, "CHARGEBEE_JS_URL is not the address of a script on one host.", "Spell it out.")]
    if urlsplit(address).scheme != "https" and urlsplit(address).hostname not in LOOPBACK:
        return [_check_error(21, "CHARGEBEE_JS_URL is plain http on another machine.", "Use https.")]
    return []


@register(Tags.security)
def check_site_name(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse, in every mode, a site whose address `https://<site>.chargebee.com` could be a pattern or another host."""
    if SITE_NAME.fullmatch(settings.CHARGEBEE_SITE):
        return []
    return [_check_error(27, "CHARGEBEE_SITE is not the name of a site.", "acme, if it is acme.chargebee.com.")]


@register(Tags.security)
def check_support_widget_origin(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse, in every mode, a widget's script that is not https or whose host could be a pattern."""
    address = settings.SUPPORT_WIDGET_URL
    if address and not SCRIPT_ADDRESS.fullmatch(address):
        return [_check_error(23, "SUPPORT_WIDGET_URL is not the address of a script on one host.", "Spell it out.")]
    if address and urlsplit(address).scheme != "https" and urlsplit(address).hostname not in LOOPBACK:
        return [_check_error(24, "SUPPORT_WIDGET_URL is plain http on another machine.", "Use https.")]
    return []


@register(Tags.security)
def check_link_domains(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse, in every mode, an entry such as `com` that would allow links to a whole top-level domain."""
    if all(DOMAIN.fullmatch(domain) for domain in settings.LINK_DOMAINS):
        return []
    return [_check_error(25, "LINK_DOMAINS holds what is no domain.", "Name domains: example.com,example.org.")]


@register(Tags.database)
def check_demo_operators(
    app_configs: Sequence[Any] | None, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Refuse the demo's operators, whose passwords are their names; a copied demo database would contain them."""
    if not settings.PRODUCTION or not databases:
        return []
    users = get_user_model()._default_manager
    # `migrate` runs the checks before the table exists or has all columns of the model.
    if users.model._meta.db_table not in connection.introspection.table_names():
        return []
    demo_operators = users.filter(username__in=DEMO_OPERATORS, is_staff=True)
    credentials = demo_operators.values_list("username", "password")
    weak_names = [name for name, password in credentials if check_password(name, password)]
    if weak_names:
        hint = f"Delete the users named so or change their passwords: {', '.join(weak_names)}."
        return [_check_error(17, "The demo's operators can sign in.", hint)]
    return []


def refuse_to_start_unsafely() -> None:
    """Run the security checks in production and log their warnings. Raises `ImproperlyConfigured`.

    Management commands run the checks by themselves; a server does not.
    """
    if not settings.PRODUCTION:
        return
    messages = run_checks(tags=[Tags.security])
    errors = [message for message in messages if message.is_serious()]
    if errors:
        raise ImproperlyConfigured("\n".join(str(error) for error in errors))
    for message in messages:
        logger.warning("%s", message)
