"""A worker is killed in the middle of an event: the event waits no longer than a lease."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from django.utils import timezone

from billing.mirror.events import webhook_intake
from billing.models import FeedCursor, WebhookEvent
from billing.tests.support.live_provider import FAITH
from core.workers.leases import LEASE_DURATION
from faults.support.running_portal import RunningPortal, wait_until
from portal.celery import BEAT_SECONDS

# A lease, and the beat that finds the event then; the rest is for a slow machine.
MOST_SECONDS = LEASE_DURATION.total_seconds() + BEAT_SECONDS + 20


@pytest.fixture(autouse=True)
def _restored(portal: RunningPortal) -> Iterator[None]:
    portal.settle_work()
    yield
    portal.restore_all()


def change_customer(portal: RunningPortal, name: str) -> Callable[[], bool]:
    """Change a customer, of which a webhook tells; return whether a worker reads the feed for it."""
    portal.provider.sdk.Customer.update(name, {"first_name": "Theodora"})
    held = FeedCursor.objects.filter(reading=FeedCursor.Reading.HINTED)
    return lambda: held.filter(next_attempt_at__gt=timezone.now()).exists()


def store_sought_event(_portal: RunningPortal, name: str) -> Callable[[], bool]:
    """Store an event that the feed lacks; return whether a worker reads the customer that it names."""
    event = webhook_intake.store_webhook_event(
        {
            "id": f"ev_{name}",
            "occurred_at": int(time.time()),
            "event_type": "something_happened",
            "api_version": "v2",
            "content": {"customer": {"id": name}},
        }
    )
    assert event is not None
    found = WebhookEvent.objects.filter(pk=event.pk)
    found.update(sought_at=timezone.now(), attempts=1)
    return found.filter(attempts=2).exists


@pytest.mark.shows("reliability-15")
@pytest.mark.parametrize("happening", [change_customer, store_sought_event])
def test_an_event_whose_worker_was_killed_is_applied_when_the_lease_ends(
    portal: RunningPortal, happening: Callable[[RunningPortal, str], Callable[[], bool]]
) -> None:
    name = happening.__name__.replace("_", "-")
    portal.create_subscriber(name, FAITH)
    portal.settle_work()
    portal.provider_proxy.stop_answering()
    is_in_hand = happening(portal, name)
    waiting = WebhookEvent.objects.filter(state=WebhookEvent.State.RECEIVED)
    # A tick reads the feed even without an event, and would hold it before the event has arrived.
    wait_until(waiting.exists, what="the event")
    portal.send_ticks()
    wait_until(is_in_hand, what="a worker that has the event in hand")
    assert waiting.exists()

    for worker in ("worker", "jobs"):
        portal.processes[worker].kill_process()
    portal.provider_proxy.restore()
    for worker in ("worker", "jobs"):
        portal.run_process(worker)
    portal.wait_for_all()
    wait_until(lambda: not waiting.exists(), seconds=MOST_SECONDS, what="the event's effect")
