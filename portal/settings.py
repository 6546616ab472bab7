"""Django's settings. What varies between installations is in `portal.env`; nothing here reads the environment."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

from csp.constants import NONE, SELF

from portal.env import BASE_DIR, read_environment
from portal.middleware import internal_probes
from portal.monitoring import sentry

ENV = read_environment()

PORTAL_ENV = ENV.mode
PRODUCTION = ENV.is_production
VAR_DIR = ENV.var_dir

# The technical error pages show settings and local variables, so they are on nowhere.
DEBUG = False
SECRET_KEY = ENV.secret_key
OTP_PEPPER = ENV.otp_pepper
# Of scrypt, for sign-in codes: the number of rounds, a power of two.
CODE_HASH_WORK_FACTOR = 2**14
ALLOWED_HOSTS = ENV.allowed_hosts
BASE_URL = ENV.base_url
# Operators type the brands' links; they lead to these domains and nowhere else.
LINK_DOMAINS = ENV.link_domains
# Not among what operators change: the pages' policy allows this script's origin.
SUPPORT_WIDGET_URL = ENV.support_widget_url
NUM_PROXIES = ENV.num_proxies
# How many requests a process of the web server answers at once; gunicorn starts as many.
WEB_THREADS = ENV.web_threads
METRICS_NETWORKS = ENV.metrics_networks
METRICS_PORT = ENV.metrics_port
WORKER_HEARTBEAT_FILE = ENV.worker_heartbeat_file
SENTRY_DSN = ENV.sentry_dsn
OTEL_EXPORTER_OTLP_ENDPOINT = ENV.otlp_endpoint
OTEL_TRACES_SAMPLER_ARG = ENV.trace_share
SECURITY_CONTACT = ENV.security_contact

INSTALLED_APPS = [
    "operators.apps.OperatorsAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "portal.apps.PublicFilesConfig",
    "axes",
    "csp",
    "django_otp",
    "django_otp.plugins.otp_static",
    "django_otp.plugins.otp_totp",
    "drf_spectacular",
    "knox",
    "rest_framework",
    "webpack_loader",
    "core",
    "accounts",
    "billing",
    "preferences",
    "operators",
    "portal",
]

MIDDLEWARE = [
    # First, so that the headers it sets are also on static files and on error pages.
    "django.middleware.security.SecurityMiddleware",
    "portal.api.middleware.RequestIdMiddleware",
    "portal.middleware.csp.SplitPolicyMiddleware",
    "portal.middleware.resource_policy.ResourcePolicyMiddleware",
    "django_permissions_policy.PermissionsPolicyMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "portal.middleware.http_methods.KnownMethodsMiddleware",
    "portal.middleware.internal_probes.AllowedHostMiddleware",
    # Hot reads are answered here: what is below is for views, most of it for operators.
    "portal.api.middleware.ApiMiddleware",
    "operators.middleware.OperatorsNetworkMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_otp.middleware.OTPMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "operators.middleware.OperatorsClockMiddleware",
    "portal.middleware.view_only.ViewOnlyMiddleware",
    # Last, since it replaces the answer of a sign-in that failed once too often.
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "portal.urls"
WSGI_APPLICATION = "portal.wsgi.application"
# The API's paths are exact: a redirect would turn a POST into a GET.
APPEND_SLASH = False

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# --- Language and time ------------------------------------------------------------------------------------------------
LANGUAGE_CODE = "en-us"
USE_I18N = True
USE_TZ = True
# Everything is stored and scheduled in UTC; the site's own zone is a setting of the site, applied where a date is made.
TIME_ZONE = "UTC"
# Dates of the admin, as people read them.
FORMAT_MODULE_PATH = "portal.formats"

# --- Database ---------------------------------------------------------------------------------------------------------
SQLITE_OPTIONS: dict[str, Any] = {
    # Taking the write lock at BEGIN is what makes read-then-write safe: deferred ones fail with "database is locked".
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA busy_timeout=20000;",
}
# A request that waits longer than this for a row is answered with an error, so that waiting ones cannot pile up.
POSTGRES_OPTIONS: dict[str, Any] = {
    "connect_timeout": 5,
    # A server that vanished without a word is noticed in half a minute; the system's own answer is two hours.
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
    "options": "-c statement_timeout=15000 -c lock_timeout=5000 -c idle_in_transaction_session_timeout=60000",
}


def _database_settings(parsed: dict[str, Any]) -> dict[str, Any]:
    sqlite = parsed["ENGINE"] == "django.db.backends.sqlite3"
    options = SQLITE_OPTIONS if sqlite else POSTGRES_OPTIONS
    return {
        **parsed,
        "ATOMIC_REQUESTS": False,  # no provider call may happen inside a transaction
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {**options, **parsed.get("OPTIONS", {})},
    }


DATABASES = {"default": _database_settings(ENV.database)}
# The session token is a model of ours; knox's own table would only stand there, and block emptying the tables.
MIGRATION_MODULES = {"knox": None}
# Codes, limits, mails and all that workers take up go by the database's clock: there may be several machines. Tests say
# what time it is.
DATABASE_CLOCK = PORTAL_ENV != "test"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Who is asking ----------------------------------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
KNOX_TOKEN_MODEL = "accounts.SessionToken"  # noqa: S105  (a model's name)
REST_KNOX = {
    # docs/rules.md, rule 13: fourteen days, renewed at most daily, ninety days in all.
    "TOKEN_TTL": timedelta(days=14),
    "AUTO_REFRESH": True,
    "MIN_REFRESH_INTERVAL": int(timedelta(days=1).total_seconds()),
    "AUTO_REFRESH_MAX_TTL": timedelta(days=90),
    "AUTH_HEADER_PREFIX": "Bearer",
    "TOKEN_PREFIX": "ssp_",  # lets secret scanners recognise a leaked one
    "TOKEN_MODEL": KNOX_TOKEN_MODEL,
}

# --- Operators --------------------------------------------------------------------------------------------------------
# The demo's operators have a password alone; nobody can enrol an app for them all.
SECOND_FACTOR = PRODUCTION
ADMIN_NETWORKS = ENV.admin_networks
LOGIN_REDIRECT_URL = "/admin/"  # where a sign-in leads that names no page of ours
OTP_TOTP_ISSUER = "Subscription portal"
# The first refuses whoever is locked out, the second knows passwords.
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
AXES_HANDLER = "operators.lockout.CountingHandler"
AXES_ONLY_ADMIN_SITE = True
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]  # a stranger elsewhere cannot lock an operator out
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False  # or trying again would lock for ever
AXES_RESET_ON_SUCCESS = True
AXES_DISABLE_ACCESS_LOG = True  # who signed in is in the log
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False
AXES_SENSITIVE_PARAMETERS = ["username", "code", "csrfmiddlewaretoken"]
AXES_CLIENT_IP_CALLABLE = "operators.lockout.lockout_address"
AXES_CLIENT_STR_CALLABLE = "operators.lockout.describe_client"
AXES_LOCKOUT_CALLABLE = "operators.lockout.lockout_response"
# Only operators in the admin have sessions and cookies; subscribers carry a bearer token.
CSRF_FAILURE_VIEW = "portal.views.csrf_failure"
SESSION_COOKIE_NAME = "__Host-operator" if PRODUCTION else "operator"
SESSION_COOKIE_AGE = int(timedelta(minutes=30).total_seconds())
SESSION_SAVE_EVERY_REQUEST = True  # thirty minutes idle, not thirty minutes in all
SESSION_EXPIRE_AT_BROWSER_CLOSE = True
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Strict"
SESSION_COOKIE_SECURE = PRODUCTION
# Of an operator who sees a subscriber's screens; it is nothing without the operator's session.
VIEW_COOKIE_NAME = "__Host-view" if PRODUCTION else "view"
CSRF_COOKIE_NAME = "__Host-csrf" if PRODUCTION else "csrf"
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Strict"
CSRF_COOKIE_SECURE = PRODUCTION
CSRF_TRUSTED_ORIGINS = [BASE_URL]

# --- The API ----------------------------------------------------------------------------------------------------------
API_BODY_LIMIT = 256 * 1024
# How many requests an account may make to one process, and at once the allowance of half a minute. Tests say when.
ACCOUNT_REQUESTS_A_SECOND: float | None = {"test": None, "demo": 50, "production": 5}[PORTAL_ENV]
DATA_UPLOAD_MAX_MEMORY_SIZE = API_BODY_LIMIT
REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.sign_in.authentication.BearerAuthentication",
        "operators.account_views.ViewAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["portal.api.case.CamelCaseJSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["portal.api.case.CamelCaseJSONParser"],
    "DEFAULT_THROTTLE_CLASSES": ["portal.api.throttles.AccountThrottle"],
    "DEFAULT_SCHEMA_CLASS": "portal.api.schema.PortalSchema",
    "EXCEPTION_HANDLER": "portal.api.errors.exception_handler",
    "DEFAULT_VERSIONING_CLASS": None,
    # What an address takes is in the document; nobody is told by asking the address.
    "DEFAULT_METADATA_CLASS": None,
    "NUM_PROXIES": NUM_PROXIES,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
    "TEST_REQUEST_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Subscription portal",
    "DESCRIPTION": "What a signed-in subscriber can see and change. Amounts are in cents, instants in UTC.",
    "VERSION": "1.0.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SERVE_AUTHENTICATION": [],
    "COMPONENT_SPLIT_REQUEST": True,
    "SCHEMA_PATH_PREFIX": "/api/",
    "PREPROCESSING_HOOKS": ["portal.api.schema.exclude_schema_endpoint"],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "portal.api.schema.camelize_document",
    ],
    # Fields of one name with other values would be named by a digest of them.
    "ENUM_NAME_OVERRIDES": {
        "PeriodUnitEnum": "billing.terms.PERIOD_UNITS",
        "SoldPeriodUnitEnum": "billing.terms.SOLD_PERIOD_UNITS",
        "StatusEnum": "billing.queries.subscriptions.holdings.STATUSES",
        "PaymentSourceStatusEnum": "billing.api.serializers.payments.STATUSES",
        "DeclineReasonEnum": "billing.queries.payments.failed_payments.DECLINE_REASONS",
        "CancelReasonEnum": "billing.survey.REASONS",
        "FreeMonthReasonEnum": "billing.changes.discounts.free_month.INELIGIBLE_REASONS",
        "OfferEnum": "billing.survey.OFFERS",
        "OfferingScreenEnum": "billing.api.serializers.requests.OFFERING_SCREENS",
    },
}

# --- The billing provider ---------------------------------------------------------------------------------------------
CHARGEBEE_SITE = ENV.chargebee_site
CHARGEBEE_API_KEY = ENV.chargebee_api_key
CHARGEBEE_PUBLISHABLE_KEY = ENV.chargebee_publishable_key
CHARGEBEE_ENDPOINT = ENV.chargebee_endpoint
CHARGEBEE_JS_URL = ENV.chargebee_js_url
CHARGEBEE_CARD_GATEWAYS = ENV.chargebee_card_gateways
CHARGEBEE_PAYPAL_GATEWAY = ENV.chargebee_paypal_gateway
RECEIPT_RETENTION_DAYS = ENV.receipt_retention_days
CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE = ENV.chargebee_background_requests_per_minute
# How many resumes one worker has under way; SQLite has one writer, whom others would only wait for.
RESUME_THREADS = ENV.resume_threads if DATABASES["default"]["ENGINE"].endswith("postgresql") else 1
CHARGEBEE_PAGE_SIZE = 100  # as many as the provider gives at once
CHARGEBEE_WEBHOOK_USERNAME = ENV.chargebee_webhook_username
CHARGEBEE_WEBHOOK_PASSWORDS = ENV.chargebee_webhook_passwords

# --- Celery -----------------------------------------------------------------------------------------------------------
BROKER_DIR = VAR_DIR / "celery"
CELERY_TIMEZONE = "UTC"
CELERY_ENABLE_UTC = True
CELERY_TASK_IGNORE_RESULT = True  # how a job ended is a row of ours
CELERY_TASK_ACKS_LATE = True
# A night's job asks the provider for minutes on end, and a thousand receipts take the mail server as long. Neither an
# invoice nor somebody's sign-in code must wait behind them.
CODES_QUEUE, MAIL_QUEUE, JOBS_QUEUE = "codes", "mail", "jobs"
CELERY_TASK_ROUTES = {
    name: {"queue": queue}
    for queue, names in {
        CODES_QUEUE: ("accounts.tasks.send_login_code", "accounts.tasks.send_due_codes"),
        MAIL_QUEUE: ("accounts.tasks.send_mail", "accounts.tasks.send_due_mails"),
        JOBS_QUEUE: tuple(f"billing.tasks.{name}" for name in ("run_job", "process_due_webhooks", "send_paced_mails")),
    }.items()
    for name in names
}
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# With the file broker, Celery's processes take their tasks from one pipe, whose lock a killed one keeps: all others
# then wait for ever. Threads cannot be killed one by one. With Redis each process has a pipe of its own.
CELERY_WORKER_POOL = "prefork" if ENV.redis_url else "threads"
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_SOFT_TIME_LIMIT = 240
CELERY_TASK_TIME_LIMIT = 300  # well under the visibility time-out, or a long task would run twice at once
# Long work ends a slice after this and goes on in the next: a last request that waits its longest still ends in time.
JOB_SLICE_SECONDS = 90
# Shorter than the time between two ticks, each of which enqueues a slice: they do not pile up.
MAIL_SLICE_SECONDS = 15
# How often a process adds what it asked the provider to the minute's row. Tests say when.
PROVIDER_TRAFFIC_SECONDS = None if PORTAL_ENV == "test" else 5
# After so many failures in a row a process leaves the provider alone for some seconds. Tests say when.
PROVIDER_FAILURES_IN_A_ROW = None if PORTAL_ENV == "test" else 5
PROVIDER_REST_SECONDS = 10  # short enough that a change in doubt is settled within a minute of the provider's return
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0.1, "interval_step": 0.1}
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "celerybeat-schedule")


def _broker_settings(redis_url: str) -> tuple[str, dict[str, Any]]:
    if PORTAL_ENV == "test":
        return "memory://", {}
    if redis_url:
        return redis_url, {
            "visibility_timeout": 900,
            # The default looks for messages of dead workers only every tenth round of ten seconds.
            "unacked_restore_interval": 1,
            # Requests publish: a Redis that says nothing for a second is as good as one that is down.
            "socket_connect_timeout": 1,
            "socket_timeout": 1,
            # How long a worker listens to a connection whose other end is gone: about twice this.
            "health_check_interval": 10,
            "socket_keepalive": True,
        }
    queue = str(BROKER_DIR / "queue")  # one folder both ways, since the same processes write and read
    return "filesystem://localhost", {
        "data_folder_in": queue,
        "data_folder_out": queue,
        "control_folder": str(BROKER_DIR / "control"),
        "polling_interval": 0.02,
    }


CELERY_BROKER_URL, CELERY_BROKER_TRANSPORT_OPTIONS = _broker_settings(ENV.redis_url)
RUNTIME_FOLDERS: list[Path] = [
    VAR_DIR / "static",
    VAR_DIR / "media",
    VAR_DIR / "mail",
    *(BROKER_DIR / name for name in ("queue", "control")),
]

# --- Mail -------------------------------------------------------------------------------------------------------------
vars().update(ENV.email)
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = ENV.default_from_email
SERVER_EMAIL = ENV.default_from_email

# --- Files ------------------------------------------------------------------------------------------------------------
FRONTEND_DIST = BASE_DIR / "frontend" / "dist"
STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [("app", FRONTEND_DIST)] if FRONTEND_DIST.is_dir() else []
MEDIA_ROOT = VAR_DIR / "media"
STORAGES = {
    "default": {"BACKEND": "portal.backends.storage.WholeFileStorage"},
    # Each document has one name: what a try that died had written is written over, not left beside the next.
    "invoices": {"BACKEND": "portal.backends.storage.WholeFileStorage", "OPTIONS": {"allow_overwrite": True}},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if PORTAL_ENV == "test"
        # Compressed, not Manifest: the bundle's names carry their own hashes, and Manifest would keep every file twice.
        else "whitenoise.storage.CompressedStaticFilesStorage"
    },
}
# In tests each client is a server of its own: a file is looked for when it is asked for, not all of them at each start.
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = PORTAL_ENV == "test"
WHITENOISE_INDEX_FILE = False
# Its default lets every other site read our files; nobody but our own pages needs them.
WHITENOISE_ALLOW_ALL_ORIGINS = False
HASHED_NAME = re.compile(r"^/static/app/.*[.-][0-9a-f]{12,32}\.[a-z0-9.]+$")


def WHITENOISE_IMMUTABLE_FILE_TEST(path: str, url: str) -> bool:  # noqa: N802  (the setting's name)
    """Whether a static file may be cached for ever: only the bundle's own hashed names."""
    return HASHED_NAME.match(url) is not None


