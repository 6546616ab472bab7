"""Gunicorn's settings, for the demo and production alike."""

import os
from pathlib import Path

_production = os.environ.get("PORTAL_ENV") == "production"


def _read_number(name: str, *, default: int, at_most: int) -> int:
    """Read a variable; exit with one sentence if it is none. Not by `portal.env`, which a reload must load anew."""
    text = os.environ.get(name, "").strip() or str(default)
    number = int(text) if text.isascii() and text.isdigit() else 0
    if not 1 <= number <= at_most:
        raise SystemExit(f"{name} is {text!r}; it must be a whole number from 1 to {at_most}.")
    return number


# In production a proxy connects from another address; the demo listens for this machine alone.
_host = os.environ.get("HOST", "0.0.0.0" if _production else "127.0.0.1")  # noqa: S104
bind = f"{_host}:{_read_number('PORT', default=8000, at_most=65_535)}"

# Threads, because changes wait for the provider and a waiting thread is cheap; four measured best. A slow client holds
# one while it sends, so production needs the proxy of deploy/, which passes on whole requests only.
worker_class = "gthread"
threads = _read_number("WEB_THREADS", default=4, at_most=1000)
# A server with more cores sets it to about their number. Gunicorn's own WEB_CONCURRENCY, unless it is a number, ends in
# a traceback before this file is read.
workers = _read_number("WEB_PROCESSES", default=2, at_most=1000)

# The demo loads the code once and shares it, to start sooner; in production a reload must load new code.
preload_app = not _production

# A worker without a heartbeat for this long is replaced. A provider call takes fifteen seconds at most.
timeout = 60
# On a deploy, requests in progress may finish: longer than the longest provider call.
graceful_timeout = 30
# Longer than the proxy keeps its connections, so that it never reuses one that we close.
keepalive = 75 if _production else 5
# Bounds leaks in native libraries; the jitter keeps workers from being replaced at the same time.
max_requests = 10_000
max_requests_jitter = 1_000

# A bearer token and cookies fit many times over; longer headers are refused before they reach the application.
limit_request_line = 4_094
limit_request_fields = 60
limit_request_field_size = 8_190

# The heartbeat file must not be on a disk that can stall.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108  (memory, on Linux)
# The proxy logs requests; a second log would only repeat URLs with signed links.
accesslog = None
errorlog = "-"
loglevel = "warning"
if os.environ.get("LOG_FORMAT", "json" if _production else "plain") == "json":
    # Gunicorn's own messages, such as of a killed process, in the format of all others.
    logconfig_dict = {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": "portal.monitoring.logs.JsonLines", "secrets": []}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["console"], "level": "WARNING"},
        "loggers": {"gunicorn.error": {"handlers": ["console"], "level": "WARNING", "propagate": False}},
    }
# A control socket in the home directory, which nothing uses.
control_socket_disable = True
