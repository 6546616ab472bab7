"""Settings of the sandbox process, read once from the environment.

===============================  =============================================  ================================
variable                         meaning                                        default
===============================  =============================================  ================================
SANDBOX_PORT                     port on the loopback interface                 8001
SANDBOX_DATABASE                 SQLite file                                    $VAR_DIR/sandbox.sqlite3
SANDBOX_SITE                     name of the site                               portal-test
SANDBOX_API_KEY                  full-access key                                test_sandbox_key
SANDBOX_PUBLISHABLE_KEY          key a browser may hold                         test_sandbox_publishable_key
SANDBOX_PORTAL_ORIGIN            whose pages may embed the card fields          http://127.0.0.1:$PORT
SANDBOX_WEBHOOK_URL              where events go; empty turns webhooks off      the portal's endpoint on $PORT
SANDBOX_WEBHOOK_USERNAME         basic auth of the webhooks                     chargebee
SANDBOX_WEBHOOK_PASSWORD         basic auth of the webhooks                     demo-webhook-password
SANDBOX_REQUESTS_PER_MINUTE      request limit of the site; 0 is no limit       0
SANDBOX_TIME_ZONE                time zone of the dates in descriptions         America/New_York
SANDBOX_TAX_PERCENT              tax added to every line; 0 is no tax           0
SANDBOX_DUNNING_RETRIES          retries a day apart after a failed collection  6
SANDBOX_DUNNING_END              keep, cancel, or pause after the last retry    keep
SANDBOX_UNPAID_CHANGES           1 lets a change stand whose charge fails       0: it is refused
SANDBOX_UNBILLED_CHARGES         1 adds charges to the next invoice             0: they are invoiced
SANDBOX_CARD_GATEWAY             gateway of new cards                           chargebee
SANDBOX_BILLING_DAY              day of the month that all are billed on        0: each on its own
SANDBOX_CONSOLIDATED_INVOICES    1 puts a customer's renewals on one invoice    0: an invoice each
SANDBOX_BUSINESS_ENTITY          business entity of new customers               none
SANDBOX_LOCK_WAIT_SECONDS        wait for another write of the same customer    2
SANDBOX_MAIL_DIR                 mail files shown at /inbox                     $VAR_DIR/mail
SANDBOX_ACCESS_LOG               file of the access log, ``-`` for stdout       none
===============================  =============================================  ================================

Those from SANDBOX_TIME_ZONE to SANDBOX_LOCK_WAIT_SECONDS are defaults of the site's settings (site_settings.py).
"""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VAR_DIR = Path(os.environ.get("VAR_DIR", str(ROOT / "var")))

