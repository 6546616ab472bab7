"""The system checks: what production refuses or warns of, and what every mode does."""

from ipaddress import ip_network

import pytest
from django.db import connection

from portal.checks.every_mode import (
    check_endpoint_scheme,
    check_error_reports,
    check_link_domains,
    check_mail_sender,
    check_provider_script_origin,
    check_security_contact,
    check_site_name,
    check_trace_collector,
    check_webhook_username,
)
from portal.checks.production import check_database_limits, check_demo_operators, check_production_settings
from portal.tests.environment.conftest import PASSWORD, SECRET


def production_faults():
    return {message.id for message in check_production_settings(None)}


def test_valid_production_settings_pass(production):
    assert production_faults() == set()


@pytest.mark.shows("security-41")
@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("SECRET_KEY", "short", "portal.E001"),
        ("SECRET_KEY", "demo-only-secret-key-that-production-refuses-to-start-with", "portal.E001"),
        ("SECRET_KEY", "demo-only-secret-key-that-production-refuses-to-start-withx", "portal.E001"),
        ("SECRET_KEY", "s" * 60, "portal.E001"),
        ("SECRET_KEY", "0123456789" * 6, "portal.E001"),
        ("SECRET_KEY", "0123456789" * 6 + "x", "portal.E001"),
        ("SECRET_KEY", "password" * 7 + "1", "portal.E001"),
        ("SECRET_KEY", " " * 60 + "abcdefgh", "portal.E001"),
        ("SECRET_KEY", f"django-insecure-{SECRET}", "portal.E001"),
        ("OTP_PEPPER", "", "portal.E002"),
        ("OTP_PEPPER", SECRET, "portal.E003"),
        ("OTP_PEPPER", f"{SECRET}x", "portal.E003"),
        ("ALLOWED_HOSTS", [], "portal.E004"),
        ("ALLOWED_HOSTS", ["*"], "portal.E004"),
        ("ALLOWED_HOSTS", [".com"], "portal.E004"),
        ("ALLOWED_HOSTS", ["portal.example.com", ".co.uk"], "portal.E037"),
        ("ALLOWED_HOSTS", [".GitHub.io"], "portal.E037"),
        ("ALLOWED_HOSTS", ["portal.example.com", "https://portal.example.org"], "portal.E004"),
        ("BASE_URL", "http://portal.example.com", "portal.E005"),
        ("BASE_URL", "https://", "portal.E005"),
        ("BASE_URL", "https://portal.example.com/account", "portal.E005"),
        ("BASE_URL", "https://me@portal.example.com", "portal.E005"),
        ("BASE_URL", "https://portal.example.net", "portal.E031"),
        ("LINK_DOMAINS", [], "portal.E022"),
        ("NUM_PROXIES", None, "portal.E006"),
        ("NUM_PROXIES", 0, "portal.E006"),
        ("NUM_PROXIES", -1, "portal.E006"),
        ("NUM_PROXIES", 99, "portal.E006"),
        ("METRICS_NETWORKS", [ip_network("0.0.0.0/0")], "portal.W001"),
        ("METRICS_NETWORKS", [ip_network("0.0.0.0/1"), ip_network("::1"), ip_network("128.0.0.0/1")], "portal.W001"),
        ("CELERY_BROKER_URL", "redis://:password@cache.example.com/0", "portal.W003"),
        ("CELERY_BROKER_URL", "redis://:password@10.0.0.6/0", "portal.W003"),
        ("CELERY_BROKER_URL", "rediss://:password@cache.example.com/0?ssl_cert_reqs=none", "portal.W003"),
        ("CELERY_BROKER_URL", "redis://redis:6379/0", "portal.W004"),
        ("DEFAULT_FROM_EMAIL", "Your subscriptions <no-reply@example.com>", "portal.E034"),
        ("EMAIL_HOST", "", "portal.E009"),
        ("ADMIN_NETWORKS", [], "portal.E026"),
        ("EMAIL_USE_TLS", False, "portal.E018"),
        ("CELERY_BROKER_URL", "filesystem://", "portal.E008"),
        ("EMAIL_BACKEND", "django.core.mail.backends.filebased.EmailBackend", "portal.E009"),
        ("CHARGEBEE_SITE", "portal-test", "portal.E010"),
        ("CHARGEBEE_API_KEY", "test_sandbox_key", "portal.E011"),
        ("CHARGEBEE_API_KEY", " ", "portal.E011"),
        ("CHARGEBEE_PUBLISHABLE_KEY", "", "portal.E012"),
        ("CHARGEBEE_API_KEY", "test_key", "portal.E032"),
        ("CHARGEBEE_SITE", "example-test", "portal.E033"),
        ("CHARGEBEE_ENDPOINT", "http://127.0.0.1:8001/api/v2", "portal.E013"),
        ("CHARGEBEE_PUBLISHABLE_KEY", "live_key live_key", "portal.E012"),
        ("CHARGEBEE_ENDPOINT", "https://other.chargebee.com/api/v2", "portal.E013"),
        ("CHARGEBEE_ENDPOINT", "https://example.chargebee.com/api/v1", "portal.E013"),
        ("CHARGEBEE_ENDPOINT", "https://localhost/api/v2", "portal.E013"),
        ("CHARGEBEE_ENDPOINT", "https://chargebee.com.example.com/api/v2", "portal.E013"),
        ("CHARGEBEE_ENDPOINT", "http://example.chargebee.com/api/v2", "portal.E013"),
        ("CHARGEBEE_JS_URL", "https://cdn.example.com/chargebee.js", "portal.E014"),
        ("CHARGEBEE_JS_URL", "http://js.chargebee.com/v2/chargebee.js", "portal.E014"),
        ("CHARGEBEE_JS_URL", "https://js.chargebee.com:8443/v2/chargebee.js", "portal.E014"),
        ("CHARGEBEE_JS_URL", "https://js.chargebee.com.example.com/v2/chargebee.js", "portal.E014"),
        ("CHARGEBEE_JS_URL", "https://js.chargebee.com@example.com/v2/chargebee.js", "portal.E014"),
        ("CHARGEBEE_WEBHOOK_PASSWORDS", ["demo-webhook-password"], "portal.E015"),
        ("CHARGEBEE_WEBHOOK_PASSWORDS", [PASSWORD, "short"], "portal.E015"),
        ("CHARGEBEE_WEBHOOK_PASSWORDS", ["w" * 24], "portal.E015"),
        ("CHARGEBEE_WEBHOOK_PASSWORDS", ["demo-webhook-password1"], "portal.E015"),
        ("CHARGEBEE_WEBHOOK_PASSWORDS", [], "portal.E015"),
    ],
)
def test_production_refuses_an_unsafe_setting(production, name, value, fault):
    setattr(production, name, value)
    assert fault in production_faults()


