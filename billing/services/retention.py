"""What billing keeps no longer than it needs (contract, rule 17)."""

from datetime import timedelta

from django.utils import timezone

from billing.models import WebhookEvent

EVENTS_KEPT = timedelta(days=90)


def forget_old_events() -> int:
    """Delete the stored events that are older than ninety days; return how many."""
    deleted, _ = WebhookEvent.objects.filter(received_at__lt=timezone.now() - EVENTS_KEPT).delete()
    return deleted
