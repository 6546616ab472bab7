"""Reports unexpected errors to Sentry if a DSN is set.

A report contains where an error happened and the request's id, but no body, cookies, headers, query or local variables.
Its texts are redacted as in the logs.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ImproperlyConfigured

from portal.monitoring import logs

if TYPE_CHECKING:
    from sentry_sdk.types import Event, Hint

# A URL may contain a signed token. The route is reported as the event's transaction.
OMITTED_KEYS = ("request", "user", "breadcrumbs")


def start_reporting(*, dsn: str, environment: str, secrets: list[str]) -> None:
    """Start reporting errors, unless the DSN is empty. Raises `ImproperlyConfigured` if it is not one."""
    if not dsn:
        return
    # Without a DSN, no process waits for this import.
    import sentry_sdk
    from sentry_sdk.utils import BadDsn, Dsn

    try:
        Dsn(dsn)
    except BadDsn as error:
        raise ImproperlyConfigured("SENTRY_DSN is not one, such as https://key@sentry.example.com/1.") from error
    redaction = logs.Redaction(secrets)

    def redact_event(event: Event, hint: Hint) -> Event:
        return _redact_event(event, redaction)

    sentry_sdk.init(
        dsn=dsn,
        environment=environment,
        before_send=redact_event,
        data_collection={
            "user_info": False,
            "cookies": {"mode": "off"},
            "http_headers": {"request": {"mode": "off"}},
            "http_bodies": [],
            "url_query_params": {"mode": "off"},
            "database_query_data": False,
            "queues": False,
            "stack_frame_variables": False,
        },
        max_breadcrumbs=0,
        traces_sample_rate=None,
        # Limits how long an exiting process waits for pending reports.
        shutdown_timeout=2,
    )


def _redact_event(event: Event, redaction: logs.Redaction) -> Event:
    report: dict[str, Any] = {name: value for name, value in event.items() if name not in OMITTED_KEYS}
    report["tags"] = {**event.get("tags", {}), "request_id": logs.current_request_id()}
    redacted: Event = redaction.redact_json(json.loads(json.dumps(report, default=str)))
    return redacted
