"""What production refuses: every default of the demo, and every shortcut that is safe only on one machine."""

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
from portal.operators import GROUPS

logger = logging.getLogger(__name__)

CHARGEBEE_DOMAIN = ".chargebee.com"
CHARGEBEE_SCRIPT_HOST = "js.chargebee.com"
DEMO_OPERATORS = ("admin", *GROUPS)
LOOPBACK = {"127.0.0.1", "localhost", "::1"}
# One host, spelt out: its origin becomes a source in a Content-Security-Policy, where `*`, `;` and `,` mean something.
SCRIPT_ADDRESS = re.compile(r"https?://([a-z0-9.-]+|\[::1\])(:[0-9]+)?/[^\s]*")
DOMAIN = re.compile(r"([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]")
SHORTEST_SECRET = 50
SHORTEST_PASSWORD = 20


def _error(number: int, what: str, hint: str) -> Error:
    return Error(what, hint=hint, id=f"portal.E{number:03}")


def _secrets() -> Iterator[CheckMessage]:
    for number, name, default in (
        (1, "SECRET_KEY", env.DEMO_SECRET_KEY),
        (2, "OTP_PEPPER", env.DEMO_OTP_PEPPER),
    ):
        value = getattr(settings, name)
        if value == default or len(value) < SHORTEST_SECRET:
            yield _error(
                number, f"{name} is the demo's or too short.", f"Set {SHORTEST_SECRET} random characters."
            )
    if settings.SECRET_KEY == settings.OTP_PEPPER:
        yield _error(
            3, "SECRET_KEY and OTP_PEPPER are the same.", "One that leaks must not give away the other."
        )


def _addresses() -> Iterator[CheckMessage]:
    if not settings.ALLOWED_HOSTS or "*" in settings.ALLOWED_HOSTS:
        yield _error(
            4, "ALLOWED_HOSTS does not name the hosts.", "Set ALLOWED_HOSTS to the brands' host names."
        )
    if not settings.LINK_DOMAINS:
        yield _error(
            22,
            "LINK_DOMAINS names no domain.",
            "Set it to where the brands' own pages are: example.com,example.org.",
        )
    if urlsplit(settings.BASE_URL).scheme != "https":
        yield _error(
            5, "BASE_URL is not an https address.", "Set BASE_URL to where subscribers open the portal."
        )
    if settings.NUM_PROXIES is None or settings.NUM_PROXIES < 0:
        yield _error(
            6,
            "NUM_PROXIES is not set, or below 0.",
            "Set how many proxies stand in front; limits by address depend on it.",
        )
    if not settings.ADMIN_NETWORKS:
        yield _error(
            26,
            "ADMIN_NETWORKS does not say from where operators come.",
            "Set their networks; 0.0.0.0/0,::/0 is everywhere.",
        )


def _services() -> Iterator[CheckMessage]:
    if settings.DATABASES["default"]["ENGINE"] != "django.db.backends.postgresql":
        yield _error(7, "DATABASE_URL does not name a PostgreSQL database.", "SQLite is for the demo.")
    if not settings.CELERY_BROKER_URL.startswith(("redis://", "rediss://")):
        yield _error(8, "REDIS_URL is not set.", "The broker of files is for the demo.")
    if settings.EMAIL_BACKEND != "django.core.mail.backends.smtp.EmailBackend":
        yield _error(9, "EMAIL_URL does not name a mail server.", "Codes written to files reach nobody.")
    elif not _mail_is_private():
        yield _error(
            18, "EMAIL_URL sends mail in the clear.", "Use smtp+tls or smtp+ssl: sign-in codes go this way."
        )


def _mail_is_private() -> bool:
    return settings.EMAIL_USE_TLS or settings.EMAIL_USE_SSL or settings.EMAIL_HOST in LOOPBACK


def _provider_credentials() -> Iterator[CheckMessage]:
    for number, name, default in (
        (10, "CHARGEBEE_SITE", env.DEMO_SITE),
        (11, "CHARGEBEE_API_KEY", env.DEMO_API_KEY),
        (12, "CHARGEBEE_PUBLISHABLE_KEY", env.DEMO_PUBLISHABLE_KEY),
    ):
        if getattr(settings, name) in ("", default):
            yield _error(number, f"{name} is not set.", "Take it from the provider's console.")


