"""The environment variables, read once and typed.

Everything that differs between two installations is a field here; `portal.settings` reads no other variables. With the
defaults, a fresh clone runs as a demo. `portal.checks` refuses these defaults in production.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent

PayPalGateway = Literal["paypal_commerce", "braintree", "none"]
PAYPAL_GATEWAYS: tuple[PayPalGateway, ...] = ("paypal_commerce", "braintree", "none")
CardGateway = Literal["stripe", "braintree"]
CARD_GATEWAYS: tuple[CardGateway, ...] = ("stripe", "braintree")
"""The gateways for cards whose own scripts authenticate a payer."""
Choice = TypeVar("Choice", bound=str)

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Mode = Literal["demo", "test", "production"]
MODES: tuple[Mode, ...] = ("demo", "test", "production")
LogFormat = Literal["plain", "json"]
LOG_FORMATS: tuple[LogFormat, ...] = ("plain", "json")
LogLevel = Literal["DEBUG", "INFO", "WARNING", "ERROR"]
LOG_LEVELS: tuple[LogLevel, ...] = ("DEBUG", "INFO", "WARNING", "ERROR")
HIGHEST_PORT = 65_535
# Each has a database connection.
MOST_RESUME_THREADS = 64
MOST_WEB_THREADS = 1000
MOST_RETENTION_DAYS = 36_500
DATABASE_SCHEMES = ("postgres", "postgresql", "sqlite")

TRACES_PATH = "v1/traces"
HEADER = re.compile(r"[\w!#$%&'*+.^`|~-]+=[\x21-\x7e]*")

# How long a claim from a contract can be brought in California (Code of Civil Procedure, section 337).
FOUR_YEARS_OF_DAYS = 1461

# Published with this file, so refused in production.
DEMO_SECRET_KEY = "demo-only-secret-key-that-production-refuses-to-start-with"  # noqa: S105
DEMO_OTP_PEPPER = "demo-only-pepper-that-production-refuses-to-start-with"
DEMO_SITE = "portal-test"
DEMO_API_KEY = "test_sandbox_key"
DEMO_PUBLISHABLE_KEY = "test_sandbox_publishable_key"
DEMO_WEBHOOK_USERNAME = "chargebee"
DEMO_SENDER = "Your subscriptions <no-reply@example.com>"
DEMO_WEBHOOK_PASSWORD = "demo-webhook-password"  # noqa: S105


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """The configuration of this installation."""

    mode: Mode
    var_dir: Path
    secret_key: str
    otp_pepper: str
    allowed_hosts: list[str]
    base_url: str
    link_domains: list[str]
    support_widget_url: str
    port: int
    sandbox_port: int
    num_proxies: int | None
    admin_networks: list[Network]
    database: dict[str, Any]
    redis_url: str
    email: dict[str, Any]
    default_from_email: str
    receipt_retention_days: int
    log_level: LogLevel
    log_format: LogFormat
    sentry_dsn: str
    otlp_endpoint: str
    otlp_headers: list[str]
    trace_share: float
    security_contact: str
    metrics_networks: list[Network]
    metrics_port: int
    worker_heartbeat_file: str
    chargebee_site: str
    chargebee_api_key: str
    chargebee_publishable_key: str
    chargebee_endpoint: str
    chargebee_js_url: str
    chargebee_card_gateways: list[CardGateway]
    chargebee_paypal_gateway: PayPalGateway
    chargebee_background_requests_per_minute: int
    resume_threads: int
    web_threads: int
    chargebee_webhook_username: str
    chargebee_webhook_passwords: list[str]

    @property
    def is_production(self) -> bool:
        """Whether the mode is production."""
        return self.mode == "production"


def _read_choice(read: environ.Env, name: str, choices: Sequence[Choice], default: Choice) -> Choice:
    value = read.str(name, default=default)
    for choice in choices:
        if value == choice:
            return choice
    raise ImproperlyConfigured(f"{name} is {value!r}; it must be one of {', '.join(choices)}.")


def _read_texts(read: environ.Env, name: str, default: Sequence[str] = ()) -> list[str]:
    return [text for item in read.list(name, default=[*default]) if (text := item.strip())]


def _read_choices(read: environ.Env, name: str, choices: Sequence[Choice]) -> list[Choice]:
    values = _read_texts(read, name)
    if unknown := sorted({*values}.difference(choices)):
        raise ImproperlyConfigured(f"{name} names {', '.join(unknown)}; it may list {', '.join(choices)}.")
    return [choice for choice in choices if choice in values]


def _sandbox_origin(read: environ.Env) -> str:
    return f"http://127.0.0.1:{_read_port(read, 'SANDBOX_PORT', 8001)}"


def _read_provider(read: environ.Env, mode: Mode) -> dict[str, Any]:
    """Read the billing provider's settings, which outside production default to the sandbox on this machine."""
    production = mode == "production"
    sandbox = _sandbox_origin(read)
    return {
        "chargebee_site": read.str("CHARGEBEE_SITE", default=DEMO_SITE),
        "chargebee_api_key": read.str("CHARGEBEE_API_KEY", default=DEMO_API_KEY),
        "chargebee_publishable_key": read.str("CHARGEBEE_PUBLISHABLE_KEY", default=DEMO_PUBLISHABLE_KEY),
        "chargebee_endpoint": _read_address(read, "CHARGEBEE_ENDPOINT", "" if production else f"{sandbox}/api/v2"),
        "chargebee_js_url": _read_address(
            read,
            "CHARGEBEE_JS_URL",
            "https://js.chargebee.com/v2/chargebee.js" if production else f"{sandbox}/v2/chargebee.js",
        ),
        "chargebee_card_gateways": _read_choices(read, "CHARGEBEE_CARD_GATEWAYS", CARD_GATEWAYS),
        "chargebee_paypal_gateway": _read_choice(read, "CHARGEBEE_PAYPAL_GATEWAY", PAYPAL_GATEWAYS, "paypal_commerce"),
        # Two thirds of the smallest site's rate limit; the rest is for subscribers' requests. The sandbox has no limit.
        "chargebee_background_requests_per_minute": _read_int(
            read, "CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE", 100 if production else 0
        ),
        "resume_threads": _read_int(read, "RESUME_THREADS", 16, at_least=1, at_most=MOST_RESUME_THREADS),
        "chargebee_webhook_username": read.str("CHARGEBEE_WEBHOOK_USERNAME", default=DEMO_WEBHOOK_USERNAME),
        "chargebee_webhook_passwords": _read_texts(read, "CHARGEBEE_WEBHOOK_PASSWORDS", [DEMO_WEBHOOK_PASSWORD]),
    }


