"""What must hold once a fault is over: everything is settled, and the portal holds what the provider holds."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO
from typing import Any

from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.models import Account, OutgoingMail
from billing import clock
from billing.api.documents import render_documents
from billing.jobs import recovery
from billing.mirror import reconcile
from billing.models import Command, InvoicePdf, JobRun, PauseSchedule, WebhookEvent


def reconcile_output() -> str:
    """Run `reconcile --check`; return what it prints, or what it ends with."""
    said = StringIO()
    try:
        call_command("reconcile", "--check", stdout=said)
    except CommandError as error:
        said.write(str(error))
    return said.getvalue()


def built_documents(account: Account) -> dict[str, Any]:
    """Return the bodies of the hot reads as they would be built now."""
    return {kind: json.loads(text) for kind, text in render_documents(account).items()}


def expire_leases() -> None:
    """Let so much time have passed that whoever worked on something and died holds it no longer."""
    past = timezone.now() - timedelta(seconds=1)
    Command.objects.filter(state__in=Command.OPEN).update(next_attempt_at=past)
    PauseSchedule.objects.filter(attempts__gt=0).update(next_attempt_at=past)
    JobRun.objects.filter(finished_at__isnull=True).update(next_attempt_at=past)
    WebhookEvent.objects.filter(state=WebhookEvent.State.RECEIVED).update(next_attempt_at=past)
    OutgoingMail.objects.filter(state=OutgoingMail.State.PENDING).update(next_attempt_at=past)
    InvoicePdf.objects.filter(state=InvoicePdf.State.WANTED).update(next_attempt_at=past)


def assert_settled() -> None:
    """Sweep, and read the feed in place of the webhooks: nothing is open, and `reconcile --check` prints nothing."""
    expire_leases()
    recovery.sweep_due_work(now=clock.billing_now())
    still_open = list(Command.objects.filter(state__in=Command.OPEN).values("kind", "state", "steps"))
    assert not still_open, still_open
    reconcile.read_feed(now=clock.billing_now())
    told = reconcile_output()
    assert told == "", told
