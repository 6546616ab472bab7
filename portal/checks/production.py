"""Settings that are acceptable only in the demo, and are refused in production."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import check_password
from django.core.checks import CheckMessage, Tags, register
from django.db import connection
from django.http.request import validate_host

from portal import env
from portal.checks.messages import DOMAIN, LOOPBACK, public_suffixes, setting_error, setting_warning
from portal.operator_groups import GROUPS

CHARGEBEE_DOMAIN = ".chargebee.com"
API_PATH = "/api/v2"
CHARGEBEE_SCRIPT_HOST = "js.chargebee.com"
# Of a test site's name, and of its keys.
TEST_SITE_SUFFIX, TEST_KEY_PREFIX, LIVE_KEY_PREFIX = "-test", "test_", "live_"
DEMO_OPERATORS = ("admin", *GROUPS)
HOST_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?", re.IGNORECASE)
MIN_SECRET_LENGTH = 50
MIN_PASSWORD_LENGTH = 20
# Random characters of these lengths have more than twice as many different ones.
MIN_DIFFERENT_CHARACTERS = 8
# More than a CDN, a load balancer, an ingress and a sidecar: a client could forge the addresses that limits go by.
MOST_PROXIES = 5
# As `options` in `portal.settings`.
DATABASE_LIMITS = {"statement_timeout": "15s", "lock_timeout": "5s", "idle_in_transaction_session_timeout": "60s"}
ENCRYPTED_SSL_MODES = {"require", "verify-ca", "verify-full"}
# Of the keys that Django makes for a new project, which their repositories hold.
INSECURE_PREFIX = "django-insecure"


def _is_guessable(secret: str, *, demo: str, min_length: int) -> bool:
    """Whether a secret is short, is the demo's or an example, or has few different characters or repeated parts."""
    parts = [secret[start : start + 3] for start in range(len(secret) - 2)]
    return (
        len(secret) < min_length
        or demo in secret
        or INSECURE_PREFIX in secret
        or len(set(secret)) < MIN_DIFFERENT_CHARACTERS
        or len(set(parts)) < len(parts) / 2
    )


def _secret_errors() -> Iterator[CheckMessage]:
    for number, name, demo in (
        (1, "SECRET_KEY", env.DEMO_SECRET_KEY),
        (2, "OTP_PEPPER", env.DEMO_OTP_PEPPER),
    ):
        if _is_guessable(getattr(settings, name), demo=demo, min_length=MIN_SECRET_LENGTH):
            yield setting_error(
                number,
                f"{name} is the demo's, too short, or easy to guess.",
                f"Set {MIN_SECRET_LENGTH} random characters.",
            )
    if settings.SECRET_KEY in settings.OTP_PEPPER or settings.OTP_PEPPER in settings.SECRET_KEY:
        yield setting_error(
            3, "One of SECRET_KEY and OTP_PEPPER contains the other.", "One that leaks must not give away the other."
        )


def _is_host_pattern(host: str) -> bool:
    """Whether an entry of ALLOWED_HOSTS names a host, or with a leading dot a domain with its subdomains."""
    return DOMAIN.fullmatch(host[1:]) is not None if host.startswith(".") else HOST_NAME.fullmatch(host) is not None


def _host_errors() -> Iterator[CheckMessage]:
    if not settings.ALLOWED_HOSTS or not all(_is_host_pattern(host) for host in settings.ALLOWED_HOSTS):
        yield setting_error(
            4,
            "ALLOWED_HOSTS does not name the hosts.",
            "Set ALLOWED_HOSTS to the brands' host names: neither * nor a whole top-level domain.",
        )
    if suffixes := public_suffixes(host[1:] for host in settings.ALLOWED_HOSTS if host.startswith(".")):
        yield setting_error(
            37,
            f"ALLOWED_HOSTS takes every host below {', '.join(suffixes)}, where anybody can have one.",
            "Name the brands' own domains: .example.co.uk.",
        )
    if not settings.LINK_DOMAINS:
        yield setting_error(
            22,
            "LINK_DOMAINS names no domain.",
            "Set it to where the brands' own pages are: example.com,example.org.",
        )
    base = urlsplit(settings.BASE_URL)
    if not _is_https_origin(base):
        yield setting_error(
            5, "BASE_URL is not an https address without a path.", "Set BASE_URL to where subscribers open the portal."
        )
    elif not validate_host(base.hostname or "", settings.ALLOWED_HOSTS):
        yield setting_error(
            31, "BASE_URL has a host that ALLOWED_HOSTS does not name.", "Its links would lead nowhere."
        )