WEBPACK_LOADER = {
    "DEFAULT": {
        "BUNDLE_DIR_NAME": "app/",
        "STATS_FILE": FRONTEND_DIST / "webpack-stats.json",
        "CACHE": PRODUCTION,
        "POLL_INTERVAL": 0.1,
        "TIMEOUT": 5,
    }
}

# --- Headers ----------------------------------------------------------------------------------------------------------
# Where browsers report what a page's policy has blocked.
POLICY_REPORT_PATH = "/csp-reports"
# The page's own policy: our scripts and styles, one Trusted Types policy for webpack's lazy chunks, nothing inline.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "object-src": [NONE],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "require-trusted-types-for": ["'script'"],
        "trusted-types": ["webpack"],
        "report-uri": [POLICY_REPORT_PATH],
    }
}
# Django's admin sets innerHTML in its own scripts, so Trusted Types stay out; it needs no inline script either.
ADMIN_CONTENT_SECURITY_POLICY = {
    "default-src": [NONE],
    "script-src": [SELF],
    "style-src": [SELF],
    "img-src": [SELF, "data:"],
    "font-src": [SELF],
    "connect-src": [SELF],
    "form-action": [SELF],
    "object-src": [NONE],
    "base-uri": [NONE],
    "frame-ancestors": [NONE],
    "report-uri": [POLICY_REPORT_PATH],
}
PERMISSIONS_POLICY: dict[str, list[str]] = {
    feature: []
    for feature in (
        "accelerometer",
        "autoplay",
        "camera",
        "display-capture",
        "encrypted-media",
        "fullscreen",
        "geolocation",
        "gyroscope",
        "hid",
        "magnetometer",
        "microphone",
        "midi",
        "payment",
        "picture-in-picture",
        "publickey-credentials-get",
        "screen-wake-lock",
        "serial",
        "usb",
        "xr-spatial-tracking",
    )
}
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_SSL_REDIRECT = PRODUCTION
SECURE_REDIRECT_EXEMPT = [
    f"^{path.removeprefix('/')}$" for path in internal_probes.PROBE_PATHS
]  # asked over plain http
SECURE_HSTS_SECONDS = int(timedelta(days=365).total_seconds()) if PRODUCTION else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = PRODUCTION
SECURE_HSTS_PRELOAD = PRODUCTION
# Only a proxy that we were told about may say how the subscriber reached it.
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if NUM_PROXIES else None

