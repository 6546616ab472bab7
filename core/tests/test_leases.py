"""A lease gives a row to one worker at a time, and to the next one after it has expired."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth import get_user_model
from django.utils import timezone

from core.models import IdempotentRequest
from core.workers.leases import LeaseLost

pytestmark = pytest.mark.django_db

LEASE = timedelta(minutes=1)


@pytest.fixture
def row() -> IdempotentRequest:
    user = get_user_model().objects.create(username="ava")
    return IdempotentRequest.objects.create(user=user, key="one", fingerprint="f")


def test_only_one_of_two_workers_claims_the_row(row: IdempotentRequest) -> None:
    rows = IdempotentRequest.objects
    first, second = rows.claim_one(row.pk, lease=LEASE), rows.claim_one(row.pk, lease=LEASE)

    assert first is not None
    assert second is None
    assert first.attempts == 1
    assert not rows.due().exists()


def test_a_stale_row_cannot_be_claimed(row: IdempotentRequest) -> None:
    stale = IdempotentRequest.objects.get()
    assert row.claim(LEASE)

    assert not stale.claim(LEASE)
    assert stale.attempts == 0


def test_a_worker_with_an_expired_lease_cannot_change_the_row(
    row: IdempotentRequest,
) -> None:
    with time_machine.travel(timezone.now(), tick=False) as clock:
        assert row.claim(LEASE)
        clock.shift(LEASE)
        second = IdempotentRequest.objects.claim_one(row.pk, lease=LEASE)

        assert second is not None
        assert second.attempts == 2
        assert not row.finish(status=200)
        assert not row.retry_later(timedelta(0))
        with pytest.raises(LeaseLost):
            row.renew_lease(LEASE)
        with pytest.raises(LeaseLost):
            IdempotentRequest.objects.lock_held([row])
        assert second.finish(status=201)
    assert IdempotentRequest.objects.get().status == 201


def test_a_finished_row_is_never_claimed_again(row: IdempotentRequest) -> None:
    assert row.claim(LEASE)
    assert row.finish(status=200)

    assert IdempotentRequest.objects.claim_one(row.pk, lease=LEASE) is None
    assert not row.finish(status=500)
    assert IdempotentRequest.objects.get().next_attempt_at is None


def test_a_released_row_is_due_after_its_delay(row: IdempotentRequest) -> None:
    with time_machine.travel(timezone.now(), tick=False) as clock:
        assert row.claim(LEASE)
        assert row.retry_later(timedelta(seconds=5))

        assert not IdempotentRequest.objects.due().exists()
        clock.shift(timedelta(seconds=5))
        assert IdempotentRequest.objects.due().get() == row


def test_releasing_untried_rows_counts_no_attempt(row: IdempotentRequest) -> None:
    IdempotentRequest.objects.claim_page([row.pk], lease=LEASE)
    IdempotentRequest.objects.release_page([row.pk], delay=timedelta(0))

    found = IdempotentRequest.objects.due().get()
    assert found.attempts == 0