def _is_https_origin(address: SplitResult) -> bool:
    has_more = address.username is not None or address.path or address.query or address.fragment
    return address.scheme == "https" and bool(address.hostname) and not has_more


def _network_errors() -> Iterator[CheckMessage]:
    if settings.NUM_PROXIES is None or not 1 <= settings.NUM_PROXIES <= MOST_PROXIES:
        yield setting_error(
            6,
            f"NUM_PROXIES is not set, or not between 1 and {MOST_PROXIES}.",
            "Set how many proxies stand in front: one at least, since a slow client would hold a thread without it.",
        )
    if not settings.ADMIN_NETWORKS:
        yield setting_error(
            26,
            "ADMIN_NETWORKS does not say from where operators come.",
            "Set their networks; 0.0.0.0/0,::/0 is everywhere.",
        )
    if _cover_everybody(settings.METRICS_NETWORKS):
        yield setting_warning(1, "METRICS_NETWORKS lets everybody read the metrics.", "Name the monitoring's networks.")


def _cover_everybody(networks: Sequence[env.Network]) -> bool:
    """Return whether networks together cover all addresses of a version of IP."""
    v4 = ipaddress.collapse_addresses(network for network in networks if isinstance(network, ipaddress.IPv4Network))
    v6 = ipaddress.collapse_addresses(network for network in networks if isinstance(network, ipaddress.IPv6Network))
    return any(network.prefixlen == 0 for network in v4) or any(network.prefixlen == 0 for network in v6)


def _leaves_the_machine(host: str) -> bool:
    """Whether a host is beyond this machine and, as a name without a dot, its container network."""
    if host in LOOPBACK or host.startswith("/"):
        return False
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return "." in host


def _database_errors() -> Iterator[CheckMessage]:
    database = settings.DATABASES["default"]
    if database["ENGINE"] != "django.db.backends.postgresql":
        yield setting_error(7, "DATABASE_URL does not name a PostgreSQL database.", "SQLite is for the demo.")
    elif (
        _leaves_the_machine(database.get("HOST", ""))
        and database.get("OPTIONS", {}).get("sslmode") not in ENCRYPTED_SSL_MODES
    ):
        yield setting_warning(
            2,
            "DATABASE_URL does not demand encryption to another machine.",
            "End it with ?sslmode=verify-full, unless the network between them is private.",
        )


def _broker_errors() -> Iterator[CheckMessage]:
    broker = urlsplit(settings.CELERY_BROKER_URL)
    if broker.scheme not in ("redis", "rediss"):
        yield setting_error(8, "REDIS_URL is not set.", "The broker of files is for the demo.")
        return
    is_checked = broker.scheme == "rediss" and "ssl_cert_reqs=none" not in broker.query.lower()
    if not is_checked and _leaves_the_machine(broker.hostname or ""):
        yield setting_warning(
            3,
            "REDIS_URL is not encrypted to another machine, or does not check which one it is.",
            "Use rediss://, with its certificate checked, unless the network between them is private.",
        )
    if not broker.password and broker.hostname not in LOOPBACK:
        yield setting_warning(
            4,
            "REDIS_URL has no password.",
            "Whoever reaches the broker can run its tasks: set requirepass, and redis://:password@host.",
        )


def _mail_errors() -> Iterator[CheckMessage]:
    if settings.EMAIL_BACKEND != "django.core.mail.backends.smtp.EmailBackend" or not settings.EMAIL_HOST:
        yield setting_error(9, "EMAIL_URL does not name a mail server.", "Codes written to files reach nobody.")
    elif not _is_mail_private():
        yield setting_error(
            18, "EMAIL_URL sends mail in the clear.", "Use smtp+tls or smtp+ssl: sign-in codes go this way."
        )
    if settings.DEFAULT_FROM_EMAIL == env.DEMO_SENDER:
        yield setting_error(
            34, "DEFAULT_FROM_EMAIL is the demo's.", "Set an address that your mail server may send from."
        )


def _is_mail_private() -> bool:
    return settings.EMAIL_USE_TLS or settings.EMAIL_USE_SSL or settings.EMAIL_HOST in LOOPBACK


