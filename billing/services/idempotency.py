"""Idempotency keys of subscribers' requests: the first final answer is given again (contract, section 2)."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.db import IntegrityError, transaction

from accounts.models import Account
from billing.errors import BillingError, ChangeInProgress
from billing.models import IdempotentRequest
from billing.services import leases

KEPT = timedelta(hours=24)
# A request that has worked longer than this has died: its key may be taken up again.
CLAIM = timedelta(seconds=60)
# How long a second request with the same key waits for the first one's answer: a double click gets the same answer.
WAIT_SECONDS = 10.0
POLL_SECONDS = 0.1


class IdempotencyKeyReused(BillingError):
    """The key came with another request before."""

    code = "idempotency_key_reused"
    status = 409
    message = "This request was already used for another change. Please start again."


@dataclass(frozen=True)
class Replay:
    """The final answer that a key got before."""

    status: int
    body: object


@dataclass(frozen=True)
class Claim:
    """The right to work on a key's answer; `command_key` is the key of the command that the request stands for.

    It is never the subscriber's own words: one that spelled the key of a job's command would have the job believe
    that its work was done. And a key that is used again after it was forgotten stands for another command.
    """

    command_key: str


def begin(account: Account, key: str, fingerprint: str, *, allow: Callable[[], None]) -> Replay | Claim:
    """Claim a key for a request, or return the answer it got before.

    `allow` is asked when the key is new, and never for its repeats: the same request again tries nothing new. A key
    that it raises for stays new. Raises IdempotencyKeyReused when it came with another request, ChangeInProgress when
    the first request with it is still at work.
    """
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        row, claimed = _claim(account, key, fingerprint, allow)
        if row.fingerprint != fingerprint:
            raise IdempotencyKeyReused
        if row.status is not None:
            return Replay(status=row.status, body=row.body)
        if claimed:
            return Claim(command_key=f"request-{row.pk}")
        if time.monotonic() > deadline:
            raise ChangeInProgress
        time.sleep(POLL_SECONDS)


def finish(account: Account, key: str, status: int, body: object) -> None:
    """Keep a key's final answer."""
    IdempotentRequest.objects.filter(account=account, key=key).update(status=status, body=body)


def abandon(account: Account, key: str) -> None:
    """Free a key whose answer was not final: the same request may be asked again."""
    IdempotentRequest.objects.filter(account=account, key=key, status__isnull=True).update(
        claimed_at=leases.now() - CLAIM
    )


def forget_old() -> int:
    """Delete the keys that are kept no longer; return how many."""
    deleted, _ = IdempotentRequest.objects.filter(created_at__lt=leases.now() - KEPT).delete()
    return deleted


def _claim(
    account: Account, key: str, fingerprint: str, allow: Callable[[], None]
) -> tuple[IdempotentRequest, bool]:
    now = leases.now()
    try:
        with transaction.atomic():
            row = IdempotentRequest.objects.create(
                account=account, key=key, fingerprint=fingerprint, claimed_at=now
            )
            # In the key's own transaction: it is known if and only if it was allowed, whoever asks at the same time.
            allow()
            return row, True
    except IntegrityError:
        row = IdempotentRequest.objects.get(account=account, key=key)
    if row.status is not None or row.fingerprint != fingerprint:
        return row, False
    won = IdempotentRequest.objects.filter(
        pk=row.pk, status__isnull=True, claimed_at=row.claimed_at, claimed_at__lte=now - CLAIM
    ).update(claimed_at=now)
    return row, won == 1
