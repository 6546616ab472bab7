"""What is written about rows that are due, against one UPDATE of as many: events of customers nobody knows."""

from __future__ import annotations

import itertools
import time
from datetime import timedelta

from dev.benches.figures import Comparison, LeftOut, hand_over, interleaved
from dev.benches.scratch import portal

NAME = "due rows"
ROWS = 5_000
_numbers = itertools.count(1)


def _due(count: int) -> None:
    from django.utils import timezone

    from billing.models import WebhookEvent

    now = timezone.now()
    WebhookEvent.objects.all().delete()
    WebhookEvent.objects.bulk_create(
        WebhookEvent(
            event_id=f"bench-{next(_numbers)}",
            event_type="customer_changed",
            occurred_at=now,
            source=WebhookEvent.Source.WEBHOOK,
            payload={"names": {"customer": ["a-stranger"]}, "api_version": "v2"},
            owner="a-stranger",
            state=WebhookEvent.State.RECEIVED,
            next_attempt_at=now - timedelta(minutes=1),
        )
        for _ in range(count)
    )


def _ours() -> float:
    from billing.models import WebhookEvent
    from billing.services import webhooks

    _due(ROWS)
    began = time.monotonic()
    webhooks.process_due()
    seconds = time.monotonic() - began
    if WebhookEvent.objects.exclude(state=WebhookEvent.State.IGNORED).exists():
        raise RuntimeError("not every event was dealt with")
    return ROWS / seconds


def _raw() -> float:
    from django.db import connection
    from django.utils import timezone

    from billing.models import WebhookEvent

    _due(ROWS)
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
    """Measure, and hand over what was seen; SQLite's writes say nothing about PostgreSQL's."""
    with portal() as database:
        if database != "postgresql":
            hand_over([LeftOut(NAME, "no PostgreSQL answers at TEST_DATABASE_URL")])
            return
        seen = interleaved({"ours": _ours, "raw": _raw})
    hand_over([Comparison(NAME, "a raw UPDATE", "a second", seen["ours"], seen["raw"], "≥ 0.30")])


if __name__ == "__main__":
    main()