def _read_database(read: environ.Env, var_dir: Path) -> dict[str, Any]:
    url = read.str("DATABASE_URL", default="") or f"sqlite:///{var_dir / 'db.sqlite3'}"
    if not _is_database_address(url):
        # Checked here, because the parser's error would show the URL, which may contain a password.
        raise ImproperlyConfigured(
            "DATABASE_URL is no address of a database, such as postgres://user:password@host/name."
        )
    parsed: dict[str, Any] = environ.Env.db_url_config(url)
    return parsed


def _is_database_address(url: str) -> bool:
    try:
        address = urlsplit(url)
        return address.scheme in DATABASE_SCHEMES and address.port != 0
    except ValueError:
        return False


def _read_redis_url(read: environ.Env) -> str:
    url: str = read.str("REDIS_URL", default="")
    try:
        address = urlsplit(url)
        is_valid = address.path.strip("/").isdigit() or not address.path.strip("/")
        is_valid = is_valid and address.port != 0 and bool(address.hostname or not url)
    except ValueError:
        is_valid = False
    if not is_valid:
        # Without the address, which may contain a password.
        raise ImproperlyConfigured("REDIS_URL is no address such as redis://:password@host:6379/0.")
    return url


def _read_email_url(read: environ.Env, var_dir: Path) -> dict[str, Any]:
    try:
        parsed: dict[str, Any] = read.email_url("EMAIL_URL", default=f"filemail:///{var_dir / 'mail'}")
        if urlsplit(read.str("EMAIL_URL", default="")).port == 0:
            raise ValueError("no mail server listens on port 0")
    except ValueError as error:
        # Without the address, which may contain a password.
        raise ImproperlyConfigured(
            "EMAIL_URL is no address such as smtp+tls://user:password@mail.example.com:587."
        ) from error
    return parsed


def _read_optional_int(read: environ.Env, name: str, default: int | None) -> int | None:
    text = read.str(name, default="")
    if not text:
        return default
    try:
        return int(text)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} is {text!r}; it must be a whole number.") from error


def _read_int(read: environ.Env, name: str, default: int, *, at_least: int = 0, at_most: int | None = None) -> int:
    number = _read_optional_int(read, name, default)
    if number is None:
        return default
    if number < at_least:
        raise ImproperlyConfigured(f"{name} is {number}; it must be {at_least} or more.")
    if at_most is not None and number > at_most:
        raise ImproperlyConfigured(f"{name} is {number}; it must be {at_most} or less.")
    return number


def _read_port(read: environ.Env, name: str, default: int, *, at_least: int = 1) -> int:
    return _read_int(read, name, default, at_least=at_least, at_most=HIGHEST_PORT)


def _read_address(read: environ.Env, name: str, default: str = "") -> str:
    """Read an address, of which others read the parts. Without showing it: it may contain a password."""
    address: str = read.str(name, default=default)
    try:
        is_readable = urlsplit(address).port != 0
    except ValueError:
        is_readable = False
    if not is_readable:
        raise ImproperlyConfigured(f"{name} is no address: its host or its port cannot be read.")
    return address


