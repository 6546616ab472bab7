"""How gunicorn serves the portal, in the demo and in production alike."""

import os
from pathlib import Path

_production = os.environ.get("PORTAL_ENV") == "production"

# In production a proxy on another address reaches us; on one's own machine nobody else should.
bind = f"{os.environ.get('HOST', '0.0.0.0' if _production else '127.0.0.1')}:{os.environ.get('PORT', '8000')}"  # noqa: S104

# Threads, because a change waits for the billing provider and a waiting thread costs little; four measured best.
# Gunicorn's own, with limits on how long a client may hold one.
worker_class = "portal.gunicorn_worker.TimedWorker"
threads = int(os.environ.get("WEB_THREADS", "4"))
# Two on one's own machine; a server with more cores sets WEB_CONCURRENCY to about its cores.
workers = int(os.environ.get("WEB_CONCURRENCY", "2"))

# Loaded once and shared, so that a demo starts sooner; in production a reload is to bring new code.
preload_app = not _production

# A worker that does not report for this long is replaced. A slow provider answer is at most fifteen seconds of it.
timeout = 60
# On a deploy, requests under way may finish: longer than the longest provider call.
graceful_timeout = 30
# Longer than the proxy keeps its connections, so that it never reuses one that we are just closing.
keepalive = 75 if _production else 5
# Slow leaks in native libraries stay small, and not all workers go at the same moment.
max_requests = 10_000
max_requests_jitter = 1_000

# Headers: a bearer token and cookies fit many times over; what is longer is refused before it reaches Python code.
limit_request_line = 4_094
limit_request_fields = 60
limit_request_field_size = 8_190

# The heartbeat file must not sit on a disk that can stall.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108  (memory, on Linux)
# The proxy logs requests; a second log here would only repeat addresses that hold signed links.
accesslog = None
errorlog = "-"
loglevel = "warning"
if os.environ.get("LOG_FORMAT", "json" if _production else "plain") == "json":
    # What gunicorn itself says, as that a process was killed, in lines as all others are.
    logconfig_dict = {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": "portal.logs.JsonLines", "secrets": []}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["console"], "level": "WARNING"},
        "loggers": {"gunicorn.error": {"handlers": ["console"], "level": "WARNING", "propagate": False}},
    }
# A socket in the home directory for remote control that nothing of ours uses.
control_socket_disable = True
