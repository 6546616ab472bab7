"""What the tables that every application shares keep no longer than they need."""

from __future__ import annotations

from datetime import timedelta

from core.clock import database_now
from core.models import IdempotentRequest

REQUEST_RETENTION = timedelta(hours=24)


def delete_old_requests() -> int:
    """Delete the idempotent requests that are kept no longer; return how many."""
    created_before = database_now() - REQUEST_RETENTION
    deleted, _ = IdempotentRequest.objects.filter(created_at__lt=created_before).delete()
    return deleted
