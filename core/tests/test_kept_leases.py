"""While a worker works, a thread renews its leases; if it dies or hangs, they expire soon."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from pytest_django import Settings

from core.models import IdempotentRequest
from core.workers.leases import keep_leases

pytestmark = pytest.mark.django_db(transaction=True)

# A renewal may come late on a busy machine.
LEASE = timedelta(seconds=3)
# Longer than a lease: one that is not renewed has expired.
LONG_WORK_SECONDS = 4.0
PATIENCE_SECONDS = 60.0


@pytest.fixture
def row() -> IdempotentRequest:
    user = get_user_model().objects.create(username="ava")
    row = IdempotentRequest.objects.create(user=user, key="one", fingerprint="f")
    assert row.claim(LEASE)
    return row


def can_be_claimed() -> bool:
    return IdempotentRequest.objects.due().exists()


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_lease_is_renewed_while_its_worker_works(row: IdempotentRequest) -> None:
    with keep_leases([row], lease=LEASE):
        time.sleep(LONG_WORK_SECONDS)
        assert not can_be_claimed()
    # As after the worker's death: nobody renews it any more.
    wait_for(can_be_claimed)


def test_work_that_hangs_loses_its_lease(row: IdempotentRequest, settings: Settings) -> None:
    settings.CELERY_TASK_TIME_LIMIT = LONG_WORK_SECONDS
    with keep_leases([row], lease=LEASE):
        wait_for(can_be_claimed)


def test_a_lease_that_another_worker_has_is_not_renewed(row: IdempotentRequest) -> None:
    with keep_leases([row], lease=LEASE):
        # As if this process had been suspended for longer than its lease.
        IdempotentRequest.objects.update(next_attempt_at=row.created_at)
        taken = IdempotentRequest.objects.claim_one(row.pk, lease=LONG_WORK_SECONDS * LEASE)
        time.sleep(LONG_WORK_SECONDS)
    assert taken is not None
    assert IdempotentRequest.objects.get().next_attempt_at == taken.next_attempt_at


def test_a_finished_row_gets_no_new_lease(row: IdempotentRequest) -> None:
    with keep_leases([row], lease=LEASE):
        assert row.finish(status=200)
        time.sleep(LEASE.total_seconds())
    assert IdempotentRequest.objects.get().next_attempt_at is None


@pytest.mark.services
def test_a_renewal_that_fails_is_repeated(row: IdempotentRequest) -> None:
    with keep_leases([row], lease=LEASE):
        # Until the thread has a connection.
        wait_for(lambda: not IdempotentRequest.objects.filter(next_attempt_at=row.next_attempt_at).exists())
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE pid <> pg_backend_pid() AND datname = current_database()"
            )
        time.sleep(LONG_WORK_SECONDS)
        assert not can_be_claimed()
