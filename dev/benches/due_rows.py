"""Process due webhook events of unknown customers, against one UPDATE of as many rows."""

from __future__ import annotations

import itertools
import time
from datetime import timedelta

from dev.benches.support import fake_provider
from dev.benches.support.measurements import Comparison, NotMeasured, measure_interleaved, print_figures
from dev.benches.support.scratch_portal import scratch_portal

NAME = "due rows"
ROWS = 5_000
_numbers = itertools.count(1)


def _insert_due_events(count: int) -> None:
    from django.utils import timezone

    from billing.models import WebhookEvent

    now = timezone.now()
    WebhookEvent.objects.all().delete()
    WebhookEvent.objects.bulk_create(
        WebhookEvent(
            event_id=f"bench-{next(_numbers)}",
            event_type="subscription_renewed",
            occurred_at=now,
            source=WebhookEvent.Source.WEBHOOK,
            payload={"names": {"subscription": ["a-strangers"]}, "api_version": "v2"},
            owner="a-stranger",
            state=WebhookEvent.State.RECEIVED,
            sought_at=now,
            next_attempt_at=now - timedelta(minutes=1),
        )
        for _ in range(count)
    )


def _measure_ours() -> float:
    from billing.mirror.events import webhook_processing
    from billing.models import WebhookEvent

    _insert_due_events(ROWS)
    began = time.monotonic()
    webhook_processing.process_due_events()
    seconds = time.monotonic() - began
    if WebhookEvent.objects.exclude(state=WebhookEvent.State.IGNORED).exists():
        raise RuntimeError("not every event was processed")
    return ROWS / seconds


def _measure_raw_update() -> float:
    from django.db import connection
    from django.utils import timezone

    from billing.models import WebhookEvent

    _insert_due_events(ROWS)
    statement = f"""
        UPDATE {WebhookEvent._meta.db_table}
        SET state = %s, attempts = attempts + 1, processed_at = %s, next_attempt_at = NULL WHERE state = %s
    """  # noqa: S608  (our own table's name)
    now = timezone.now()
    with connection.cursor() as cursor:
        began = time.monotonic()
        cursor.execute(statement, [WebhookEvent.State.IGNORED, now, WebhookEvent.State.RECEIVED])
        return ROWS / (time.monotonic() - began)


def main() -> None:
    """Measure and print, on PostgreSQL alone: SQLite's writes say nothing about its."""
    with scratch_portal() as database:
        if database != "postgresql":
            print_figures([NotMeasured(NAME, "no PostgreSQL answers at TEST_DATABASE_URL")])
            return
        from django.test import override_settings

        with (
            fake_provider.run_provider(milliseconds=0) as address,
            override_settings(CHARGEBEE_ENDPOINT=f"{address}/api/v2"),
        ):
            seen = measure_interleaved({"ours": _measure_ours, "raw": _measure_raw_update})
    print_figures([Comparison(NAME, "a raw UPDATE", "a second", seen["ours"], seen["raw"], "≥ 0.30")])


if __name__ == "__main__":
    main()