def _provider_credential_errors() -> Iterator[CheckMessage]:
    names = {
        "CHARGEBEE_SITE": (10, env.DEMO_SITE),
        "CHARGEBEE_API_KEY": (11, env.DEMO_API_KEY),
        "CHARGEBEE_PUBLISHABLE_KEY": (12, env.DEMO_PUBLISHABLE_KEY),
    }
    missing = [
        name
        for name, (_, demo) in names.items()
        if getattr(settings, name) == demo or not re.fullmatch(r"\S+", getattr(settings, name))
    ]
    for name in missing:
        yield setting_error(
            names[name][0], f"{name} is not set, or has spaces.", "Take it from the provider's console."
        )
    if missing:
        return
    keys = (settings.CHARGEBEE_API_KEY, settings.CHARGEBEE_PUBLISHABLE_KEY)
    if len({key.startswith(TEST_KEY_PREFIX) for key in keys}) > 1:
        yield setting_error(
            32, "One of the two Chargebee keys is a test site's, the other a live site's.", "Take both from one site."
        )
    elif keys[0].startswith(TEST_KEY_PREFIX):
        yield setting_warning(5, "CHARGEBEE_API_KEY is a test site's.", "No money moves; right for a rehearsal only.")
    if keys[0].startswith(LIVE_KEY_PREFIX) and settings.CHARGEBEE_SITE.endswith(TEST_SITE_SUFFIX):
        yield setting_error(33, "CHARGEBEE_SITE is a test site, its key a live site's.", "Take both from one site.")


def _provider_address_errors() -> Iterator[CheckMessage]:
    endpoint = urlsplit(settings.CHARGEBEE_ENDPOINT)
    own_host = f"{settings.CHARGEBEE_SITE}{CHARGEBEE_DOMAIN}"
    is_own = (endpoint.scheme, endpoint.hostname, endpoint.path.rstrip("/")) == ("https", own_host, API_PATH)
    if settings.CHARGEBEE_ENDPOINT and not is_own:
        yield setting_error(13, "CHARGEBEE_ENDPOINT is not the API of CHARGEBEE_SITE.", "Leave it empty in production.")
    script = urlsplit(settings.CHARGEBEE_JS_URL)
    if (script.scheme, script.netloc) != ("https", CHARGEBEE_SCRIPT_HOST):
        yield setting_error(14, "CHARGEBEE_JS_URL is not the provider's script.", "Leave it unset in production.")


def _webhook_errors() -> Iterator[CheckMessage]:
    passwords = settings.CHARGEBEE_WEBHOOK_PASSWORDS
    demo = env.DEMO_WEBHOOK_PASSWORD
    if not passwords or any(
        _is_guessable(password, demo=demo, min_length=MIN_PASSWORD_LENGTH) for password in passwords
    ):
        yield setting_error(
            15,
            "CHARGEBEE_WEBHOOK_PASSWORDS holds a weak password or none.",
            f"Set at least {MIN_PASSWORD_LENGTH} random characters; two, separated by a comma, while you change it.",
        )


@register(Tags.security)
def check_production_settings(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Return an error for each unsafe setting and a warning for each that may be meant; none outside production."""
    if not settings.PRODUCTION:
        return []
    checks = (
        _secret_errors,
        _host_errors,
        _network_errors,
        _database_errors,
        _broker_errors,
        _mail_errors,
        _provider_credential_errors,
        _provider_address_errors,
        _webhook_errors,
    )
    return [message for check in checks for message in check()]


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
        return [setting_error(17, "The demo's operators can sign in.", hint)]
    return []


@register(Tags.database)
def check_database_limits(
    app_configs: Sequence[Any] | None, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Warn of time limits that PostgreSQL does not apply: PgBouncer drops those that the portal asks for at connect."""
    if not settings.PRODUCTION or not databases or connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM pg_settings WHERE name = ANY(%s) AND setting = '0'", [[*DATABASE_LIMITS]])
        missing = sorted(name for (name,) in cursor.fetchall())
    if not missing:
        return []
    statements = " ".join(f"ALTER ROLE {_quoted_role()} SET {name} = '{DATABASE_LIMITS[name]}';" for name in missing)
    return [
        setting_warning(
            6,
            f"The database applies no {', '.join(missing)}: what hangs there holds the portal's threads.",
            f"Give the role its limits: {statements}",
        )
    ]


def _quoted_role() -> str:
    return connection.ops.quote_name(connection.settings_dict["USER"])
