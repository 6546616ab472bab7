"""Receipts sent late, after an outage of the mail server, say nothing that is no longer true."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import mail

from accounts.models import Account
from accounts.tests.sign_in.sign_in_client import send_due_mail
from billing import clock
from billing.changes import cancellation, pauses, undo
from billing.models import PauseSchedule
from billing.receipts.late_receipts import CHANGED_SINCE_LINE
from billing.survey import Survey
from billing.tests.changes.test_pauses import pause_plans, run_due_jobs
from billing.tests.support.live_provider import FAITH, GOSPEL, Provider

pytestmark = pytest.mark.django_db(transaction=True)


def cancel_plan(account: Account, subscription_id: str) -> None:
    cancellation.cancel_subscriptions(
        account,
        subscription_ids=[subscription_id],
        survey=Survey(),
        key="cancel",
        actor="you",
        now=clock.billing_now(),
    )


def send_mail_bodies() -> dict[str, str]:
    """Send the due mail; return the bodies of all sent mail by subject."""
    send_due_mail()
    return {str(message.subject): str(message.body) for message in mail.outbox}


def test_a_late_cancellation_receipt_says_that_the_state_changed_since(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH, GOSPEL)
    faith = provider.subscription(alice, FAITH).id
    cancel_plan(alice, faith)
    undo.remove_scheduled_cancellation(
        alice, subscription_ids=[faith], key="keep", actor="you", now=clock.billing_now()
    )

    cancelled, kept = send_mail_bodies().values()

    assert CHANGED_SINCE_LINE in cancelled
    assert "undo=" not in cancelled
    assert "Changed: " in cancelled
    assert CHANGED_SINCE_LINE not in kept


def test_a_late_receipt_offers_no_undo_of_what_already_happened(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    pause_plans(alice)
    provider.travel_to(PauseSchedule.objects.get().pause_date + timedelta(hours=1))
    run_due_jobs()

    (scheduled,) = send_mail_bodies().values()

    assert CHANGED_SINCE_LINE in scheduled
    assert "undo=" not in scheduled


def test_a_change_of_another_plan_does_not_alter_a_receipt(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH, GOSPEL)
    pause_plans(alice, FAITH)
    pauses.schedule_pause(
        alice,
        subscription_ids=[provider.subscription(alice, GOSPEL).id],
        days=30,
        key="pause-2",
        actor="you",
        now=clock.billing_now(),
    )

    sent = send_mail_bodies()

    assert len(sent) == 2
    assert not any(CHANGED_SINCE_LINE in body for body in sent.values())
    assert all("undo=" in body for body in sent.values())
