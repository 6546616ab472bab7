"""The faults that the provider's stand-in can be told to have: whatever is heard of a write, it is made once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import OutgoingMail
from billing import clock
from billing.errors import BillingUnconfirmed
from billing.models import Command, PauseSchedule
from billing.services import pauses, sweep
from billing.tests.live import FAITH, Provider
from conftest import Sandbox

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("in_step")]

REPLAYED = "200: made before, the first answer again"


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
def test_a_pause_whose_answer_is_none_is_unknown_and_then_made_exactly_once(
    provider: Provider, sandbox: Sandbox, kind: str, write: str, then: str
) -> None:
    alice = provider.subscriber("alice", FAITH)
    sandbox.misbehave(kind, "/subscriptions/*/pause", method="POST", seconds=1)

    with pytest.raises(BillingUnconfirmed):
        pauses.schedule(alice, subscription_ids=None, days=30, key="one", actor="you", now=clock.now())
    assert Command.objects.get().state == Command.State.UNKNOWN
    assert OutgoingMail.objects.count() == 0
    Command.objects.update(next_attempt_at=timezone.now() - timedelta(seconds=1))
    sweep.run(now=clock.now())

    [strike] = sandbox.struck()
    assert (strike["kind"], strike["write"]) == (kind, write)
    assert [later["said"] for later in strike["later"]] == [then]
    assert len(provider.events("subscription_pause_scheduled")) == 1
    assert Command.objects.get().state == Command.State.SUCCEEDED
    assert PauseSchedule.objects.get().state == PauseSchedule.State.SCHEDULED
    assert OutgoingMail.objects.count() == 1
