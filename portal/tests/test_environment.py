"""The environment is read once, with types, and invalid or unsafe values are refused."""

import os
import re
import subprocess
import sys
from ipaddress import ip_network

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from conftest import ROOT
from dev.check_list import production_environment
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
from portal.env import read_environment

VARIABLES = (
    "PORT",
    "PORTAL_ENV",
    "VAR_DIR",
    "DATABASE_URL",
    "REDIS_URL",
    "EMAIL_URL",
    "NUM_PROXIES",
    "ALLOWED_HOSTS",
    "ADMIN_NETWORKS",
)


SECRET = "tTk9bI2x-ZrQ0mWv7Ld_CqYe5Hn1Ps8Ua4Gf6Jo3KtXy2Bw9Rc0Vi5Em7"
PASSWORD = "Ux7fQ-p2Lm9_Zk4tRb1YcW8e"


@pytest.fixture
def bare(monkeypatch):
    """An environment without any variable of the portal."""
    for name in (*VARIABLES, *(name for name in os.environ if name.startswith(("CHARGEBEE_", "SANDBOX_")))):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@pytest.fixture
def production(settings, monkeypatch):
    """Valid production settings."""
    settings.PRODUCTION = True
    settings.SECRET_KEY = SECRET
    settings.OTP_PEPPER = SECRET[::-1]
    settings.ALLOWED_HOSTS = ["portal.example.com"]
    settings.BASE_URL = "https://portal.example.com"
    settings.LINK_DOMAINS = ["example.com"]
    settings.NUM_PROXIES = 1
    settings.METRICS_NETWORKS = []
    database = {"ENGINE": "django.db.backends.postgresql", "HOST": "10.0.0.5", "OPTIONS": {"sslmode": "verify-full"}}
    for name, value in database.items():
        monkeypatch.setitem(settings.DATABASES["default"], name, value)
    settings.CELERY_BROKER_URL = "rediss://:password@cache.example.com/0"
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_USE_TLS = True
    settings.EMAIL_HOST = "mail.example.com"
    settings.DEFAULT_FROM_EMAIL = "Subscriptions <no-reply@portal.example.org>"
    settings.ADMIN_NETWORKS = [ip_network("192.0.2.0/24")]
    settings.CHARGEBEE_SITE = "example"
    settings.CHARGEBEE_API_KEY = "live_key"
    settings.CHARGEBEE_PUBLISHABLE_KEY = "live_publishable_key"
    settings.CHARGEBEE_ENDPOINT = ""
    settings.CHARGEBEE_JS_URL = "https://js.chargebee.com/v2/chargebee.js"
    settings.CHARGEBEE_WEBHOOK_PASSWORDS = [PASSWORD]
    return settings


def production_faults():
    return {message.id for message in check_production_settings(None)}


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


def test_several_webhook_passwords_are_accepted(bare):
    bare.setenv("CHARGEBEE_WEBHOOK_PASSWORDS", "old,new")
    assert read_environment().chargebee_webhook_passwords == ["old", "new"]


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


