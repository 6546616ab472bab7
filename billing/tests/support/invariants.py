"""What must hold after a fault: all commands are settled, and the mirror equals the provider."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.models import OutgoingMail
from billing import clock
from billing.jobs import recovery
from billing.mirror import reconcile
from billing.models import Command, FeedCursor, InvoicePdf, JobRun, PauseSchedule, WebhookEvent


def reconcile_output() -> str:
    """Run `reconcile --check`; return its output and its error message."""
    output = StringIO()
    try:
        call_command("reconcile", "--check", stdout=output)
    except CommandError as error:
        output.write(str(error))
    return output.getvalue()


def expire_leases() -> None:
    """Let the leases of killed workers expire."""
    past = timezone.now() - timedelta(seconds=1)
    Command.objects.filter(state__in=Command.OPEN).update(next_attempt_at=past)
    PauseSchedule.objects.filter(attempts__gt=0).update(next_attempt_at=past)
    JobRun.objects.filter(finished_at__isnull=True).update(next_attempt_at=past)
    WebhookEvent.objects.filter(state=WebhookEvent.State.RECEIVED).update(next_attempt_at=past)
    FeedCursor.objects.update(next_attempt_at=past)
    OutgoingMail.objects.filter(state=OutgoingMail.State.PENDING).update(next_attempt_at=past)
    InvoicePdf.objects.filter(state=InvoicePdf.State.WANTED).update(next_attempt_at=past)


def assert_settled() -> None:
    """Run the sweep and read the feed; assert that no command is open and `reconcile --check` prints nothing."""
    expire_leases()
    recovery.sweep_due_work(now=clock.billing_now())
    still_open = list(Command.objects.filter(state__in=Command.OPEN).values("kind", "state", "steps"))
    assert not still_open, still_open
    reconcile.read_feed(now=clock.billing_now())
    output = reconcile_output()
    assert output == "", output