def _read_web_address(read: environ.Env, name: str) -> str:
    address = _read_address(read, name)
    if address and (urlsplit(address).scheme not in ("http", "https") or not urlsplit(address).hostname):
        raise ImproperlyConfigured(f"{name} is no address such as https://collector.example.com:4318.")
    if urlsplit(address).path.strip("/").endswith(TRACES_PATH):
        raise ImproperlyConfigured(f"{name} ends with /{TRACES_PATH}, which the library adds itself.")
    return address


def _read_headers(read: environ.Env, name: str) -> list[str]:
    headers = _read_texts(read, name)
    if not all(HEADER.fullmatch(header) for header in headers):
        # Without the headers, which may be secrets.
        raise ImproperlyConfigured(f"{name} does not list headers such as authorization=Bearer%20secret.")
    return headers


def _read_share(read: environ.Env, name: str, default: float) -> float:
    text = read.str(name, default="") or str(default)
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise ImproperlyConfigured(f"{name} is {text!r}; it must be a number from 0 to 1.")
    return share


def _make_var_dir(read: environ.Env) -> Path:
    var_dir = Path(read.str("VAR_DIR", default=str(BASE_DIR / "var"))).expanduser().resolve()
    try:
        var_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(f"VAR_DIR is {str(var_dir)!r}, which is no folder to write to.") from error
    return var_dir


def _read_networks(read: environ.Env, name: str, default: Sequence[str] = ()) -> list[Network]:
    try:
        return [ipaddress.ip_network(text) for text in _read_texts(read, name, default)]
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} does not list networks such as 192.0.2.0/24: {error}.") from error


def read_environment() -> Environment:
    """Read every variable of `.env.example`. Raises `ImproperlyConfigured`, which names an invalid variable."""
    read = environ.Env()
    mode = _read_choice(read, "PORTAL_ENV", MODES, "demo")
    var_dir = _make_var_dir(read)
    port = _read_port(read, "PORT", 8000)
    return Environment(
        mode=mode,
        var_dir=var_dir,
        secret_key=read.str("SECRET_KEY", default=DEMO_SECRET_KEY),
        otp_pepper=read.str("OTP_PEPPER", default=DEMO_OTP_PEPPER),
        allowed_hosts=_read_texts(read, "ALLOWED_HOSTS", [] if mode == "production" else ["*"]),
        base_url=_read_address(read, "BASE_URL", f"http://127.0.0.1:{port}").rstrip("/"),
        link_domains=[
            domain.lower()
            for domain in _read_texts(read, "LINK_DOMAINS", [] if mode == "production" else ["example.com"])
        ],
        support_widget_url=_read_address(read, "SUPPORT_WIDGET_URL"),
        port=port,
        web_threads=_read_int(read, "WEB_THREADS", 4, at_least=1, at_most=MOST_WEB_THREADS),
        sandbox_port=_read_port(read, "SANDBOX_PORT", 8001),
        # The demo is reached directly, so a client can forge the forwarded address.
        num_proxies=_read_optional_int(read, "NUM_PROXIES", None if mode == "production" else 0),
        admin_networks=_read_networks(read, "ADMIN_NETWORKS"),
        database=_read_database(read, var_dir),
        redis_url=_read_redis_url(read),
        email=_read_email_url(read, var_dir),
        default_from_email=read.str("DEFAULT_FROM_EMAIL", default=DEMO_SENDER),
        receipt_retention_days=_read_int(
            read, "RECEIPT_RETENTION_DAYS", FOUR_YEARS_OF_DAYS, at_least=1, at_most=MOST_RETENTION_DAYS
        ),
        log_level=_read_choice(read, "LOG_LEVEL", LOG_LEVELS, "INFO"),
        log_format=_read_choice(read, "LOG_FORMAT", LOG_FORMATS, "json" if mode == "production" else "plain"),
        sentry_dsn=_read_address(read, "SENTRY_DSN"),
        otlp_endpoint=_read_web_address(read, "OTEL_EXPORTER_OTLP_ENDPOINT").rstrip("/"),
        # The library reads them itself; here they are known as secrets.
        otlp_headers=_read_headers(read, "OTEL_EXPORTER_OTLP_HEADERS"),
        trace_share=_read_share(read, "OTEL_TRACES_SAMPLER_ARG", 1.0),
        security_contact=read.str("SECURITY_CONTACT", default=""),
        metrics_networks=_read_networks(
            read, "METRICS_NETWORKS", default=[] if mode == "production" else ["127.0.0.0/8", "::1/128"]
        ),
        metrics_port=_read_port(read, "METRICS_PORT", 0, at_least=0),
        worker_heartbeat_file=read.str("WORKER_HEARTBEAT_FILE", default=""),
        **_read_provider(read, mode),
    )
