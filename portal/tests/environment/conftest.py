"""Fixtures: an environment without variables, and valid settings of production."""

import os
from ipaddress import ip_network

import pytest

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
