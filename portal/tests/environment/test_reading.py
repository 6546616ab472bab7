"""The environment is read: defaults, and values that are refused with the name of their variable."""

import re

import pytest
from django.core.exceptions import ImproperlyConfigured

from conftest import ROOT
from portal.env import read_environment


def test_a_clone_runs_without_any_variable(bare):
    environment = read_environment()
    assert environment.mode == "demo"
    assert environment.database["ENGINE"] == "django.db.backends.sqlite3"
    assert environment.chargebee_endpoint == "http://127.0.0.1:8001/api/v2"
    assert environment.email["EMAIL_FILE_PATH"] == str(ROOT / "var" / "mail")
    assert environment.num_proxies == 0
    assert environment.port == 8000


def test_the_endpoint_follows_the_sandbox_port(bare):
    bare.setenv("SANDBOX_PORT", "9001")
    assert read_environment().chargebee_endpoint == "http://127.0.0.1:9001/api/v2"


def test_production_uses_the_endpoint_of_the_sdk(bare):
    bare.setenv("PORTAL_ENV", "production")
    environment = read_environment()
    assert environment.chargebee_endpoint == ""
    assert environment.chargebee_js_url == "https://js.chargebee.com/v2/chargebee.js"
    assert environment.num_proxies is None


@pytest.mark.shows("security-34")
@pytest.mark.parametrize("listed", ["old,new", "old, new", " old ,new ", "old, new, "])
def test_several_webhook_passwords_are_accepted(bare, listed):
    bare.setenv("CHARGEBEE_WEBHOOK_PASSWORDS", listed)
    assert read_environment().chargebee_webhook_passwords == ["old", "new"]


def test_host_names_may_be_listed_with_spaces(bare):
    bare.setenv("ALLOWED_HOSTS", "account.example.com, account.gospel.example.com")
    assert read_environment().allowed_hosts == ["account.example.com", "account.gospel.example.com"]


@pytest.mark.parametrize("mode", ["demo", "production"])
def test_a_site_takes_paypal_by_paypal_commerce_unless_told_otherwise(bare, mode):
    bare.setenv("PORTAL_ENV", mode)
    assert read_environment().chargebee_paypal_gateway == "paypal_commerce"
    bare.setenv("CHARGEBEE_PAYPAL_GATEWAY", "none")
    assert read_environment().chargebee_paypal_gateway == "none"


@pytest.mark.parametrize(
    ("listed", "read"), [(None, []), ("", []), ("stripe", ["stripe"]), ("braintree, stripe", ["stripe", "braintree"])]
)
def test_a_site_may_have_several_gateways_for_cards(bare, listed, read):
    if listed is not None:
        bare.setenv("CHARGEBEE_CARD_GATEWAYS", listed)
    assert read_environment().chargebee_card_gateways == read


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORTAL_ENV", "prod"),
        ("LOG_FORMAT", "xml"),
        ("CHARGEBEE_CARD_GATEWAYS", "adyen"),
        ("CHARGEBEE_PAYPAL_GATEWAY", "express"),
        ("NUM_PROXIES", "one"),
        ("PORT", "http"),
        ("PORT", "0"),
        ("PORT", "99999"),
        ("METRICS_PORT", "-1"),
        ("RESUME_THREADS", "0"),
        ("RECEIPT_RETENTION_DAYS", "-5"),
        ("RECEIPT_RETENTION_DAYS", "999999999999"),
        ("WEB_THREADS", "100000"),
        ("CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE", "-5"),
        ("LOG_LEVEL", "LOUD"),
    ],
)
def test_an_invalid_value_is_named_in_the_error(bare, name, value):
    bare.setenv(name, value)
    with pytest.raises((ImproperlyConfigured, ValueError), match=value):
        read_environment()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("REDIS_URL", "redis://:hidden@cache:99999/0"),
        ("REDIS_URL", "redis://:hidden@cache/abc"),
        ("EMAIL_URL", "smtp+tls://me:hidden@mail.example.com:abc"),
        ("REDIS_URL", "rediss://:hidden@:6379/0"),
        ("EMAIL_URL", "smtp+tls://me:hidden@mail.example.com:0"),
        ("DATABASE_URL", "nonsense://me:hidden@db/portal"),
        ("DATABASE_URL", "mysql://me:hidden@db/portal"),
        ("DATABASE_URL", "postgres://me:hidden@db:port/portal"),
        ("DATABASE_URL", "postgres://me:hidden@db:99999/portal"),
    ],
)
def test_an_invalid_address_is_refused_without_its_password(bare, name, value):
    bare.setenv(name, value)
    with pytest.raises(ImproperlyConfigured, match=f"^{name} is no address") as refused:
        read_environment()
    assert "hidden" not in str(refused.value)


