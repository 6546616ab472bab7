"""The faults of the sandbox: a write happens once, whatever answer the portal gets."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import OutgoingMail
from billing import clock
from billing.changes import pauses
from billing.errors import BillingUnconfirmed
from billing.jobs import recovery
from billing.models import Command, PauseSchedule
from billing.tests.support.live_provider import FAITH, Provider
from conftest import Sandbox

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("assert_settled_after")]

REPLAYED = "200: made before, the first answer again"


@pytest.mark.shows("reliability-2", "reliability-3", "reliability-8")
@pytest.mark.parametrize(
    ("kind", "write", "then"),
    [
        ("time_out_before", "not made", "200: made"),
        ("time_out_after", "made", REPLAYED),
        ("html_body", "made", REPLAYED),
        ("cut_body", "made", REPLAYED),
        ("missing_object", "made", REPLAYED),
    ],
)
def test_a_pause_without_an_answer_is_unknown_and_then_made_once(
    provider: Provider, sandbox: Sandbox, kind: str, write: str, then: str
) -> None:
    alice = provider.subscriber("alice", FAITH)
    sandbox.order_fault(kind, "/subscriptions/*/pause", method="POST", seconds=1)

    with pytest.raises(BillingUnconfirmed):
        pauses.schedule_pause(alice, subscription_ids=None, days=30, key="one", actor="you", now=clock.billing_now())
    assert Command.objects.get().state == Command.State.UNKNOWN
    assert OutgoingMail.objects.count() == 0
    Command.objects.update(next_attempt_at=timezone.now() - timedelta(seconds=1))
    recovery.sweep_due_work(now=clock.billing_now())

    [strike] = sandbox.struck()
    assert (strike["kind"], strike["write"]) == (kind, write)
    assert [later["said"] for later in strike["later"]] == [then]
    assert len(provider.events("subscription_pause_scheduled")) == 1
    assert Command.objects.get().state == Command.State.SUCCEEDED
    assert PauseSchedule.objects.get().state == PauseSchedule.State.SCHEDULED
    assert OutgoingMail.objects.count() == 1
