"""Delete what billing keeps for a limited time (docs/rules.md, rule 17)."""

from datetime import timedelta

from django.utils import timezone

from billing import clock, job_runs
from billing.models import ProviderMinute, RefusedCode, WebhookEvent
from core.data_retention import delete_old_requests

EVENT_RETENTION = timedelta(days=90)
REFUSED_CODE_RETENTION = timedelta(days=90)
METRICS_RETENTION = timedelta(days=7)


def delete_old_data() -> dict[str, int]:
    """Delete old idempotent requests, events, refused codes, runs and metrics; return how many of each."""
    return {
        "keys_forgotten": delete_old_requests(),
        "events_forgotten": delete_old_events(),
        "codes_forgotten": delete_old_refused_codes(),
        "runs_forgotten": job_runs.delete_old_runs(),
        "minutes_forgotten": delete_old_metrics(),
    }


def delete_old_events() -> int:
    """Delete the webhook events that are older than ninety days; return how many."""
    deleted, _ = WebhookEvent.objects.filter(received_at__lt=timezone.now() - EVENT_RETENTION).delete()
    return deleted


def delete_old_refused_codes() -> int:
    """Delete the refused codes that are older than ninety days; return how many."""
    deleted, _ = RefusedCode.objects.filter(at__lt=clock.billing_now() - REFUSED_CODE_RETENTION).delete()
    return deleted


def delete_old_metrics() -> int:
    """Delete the provider metrics that are older than a week; return how many minutes."""
    deleted, _ = ProviderMinute.objects.filter(minute__lt=timezone.now() - METRICS_RETENTION).delete()
    return deleted
