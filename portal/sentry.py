"""Reports of unexpected errors to Sentry, where an address of one is set.

A report says where an error happened and under which request. It holds no body, cookie, header, query or variable of
the request, and its words go through the same redaction as the logs.
"""

from __future__ import annotations

import json
from typing import Any

import sentry_sdk
from sentry_sdk.types import Event, Hint

from portal import logs

# The address of a page may be a signed link; the route is told as the event's transaction.
NOT_TOLD = ("request", "user", "breadcrumbs")


def start(*, dsn: str, environment: str, secrets: list[str]) -> None:
    """Report errors from now on; without an address, nothing is reported."""
    if not dsn:
        return
    redacted = logs.Redaction(secrets)

    def cleaned(event: Event, hint: Hint) -> Event:
        return _cleaned(event, redacted)

    sentry_sdk.init(
        dsn=dsn,
        environment=environment,
        before_send=cleaned,
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
        # A process that ends waits no longer than this for what it still has to report.
        shutdown_timeout=2,
    )


def _cleaned(event: Event, redacted: logs.Redaction) -> Event:
    kept: dict[str, Any] = {name: value for name, value in event.items() if name not in NOT_TOLD}
    kept["tags"] = {**event.get("tags", {}), "request_id": logs.current_request_id()}
    cleaned: Event = redacted.within(json.loads(json.dumps(kept, default=str)))
    return cleaned