def test_production_refuses_sqlite(production, monkeypatch):
    monkeypatch.setitem(production.DATABASES["default"], "ENGINE", "django.db.backends.sqlite3")
    assert production_faults() == {"portal.E007"}


@pytest.mark.shows("security-41")
@pytest.mark.parametrize("sslmode", [None, "prefer", "disable"])
def test_production_warns_of_a_database_elsewhere_without_encryption(production, monkeypatch, sslmode):
    monkeypatch.setitem(production.DATABASES["default"], "OPTIONS", {"sslmode": sslmode})
    assert production_faults() == {"portal.W002"}


@pytest.mark.parametrize("host", ["", "127.0.0.1", "/run/postgresql", "db"])
def test_a_database_on_this_machine_needs_no_encryption(production, monkeypatch, host):
    monkeypatch.setitem(production.DATABASES["default"], "HOST", host)
    monkeypatch.setitem(production.DATABASES["default"], "OPTIONS", {})
    assert production_faults() == set()


def test_production_warns_of_a_test_site(production):
    production.CHARGEBEE_SITE = "example-test"
    production.CHARGEBEE_API_KEY, production.CHARGEBEE_PUBLISHABLE_KEY = "test_key", "test_publishable_key"
    assert production_faults() == {"portal.W005"}


@pytest.mark.shows("security-41")
@pytest.mark.parametrize(
    "sender",
    ["Portal\r\nBcc: eve@example.org <no-reply@example.org>", "Portal", "", "a@example.org, b@example.org"],
)
def test_the_sender_of_mails_is_one_address_in_every_mode(settings, sender):
    settings.DEFAULT_FROM_EMAIL = sender
    assert [message.id for message in check_mail_sender(None)] == ["portal.E028"]