@pytest.mark.parametrize("folder", ["/dev/null", "/dev/null/var"])
def test_a_folder_that_cannot_be_made_is_refused(bare, folder):
    bare.setenv("VAR_DIR", folder)
    with pytest.raises(ImproperlyConfigured, match=f"VAR_DIR is '{folder}', which is no folder to write to."):
        read_environment()


@pytest.mark.parametrize("name", ["BASE_URL", "SUPPORT_WIDGET_URL", "SENTRY_DSN", "OTEL_EXPORTER_OTLP_ENDPOINT"])
@pytest.mark.parametrize("address", ["https://[hidden", "https://me:hidden@example.com:port", "https://hidden:0"])
def test_an_address_whose_parts_cannot_be_read_is_refused_without_showing_it(bare, name, address):
    bare.setenv(name, address)
    with pytest.raises(ImproperlyConfigured, match=f"^{name} is no address") as refused:
        read_environment()
    assert "hidden" not in str(refused.value)


def test_the_address_of_a_trace_collector_is_without_the_path_that_the_library_adds(bare):
    bare.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector.example.com/v1/traces")
    with pytest.raises(ImproperlyConfigured, match="OTEL_EXPORTER_OTLP_ENDPOINT ends with /v1/traces"):
        read_environment()


@pytest.mark.parametrize("headers", ["hidden", "a=b,hidden", "a=\nhidden", "=hidden"])
def test_headers_that_are_none_are_refused_without_showing_them(bare, headers):
    bare.setenv("OTEL_EXPORTER_OTLP_HEADERS", headers)
    with pytest.raises(ImproperlyConfigured, match="OTEL_EXPORTER_OTLP_HEADERS does not list headers") as refused:
        read_environment()
    assert "hidden" not in str(refused.value)


@pytest.mark.parametrize("text", ["192.0.2.1/24", "everywhere"])
def test_invalid_networks_are_refused(bare, text):
    bare.setenv("ADMIN_NETWORKS", text)
    with pytest.raises(ImproperlyConfigured, match="ADMIN_NETWORKS does not list networks"):
        read_environment()


@pytest.mark.parametrize("name", ["PORT", "SANDBOX_PORT", "NUM_PROXIES"])
def test_an_error_names_the_variable_that_is_not_a_number(bare, name):
    bare.setenv(name, "many")
    with pytest.raises(ImproperlyConfigured, match=f"{name} is 'many'; it must be a whole number."):
        read_environment()


@pytest.mark.parametrize("name", ["PORT", "SANDBOX_PORT"])
def test_an_empty_number_means_the_default(bare, name):
    bare.setenv(name, "")
    assert getattr(read_environment(), name.lower()) in (8000, 8001)


def test_an_invalid_database_url_is_refused_without_showing_it(bare):
    bare.setenv("DATABASE_URL", "a-password-in-the-wrong-place")
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL is no address of a database") as refused:
        read_environment()
    assert "a-password" not in str(refused.value)


def test_every_variable_is_in_env_example():
    names = set(re.findall(r"""["']([A-Z]+(?:_[A-Z]+)+|PORT)["']""", (ROOT / "portal" / "env.py").read_text()))
    example = (ROOT / ".env.example").read_text()
    assert {name for name in names if not re.search(rf"\b{name}\b", example)} == set()