# --- Logs -------------------------------------------------------------------------------------------------------------
# What no log and no report of an error may hold, whatever a message says.
SECRETS = [
    SECRET_KEY,
    OTP_PEPPER,
    ENV.chargebee_api_key,
    *ENV.chargebee_webhook_passwords,
    *(header.partition("=")[2] for header in ENV.otlp_headers),
]
JSON_LOGS = ENV.log_format == "json"
# On one's own machine a line for every request would hide the others.
TRAFFIC_LEVEL = "INFO" if JSON_LOGS else "WARNING"
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "request_id": {"()": "portal.monitoring.logs.RequestIdFilter"},
        "mistakes": {"()": "portal.monitoring.logs.TracebackFilter"},
    },
    "formatters": {
        "line": {
            "()": f"portal.monitoring.logs.{'JsonLines' if JSON_LOGS else 'PlainLines'}",
            "secrets": SECRETS,
        },
    },
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["request_id"]},
    },
    "root": {"handlers": ["console"], "level": ENV.log_level},
    "loggers": {
        "portal.access": {"level": TRAFFIC_LEVEL},
        "billing.gateway.http.transport": {"level": TRAFFIC_LEVEL},
        # A beat is not news; how a job went is a row.
        "celery.app.trace": {"level": "WARNING"},
        "celery.beat": {"level": "WARNING"},
        "celery.worker.strategy": {"level": "WARNING"},
        # Django's own handler mails tracebacks to ADMINS; ours goes to the console and nowhere else.
        "django": {"handlers": [], "propagate": True, "level": "INFO"},
        # Refusals are answers, not events; and a signed link must not be found in a log. Tracebacks are still here.
        "django.request": {"level": "ERROR", "filters": ["mistakes"]},
        # Strangers knock with all kinds of names all day; each is answered with a 400 and is no event.
        "django.security.DisallowedHost": {"level": "CRITICAL"},
        # It warns of each answer to a HEAD, whose body it leaves out for us as it should.
        "gunicorn.http.wsgi": {"level": "ERROR"},
        # Its lines hold whole addresses, which for the provider means query strings with a subscriber's address.
        "httpx": {"level": "WARNING"},
        "httpcore": {"level": "WARNING"},
        "weasyprint": {"level": "ERROR"},
        "fontTools": {"level": "ERROR"},
    },
}
sentry.start_reporting(dsn=SENTRY_DSN, environment=PORTAL_ENV, secrets=SECRETS)