def load_wsgi(environment, then="print('serving')"):
    command = [sys.executable, "-W", "ignore", "-c", f"import portal.wsgi; {then}"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_a_server_with_production_settings_starts(tmp_path):
    environment = {"PATH": os.environ["PATH"], **production_environment(tmp_path)}
    assert load_wsgi(environment).stdout == "serving\n"


PRINT_STATUSES = (
    "from django.test import Client;"
    " print({{path: Client().get(path, secure=True, headers={host}).status_code for path in {paths}}})"
)
HOST = {"Host": "portal.example.com"}


PRINT_FROM_INSIDE = (
    "from django.test import Client; answer = Client(REMOTE_ADDR='192.0.2.7', HTTP_X_FORWARDED_PROTO='https')"
    ".get({path!r}, headers={host}); print(answer.status_code, 'id_code' in str(answer.content))"
)


OPERATOR_PATHS = (
    "/admin",
    "/admin/",
    "/admin/login/",
    "/admin/accounts/account/",
    "/api/schema/",
    "/metrics",
    "/metrics/",
)


@pytest.mark.shows("security-42")
def test_production_hides_operator_pages_and_the_schema_outside_the_networks(tmp_path):
    environment = {"PATH": os.environ["PATH"], **production_environment(tmp_path)}
    answer = load_wsgi(environment, PRINT_STATUSES.format(paths=OPERATOR_PATHS, host=HOST))
    assert answer.stdout == f"{dict.fromkeys(OPERATOR_PATHS, 404)}\n"


def test_production_asks_operators_for_a_code(tmp_path):
    environment = {"PATH": os.environ["PATH"], **production_environment(tmp_path)}
    answer = load_wsgi(environment, PRINT_FROM_INSIDE.format(path="/admin/login/", host=HOST))
    assert answer.stdout == "200 True\n"


PRINT_COOKIES = (
    "from django.conf import settings as s; print(s.SESSION_COOKIE_NAME, s.SESSION_COOKIE_SECURE,"
    " s.SESSION_COOKIE_HTTPONLY, s.SESSION_COOKIE_SAMESITE, s.SESSION_COOKIE_AGE, s.CSRF_COOKIE_NAME,"
    " s.CSRF_COOKIE_SECURE, s.CSRF_COOKIE_SAMESITE)"
)


def test_operator_cookies_are_bound_to_the_host_and_https(tmp_path):
    answer = load_wsgi({"PATH": os.environ["PATH"], **production_environment(tmp_path)}, PRINT_COOKIES)
    assert answer.stdout == "__Host-operator True True Strict 1800 __Host-csrf True Strict\n"


@pytest.mark.shows("security-41")
def test_a_server_with_demo_defaults_does_not_start_in_production(tmp_path):
    answer = load_wsgi({"PATH": os.environ["PATH"], "PORTAL_ENV": "production", "VAR_DIR": str(tmp_path)})
    assert answer.returncode != 0
    assert "SECRET_KEY is the demo's, too short, or easy to guess." in answer.stderr
    assert "CHARGEBEE_WEBHOOK_PASSWORDS holds a weak password or none." in answer.stderr


@pytest.mark.shows("security-41")
@pytest.mark.parametrize("process", [["worker", "--concurrency=1"], ["beat", "--pidfile="]])
def test_a_worker_and_a_beat_with_demo_defaults_do_not_start_in_production(tmp_path, process):
    answer = subprocess.run(
        [sys.executable, "-m", "celery", "-A", "portal", *process],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "PORTAL_ENV": "production", "VAR_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert answer.returncode != 0
    assert "SECRET_KEY is the demo's, too short, or easy to guess." in answer.stderr


@pytest.mark.django_db
def test_the_database_has_a_lock_timeout(settings):
    options = settings.DATABASES["default"]["OPTIONS"]
    expected = {"sqlite": "busy_timeout=20000", "postgresql": "lock_timeout=5000"}[connection.vendor]
    assert expected in str(options)


@pytest.mark.django_db
def test_sqlite_transactions_are_immediate(settings):
    if_sqlite = {"sqlite": "IMMEDIATE", "postgresql": None}[connection.vendor]
    assert settings.DATABASES["default"]["OPTIONS"].get("transaction_mode") == if_sqlite


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


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WEB_PROCESSES", "0"),
        ("WEB_PROCESSES", "two"),
        ("WEB_PROCESSES", "-1"),
        ("WEB_PROCESSES", "²"),
        ("WEB_THREADS", "0"),
        ("WEB_THREADS", "4.5"),
        ("WEB_THREADS", "99999"),
        ("PORT", "http"),
        ("PORT", "65536"),
    ],
)
def test_a_web_server_ends_with_one_sentence_about_a_bad_number(tmp_path, name, value):
    command = [sys.executable, "-m", "gunicorn", "-c", "portal/gunicorn_conf.py", "portal.wsgi"]
    environment = {"PATH": os.environ["PATH"], "VAR_DIR": str(tmp_path), name: value}
    answer = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert answer.returncode == 1
    assert re.fullmatch(rf"{name} is '{value}'; it must be a whole number from 1 to \d+\.\n", answer.stderr)


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
