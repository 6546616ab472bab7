"""A mail server that was away: a receipt that leaves late does not say what is no longer so (contract, rule 16)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import mail

from accounts.models import Account
from accounts.tests.door import post
from billing import clock
from billing.models import PauseSchedule
from billing.services import cancelling, pauses, undo
from billing.services.late_receipts import CHANGED_SINCE
from billing.survey import Survey
from billing.tests.live import FAITH, GOSPEL, Provider
from billing.tests.services.test_pausing import pause, run_due_jobs

pytestmark = pytest.mark.django_db(transaction=True)


def cancel(account: Account, subscription_id: str) -> None:
    cancelling.cancel(
        account,
        subscription_ids=[subscription_id],
        survey=Survey(),
        key="cancel",
        actor="you",
        now=clock.now(),
    )


def bodies() -> dict[str, str]:
    """Send what waits; return what was sent, by subject."""
    post()
    return {str(one.subject): str(one.body) for one in mail.outbox}


def test_what_was_kept_since_is_not_said_to_end(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH, GOSPEL)
    faith = provider.subscription(alice, FAITH).id
    cancel(alice, faith)
    undo.remove_scheduled_cancellation(
        alice, subscription_ids=[faith], key="keep", actor="you", now=clock.now()
    )

    cancelled, kept = bodies().values()

    assert CHANGED_SINCE in cancelled
    assert "undo=" not in cancelled
    assert "Changed: " in cancelled
    assert CHANGED_SINCE not in kept


def test_what_has_come_about_since_is_not_offered_to_be_taken_back(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    pause(alice)
    provider.travel_to(PauseSchedule.objects.get().pause_date + timedelta(hours=1))
    run_due_jobs()

    (scheduled,) = bodies().values()

    assert CHANGED_SINCE in scheduled
    assert "undo=" not in scheduled


def test_a_change_of_another_plan_leaves_a_receipt_as_it_is(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH, GOSPEL)
    pause(alice, FAITH)
    pauses.schedule(
        alice,
        subscription_ids=[provider.subscription(alice, GOSPEL).id],
        days=30,
        key="pause-2",
        actor="you",
        now=clock.now(),
    )

    sent = bodies()

    assert len(sent) == 2
    assert not any(CHANGED_SINCE in body for body in sent.values())
    assert all("undo=" in body for body in sent.values())