@pytest.mark.shows("security-41")
@pytest.mark.parametrize(
    ("endpoint", "faults"),
    [
        ("", []),
        ("https://collector.example.com", []),
        ("http://127.0.0.1:4318", []),
        ("http://collector.example.com:4318", ["portal.W007"]),
    ],
)
def test_a_trace_collector_elsewhere_without_encryption_is_warned_of_in_every_mode(settings, endpoint, faults):
    settings.OTEL_EXPORTER_OTLP_ENDPOINT = endpoint
    assert [message.id for message in check_trace_collector(None)] == faults


@pytest.mark.parametrize(
    ("contact", "faults"),
    [
        ("", []),
        ("mailto:security@example.com", []),
        ("https://example.com/security", []),
        ("mailto:", ["portal.E035"]),
        ("https://", ["portal.E035"]),
        ("security@example.com", ["portal.E035"]),
    ],
)
def test_the_security_contact_can_be_reached_in_every_mode(settings, contact, faults):
    settings.SECURITY_CONTACT = contact
    assert [message.id for message in check_security_contact(None)] == faults


@pytest.mark.parametrize("name", ["", "charge:bee", "charge\nbee"])
def test_the_name_of_the_webhooks_fits_basic_auth_in_every_mode(settings, name):
    settings.CHARGEBEE_WEBHOOK_USERNAME = name
    assert [message.id for message in check_webhook_username(None)] == ["portal.E029"]


@pytest.mark.shows("security-41")
@pytest.mark.parametrize(
    ("dsn", "faults"),
    [
        ("", []),
        ("https://key@sentry.example.com/1", []),
        ("http://key@127.0.0.1:9000/1", []),
        ("http://key@sentry.example.com/1", ["portal.E030"]),
    ],
)
def test_reports_of_errors_are_encrypted_in_every_mode(settings, dsn, faults):
    settings.SENTRY_DSN = dsn
    assert [message.id for message in check_error_reports(None)] == faults


def test_the_demo_may_keep_its_defaults(settings):
    assert not settings.PRODUCTION
    assert production_faults() == set()


@pytest.mark.parametrize(
    "endpoint", ["http://127.0.0.1:9/api/v2", "http://localhost:9/api/v2", "https://cb.example.com"]
)
def test_plain_http_may_reach_this_machine(settings, endpoint):
    settings.CHARGEBEE_ENDPOINT = endpoint
    assert check_endpoint_scheme(None) == []


def test_plain_http_may_not_leave_this_machine(settings):
    settings.CHARGEBEE_ENDPOINT = "http://cb.example.com/api/v2"
    assert [message.id for message in check_endpoint_scheme(None)] == ["portal.E016"]


@pytest.mark.parametrize(
    ("address", "faults"),
    [
        ("https://js.chargebee.com/v2/chargebee.js", []),
        ("http://127.0.0.1:8001/v2/chargebee.js", []),
        ("http://[::1]:8001/v2/chargebee.js", []),
        ("", ["portal.E020"]),
        ("https://*/chargebee.js", ["portal.E020"]),
        ("https://*.example.com/chargebee.js", ["portal.E020"]),
        ("https://cb.example.com;script-src 'unsafe-inline'/chargebee.js", ["portal.E020"]),
        ("https://cb.example.com,x/chargebee.js", ["portal.E020"]),
        ("https://me@cb.example.com/chargebee.js", ["portal.E020"]),
        ("data:text/javascript,", ["portal.E020"]),
        ("http://cb.example.com/chargebee.js", ["portal.E021"]),
    ],
)
def test_the_providers_script_has_one_origin_in_every_mode(settings, address, faults):
    settings.CHARGEBEE_JS_URL = address
    assert [message.id for message in check_provider_script_origin(None)] == faults