def _provider_addresses() -> Iterator[CheckMessage]:
    endpoint = urlsplit(settings.CHARGEBEE_ENDPOINT)
    genuine = endpoint.scheme == "https" and (endpoint.hostname or "").endswith(CHARGEBEE_DOMAIN)
    if settings.CHARGEBEE_ENDPOINT and not genuine:
        yield _error(13, "CHARGEBEE_ENDPOINT is not the real provider.", "Leave it empty in production.")
    script = urlsplit(settings.CHARGEBEE_JS_URL)
    if (script.scheme, script.netloc) != ("https", CHARGEBEE_SCRIPT_HOST):
        yield _error(14, "CHARGEBEE_JS_URL is not the provider's script.", "Leave it unset in production.")


def _webhooks() -> Iterator[CheckMessage]:
    passwords = settings.CHARGEBEE_WEBHOOK_PASSWORDS
    weak = [word for word in passwords if len(word) < SHORTEST_PASSWORD or word == env.DEMO_WEBHOOK_PASSWORD]
    if not passwords or weak:
        yield _error(
            15,
            "CHARGEBEE_WEBHOOK_PASSWORDS holds a weak password or none.",
            f"Set at least {SHORTEST_PASSWORD} random characters; two, separated by a comma, while you change it.",
        )


@register(Tags.security)
def production_refuses_defaults(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Return an error for each setting that is only good enough for the demo; none outside production."""
    if not settings.PRODUCTION:
        return []
    groups = (_secrets, _addresses, _services, _provider_credentials, _provider_addresses, _webhooks)
    return [message for group in groups for message in group()]


@register(Tags.security)
def plain_http_stays_on_this_machine(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse, in every mode, to send the API key over plain http anywhere but to this machine."""
    endpoint = urlsplit(settings.CHARGEBEE_ENDPOINT)
    if settings.CHARGEBEE_ENDPOINT and endpoint.scheme != "https" and endpoint.hostname not in LOOPBACK:
        return [_error(16, "CHARGEBEE_ENDPOINT is plain http to another machine.", "Use https.")]
    return []


@register(Tags.security)
def the_providers_script_has_one_origin(
    app_configs: Sequence[Any] | None, **kwargs: Any
) -> list[CheckMessage]:
    """Refuse, in every mode, a script address whose origin would allow more than one host, or anybody on the way."""
    address = settings.CHARGEBEE_JS_URL
    if not SCRIPT_ADDRESS.fullmatch(address):
        return [_error(20, "CHARGEBEE_JS_URL is not the address of a script on one host.", "Spell it out.")]
    if urlsplit(address).scheme != "https" and urlsplit(address).hostname not in LOOPBACK:
        return [_error(21, "CHARGEBEE_JS_URL is plain http on another machine.", "Use https.")]
    return []


@register(Tags.security)
def the_support_widget_has_one_origin(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse, in every mode, a widget's script whose origin would allow more than one host, or anybody on the way."""
    address = settings.SUPPORT_WIDGET_URL
    if address and not SCRIPT_ADDRESS.fullmatch(address):
        return [_error(23, "SUPPORT_WIDGET_URL is not the address of a script on one host.", "Spell it out.")]
    if address and urlsplit(address).scheme != "https" and urlsplit(address).hostname not in LOOPBACK:
        return [_error(24, "SUPPORT_WIDGET_URL is plain http on another machine.", "Use https.")]
    return []


@register(Tags.security)
def linked_domains_are_spelt_out(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse, in every mode, a list that would let the brands link to all of a top-level domain."""
    if all(DOMAIN.fullmatch(domain) for domain in settings.LINK_DOMAINS):
        return []
    return [_error(25, "LINK_DOMAINS holds what is no domain.", "Name domains: example.com,example.org.")]


@register(Tags.database)
def production_refuses_the_demo_operator(
    app_configs: Sequence[Any] | None, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Refuse an operator of the demo whose password is its name, such as a copied demo database brings along."""
    if not settings.PRODUCTION or not databases:
        return []
    users = get_user_model()._default_manager
    # `migrate` asks before it has made the table, or added to it what the model has by now.
    if users.model._meta.db_table not in connection.introspection.table_names():
        return []
    named = users.filter(username__in=DEMO_OPERATORS, is_staff=True).values_list("username", "password")
    weak = [name for name, password in named if check_password(name, password)]
    if weak:
        hint = f"Delete the users named so or change their passwords: {', '.join(weak)}."
        return [_error(17, "The demo's operators can sign in.", hint)]
    return []


def refuse_to_start_unsafely() -> None:
    """Stop a production process that the checks find fault with, and log what they only warn of.

    Management commands run the checks by themselves; a server does not. Raises `ImproperlyConfigured`.
    """
    if not settings.PRODUCTION:
        return
    messages = run_checks(tags=[Tags.security])
    faults = [message for message in messages if message.is_serious()]
    if faults:
        raise ImproperlyConfigured("\n".join(str(fault) for fault in faults))
    for message in messages:
        logger.warning("%s", message)