SANDBOX_PORT = int(os.environ.get("SANDBOX_PORT", "8001"))
SANDBOX_DATABASE = os.environ.get("SANDBOX_DATABASE", str(VAR_DIR / "sandbox.sqlite3"))
SANDBOX_SITE = os.environ.get("SANDBOX_SITE", "portal-test")
SANDBOX_API_KEY = os.environ.get("SANDBOX_API_KEY", "test_sandbox_key")
SANDBOX_PUBLISHABLE_KEY = os.environ.get("SANDBOX_PUBLISHABLE_KEY", "test_sandbox_publishable_key")
_PORTAL = f"http://127.0.0.1:{os.environ.get('PORT', '8000')}"
SANDBOX_PORTAL_ORIGIN = os.environ.get("SANDBOX_PORTAL_ORIGIN", _PORTAL)
SANDBOX_WEBHOOK_URL = os.environ.get("SANDBOX_WEBHOOK_URL", f"{_PORTAL}/webhooks/chargebee")
SANDBOX_WEBHOOK_USERNAME = os.environ.get("SANDBOX_WEBHOOK_USERNAME", "chargebee")
SANDBOX_WEBHOOK_PASSWORD = os.environ.get("SANDBOX_WEBHOOK_PASSWORD", "demo-webhook-password")
SANDBOX_REQUESTS_PER_MINUTE = int(os.environ.get("SANDBOX_REQUESTS_PER_MINUTE", "0"))
SANDBOX_TIME_ZONE = os.environ.get("SANDBOX_TIME_ZONE", "America/New_York")
SANDBOX_TAX_PERCENT = float(os.environ.get("SANDBOX_TAX_PERCENT", "0"))
SANDBOX_DUNNING_RETRIES = int(os.environ.get("SANDBOX_DUNNING_RETRIES", "6"))
SANDBOX_DUNNING_END = os.environ.get("SANDBOX_DUNNING_END", "keep")
SANDBOX_UNPAID_CHANGES = os.environ.get("SANDBOX_UNPAID_CHANGES", "0") == "1"
SANDBOX_UNBILLED_CHARGES = os.environ.get("SANDBOX_UNBILLED_CHARGES", "0") == "1"
SANDBOX_CARD_GATEWAY = os.environ.get("SANDBOX_CARD_GATEWAY", "chargebee")
SANDBOX_BILLING_DAY = int(os.environ.get("SANDBOX_BILLING_DAY", "0"))
SANDBOX_CONSOLIDATED_INVOICES = os.environ.get("SANDBOX_CONSOLIDATED_INVOICES", "0") == "1"
SANDBOX_BUSINESS_ENTITY = os.environ.get("SANDBOX_BUSINESS_ENTITY", "")
SANDBOX_LOCK_WAIT_SECONDS = float(os.environ.get("SANDBOX_LOCK_WAIT_SECONDS", "2"))
# The fields of SiteSettings.
SITE_DEFAULTS = {
    "dunning_retries": SANDBOX_DUNNING_RETRIES,
    "dunning_end": SANDBOX_DUNNING_END,
    "unpaid_changes": SANDBOX_UNPAID_CHANGES,
    "unbilled_charges": SANDBOX_UNBILLED_CHARGES,
    "card_gateway": SANDBOX_CARD_GATEWAY,
    "tax_percent": SANDBOX_TAX_PERCENT,
    "time_zone": SANDBOX_TIME_ZONE,
    "billing_day": SANDBOX_BILLING_DAY,
    "consolidated_invoices": SANDBOX_CONSOLIDATED_INVOICES,
    "business_entity": SANDBOX_BUSINESS_ENTITY,
    "lock_wait_seconds": SANDBOX_LOCK_WAIT_SECONDS,
}
SANDBOX_MAIL_DIR = Path(os.environ.get("SANDBOX_MAIL_DIR", str(VAR_DIR / "mail")))

# Nothing is signed here, but Django requires a value.
SECRET_KEY = "the-sandbox-signs-nothing"  # noqa: S105
DEBUG = False
# Names of this machine only, against DNS rebinding: another site's page must not read the inbox.
ALLOWED_HOSTS = ["127.0.0.1", "localhost", ".localhost", "[::1]"]
INSTALLED_APPS = ["chargebee_sandbox.apps.SandboxConfig"]
MIDDLEWARE = [
    "django.middleware.common.CommonMiddleware",
    "chargebee_sandbox.payment_services.hosts.PaymentServiceHosts",
]
ROOT_URLCONF = "chargebee_sandbox.urls"
WSGI_APPLICATION = "chargebee_sandbox.wsgi.application"
APPEND_SLASH = False
USE_TZ = True
TIME_ZONE = "UTC"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATA_UPLOAD_MAX_MEMORY_SIZE = 1_048_576
# Cookies ignore ports: under Django's default name this one would overwrite the portal's.
CSRF_COOKIE_NAME = "sandbox_csrftoken"
CSRF_COOKIE_SAMESITE = "Strict"
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "chargebee_sandbox.console.views.csrf_failure"
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": SANDBOX_DATABASE,
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA busy_timeout=20000; "
                "PRAGMA temp_store=MEMORY;"
            ),
        },
    }
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"stderr": {"class": "logging.StreamHandler"}},
    "loggers": {"chargebee_sandbox": {"handlers": ["stderr"], "level": "INFO"}},
}

# Called once, in this order, when the serving process starts (wsgi.py): paths of functions without arguments.
SANDBOX_BACKGROUND = [
    "chargebee_sandbox.engine.clock_thread.start_clock",
    "chargebee_sandbox.webhook_delivery.start_delivery",
]