@pytest.mark.shows("security-41")
@pytest.mark.parametrize(
    ("domain", "faults"),
    [
        ("example.co.uk", []),
        ("brand.example.co.uk", []),
        ("portal.internal", []),
        ("com", ["portal.E025"]),
        ("https://example.com", ["portal.E025"]),
        ("co.uk", ["portal.E036"]),
        ("github.io", ["portal.E036"]),
    ],
)
def test_links_lead_to_domains_of_one_owner_in_every_mode(settings, domain, faults):
    settings.LINK_DOMAINS = ["example.com", domain]
    assert [message.id for message in check_link_domains(None)] == faults


def test_a_domain_of_one_owner_may_be_served_with_its_subdomains(production):
    production.ALLOWED_HOSTS = ["portal.example.com", ".example.co.uk"]
    assert production_faults() == set()


@pytest.mark.parametrize(
    ("name", "faults"),
    [
        ("acme-test", []),
        ("", ["portal.E027"]),
        ("*", ["portal.E027"]),
        ("acme.example.com/", ["portal.E027"]),
        ("acme; script-src *", ["portal.E027"]),
    ],
)
def test_the_site_is_one_host_in_every_mode(settings, name, faults):
    settings.CHARGEBEE_SITE = name
    assert [message.id for message in check_site_name(None)] == faults


def test_the_providers_own_endpoint_may_be_set(production):
    production.CHARGEBEE_ENDPOINT = "https://example.chargebee.com/api/v2"
    assert production_faults() == set()


def test_mail_to_localhost_may_be_unencrypted(production):
    production.EMAIL_USE_TLS, production.EMAIL_HOST = False, "localhost"
    assert production_faults() == set()


@pytest.fixture
def operator(production, db, django_user_model):
    return django_user_model.objects.create_superuser("admin", password="admin")


def operator_check_faults():
    return [message.id for message in check_demo_operators(None, databases=["default"])]


@pytest.mark.shows("security-41")
def test_production_refuses_the_demo_operator(operator):
    assert operator_check_faults() == ["portal.E017"]


@pytest.mark.parametrize("name", ["support", "content", "finance"])
def test_production_refuses_the_demo_group_members(production, db, django_user_model, name):
    django_user_model.objects.create_user(name, password=name, is_staff=True)
    assert operator_check_faults() == ["portal.E017"]


def test_production_accepts_an_operator_with_another_password(operator):
    operator.set_password("correct horse battery staple")
    operator.save()
    assert operator_check_faults() == []


def test_production_accepts_a_database_without_operators(production, db):
    assert operator_check_faults() == []


def test_an_empty_database_can_be_migrated(production, db):
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE accounts_user RENAME TO not_made_yet")
    assert operator_check_faults() == []


def test_a_database_that_lacks_a_new_column_can_be_migrated(operator):
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE accounts_user RENAME COLUMN first_name TO not_added_yet")
    assert operator_check_faults() == ["portal.E017"]


@pytest.mark.services
@pytest.mark.shows("reliability-43")
def test_production_warns_of_a_database_without_time_limits(db, production):
    assert check_database_limits(None, databases=["default"]) == []
    with connection.cursor() as cursor:
        # PgBouncer ignores the options with which the portal connects.
        cursor.execute("SET statement_timeout = 0; SET lock_timeout = 0")
    (warning,) = check_database_limits(None, databases=["default"])
    assert warning.id == "portal.W006"
    role = connection.ops.quote_name(connection.settings_dict["USER"])
    limits = (("lock_timeout", "5s"), ("statement_timeout", "15s"))
    expected = " ".join(f"ALTER ROLE {role} SET {name} = '{value}';" for name, value in limits)
    assert warning.hint == f"Give the role its limits: {expected}"
