"""A resume that could not be charged: when it is tried again, and when no more (contract, rules 1 and 3; runbook)."""

import logging
from datetime import datetime, timedelta
from enum import StrEnum

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce

from accounts import events
from accounts.models import Account
from billing.errors import BillingUnavailable, InvalidState
from billing.gateway.errors import GatewayError
from billing.models import PauseSchedule, Subscription
from billing.services import notice_words, notices, sync

logger = logging.getLogger(__name__)

# How long after the first decline it is tried again; after the last of them no more. A declined card mostly wants money
# or its owner's word to the bank: the next day finds the one, three days a weekend passed, a week the other and most
# paydays. Four tries are also far from what the card networks count as abuse.
TRIES_AGAIN_AFTER = (timedelta(days=1), timedelta(days=3), timedelta(days=7))

# A try that was not answered, or was refused for another reason, is made again so much later, whatever it would charge.
NEXT_TRY_AFTER_OUTAGE = timedelta(hours=1)


class Postponed(StrEnum):
    """Why a try was postponed: what it ended with says nothing of the payment method."""

    UNAVAILABLE = BillingUnavailable.code
    REFUSED = InvalidState.code
    FAILED = "internal_error"


# A subscription may be tied to a payment source of its own; the others are charged to the customer's.
SOURCE_NOW = Coalesce(
    KeyTextTransform("payment_source_id", "subscription__payload"),
    KeyTextTransform("primary_payment_source_id", "subscription__customer__payload"),
)


def to_try_again(*, now: datetime) -> QuerySet[PauseSchedule]:
    """Return the pauses in effect whose resume failed and is to be tried now: its time has come, or it is mended."""
    in_effect = PauseSchedule.objects.filter(state=PauseSchedule.State.PAUSED)
    return in_effect.filter(Q(next_try_at__lte=now) | Q(pk__in=mended(now=now).values("pk")))


def mended(*, now: datetime) -> QuerySet[PauseSchedule]:
    """Return those that were declined and not given up, and that would be charged to another method now.

    Once it was said that nothing more is tried nothing is: who adds a card months later was not asked. One whose try
    with the other method was postponed waits like any other, or it would be taken up again at once, without end.
    """
    declined = PauseSchedule.objects.filter(
        state=PauseSchedule.State.PAUSED, declines__gt=0, given_up_at__isnull=True
    )
    postponed = Q(last_error__in=list(Postponed), next_try_at__gt=now)
    return (
        declined.exclude(postponed)
        .annotate(source=SOURCE_NOW)
        .exclude(source__isnull=True)
        .exclude(source=F("declined_with"))
    )


def given_up() -> int:
    """Return how many pauses last on because every try to charge their resume failed, for operators."""
    return PauseSchedule.objects.filter(state=PauseSchedule.State.PAUSED, given_up_at__isnull=False).count()


def declined(schedule: PauseSchedule, account: Account, code: str, now: datetime) -> None:
    """Note that a resume was not paid for and when it is tried again, if at all; tell the subscriber.

    It stays paused. Another payment method than the one declined before starts the schedule anew.
    """
    source = _source_declined(schedule.subscription)
    declines = schedule.declines + 1 if source == schedule.declined_with else 1
    tries = _tries_after(declines, now)
    with transaction.atomic():
        noted = PauseSchedule.objects.filter(pk=schedule.pk, state=PauseSchedule.State.PAUSED).update(
            last_error=code,
            attempts=schedule.attempts + 1,
            declines=declines,
            declined_with=source,
            next_try_at=tries[0] if tries else None,
            given_up_at=None if tries else now,
            claimed_until=None,
        )
        if noted:
            schedule.refresh_from_db()
            _tell(schedule, account, tries, now)


def postpone(schedule: PauseSchedule, why: Postponed, now: datetime, **changes: int) -> None:
    """Have a resume tried again an hour from now, and not before; it stays paused, and no decline is counted."""
    PauseSchedule.objects.filter(pk=schedule.pk, state=PauseSchedule.State.PAUSED).update(
        last_error=why, next_try_at=now + NEXT_TRY_AFTER_OUTAGE, claimed_until=None, **changes
    )


def _source_declined(subscription: Subscription) -> str:
    """Return the provider's id of what was to be charged, as the provider has it now, else as the mirror does."""
    customer = subscription.customer
    try:
        sync.refresh("customer", customer.provider_id)
    except GatewayError as error:
        logger.warning("Customer %s could not be read again: %s", customer.pk, error)
    customer.refresh_from_db()
    return subscription.text("payment_source_id") or customer.text("primary_payment_source_id")


def _tries_after(declines: int, now: datetime) -> list[datetime]:
    """Return when it is tried after so many declines, the last of them now; from the full hour, as the jobs run."""
    if declines > len(TRIES_AGAIN_AFTER):
        return []
    hour = now.replace(minute=0, second=0, microsecond=0)
    passed = TRIES_AGAIN_AFTER[declines - 2] if declines > 1 else timedelta(0)
    return [hour + after - passed for after in TRIES_AGAIN_AFTER[declines - 1 :]]


def _tell(schedule: PauseSchedule, account: Account, tries: list[datetime], now: datetime) -> None:
    receipt = notice_words.resume_declined(schedule, tries)
    events.record(account, kind="resume_failed", text=receipt.title, actor="system", at=now)
    notices.tell_of_decline(schedule, account, receipt)
