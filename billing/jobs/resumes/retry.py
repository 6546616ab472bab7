"""Retry resumes that could not be charged, until the last retry is declined (docs/rules.md, rules 1 and 3)."""

import logging
from datetime import datetime, timedelta
from enum import StrEnum

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce

from accounts.models import Account
from accounts.profile import events
from billing.errors import BillingUnavailable, InvalidState
from billing.gateway.errors import GatewayError
from billing.mirror import account_import, documents
from billing.models import PauseSchedule, Subscription
from billing.receipts import notices
from billing.receipts.texts import notices as notice_texts
from core.clock import database_now

logger = logging.getLogger(__name__)

# Since the first decline. Most declines are for lack of funds or need the owner to call the bank: the delays reach the
# next day, past a weekend, and past most paydays. Four tries stay far below what card networks count as abuse.
RETRY_DELAYS = (timedelta(days=1), timedelta(days=3), timedelta(days=7))

# After an outage, or a refusal that was no decline.
RETRY_AFTER_OUTAGE = timedelta(hours=1)


class PostponeReason(StrEnum):
    """Why a try was postponed, for reasons other than the payment method."""

    UNAVAILABLE = BillingUnavailable.code
    REFUSED = InvalidState.code
    FAILED = "internal_error"


# A subscription is charged to its own payment source if it has one, else to the customer's.
CURRENT_SOURCE = Coalesce(
    KeyTextTransform("payment_source_id", "subscription__payload"),
    KeyTextTransform("primary_payment_source_id", "subscription__customer__payload"),
)


def pauses_due_for_retry(*, now: datetime) -> QuerySet[PauseSchedule]:
    """Return the pauses whose failed resume is due again: its retry time has come, or it has a new payment source."""
    in_effect = PauseSchedule.objects.filter(state=PauseSchedule.State.PAUSED)
    return in_effect.filter(Q(retry_at__lte=now) | Q(pk__in=pauses_with_new_source(now=now).values("pk")))


def pauses_with_new_source(*, now: datetime) -> QuerySet[PauseSchedule]:
    """Return the declined pauses that would now be charged to another payment source.

    Excludes those that were given up: the subscriber was told that nothing more is tried, and may add a card for
    something else months later. Excludes postponed ones until their time: they would be due again at once, forever.
    """
    declined = PauseSchedule.objects.filter(state=PauseSchedule.State.PAUSED, declines__gt=0, given_up_at__isnull=True)
    postponed = Q(last_error__in=list(PostponeReason), retry_at__gt=now)
    return (
        declined.exclude(postponed)
        .annotate(source=CURRENT_SOURCE)
        .exclude(source__isnull=True)
        .exclude(source=F("declined_with"))
    )


def count_given_up() -> int:
    """Return how many subscriptions stay paused because every try to charge their resume was declined."""
    return PauseSchedule.objects.filter(state=PauseSchedule.State.PAUSED, given_up_at__isnull=False).count()


def record_decline(schedule: PauseSchedule, account: Account, code: str, now: datetime) -> None:
    """Record that a resume was declined and when it is tried again, if at all, and notify the subscriber.

    The subscription stays paused. If another payment source was declined before, the retries start over.
    """
    source = _declined_source_id(schedule.subscription)
    declines = schedule.declines + 1 if source == schedule.declined_with else 1
    tries = _retry_times(declines, now)
    with transaction.atomic():
        updated = PauseSchedule.objects.filter(pk=schedule.pk, state=PauseSchedule.State.PAUSED).update(
            last_error=code,
            failed_attempts=schedule.failed_attempts + 1,
            declines=declines,
            declined_with=source,
            retry_at=tries[0] if tries else None,
            given_up_at=None if tries else now,
            next_attempt_at=database_now(),
        )
        if updated:
            schedule.refresh_from_db()
            documents.mark_documents_stale([account])
            _notify_subscriber(schedule, account, tries, now)


def postpone_retry(schedule: PauseSchedule, why: PostponeReason, now: datetime, **changes: int) -> None:
    """Postpone a resume by an hour. No decline is counted."""
    owners = list(Account.objects.filter(customer=schedule.subscription.customer_id))
    with transaction.atomic():
        PauseSchedule.objects.filter(pk=schedule.pk, state=PauseSchedule.State.PAUSED).update(
            last_error=why, retry_at=now + RETRY_AFTER_OUTAGE, next_attempt_at=database_now(), **changes
        )
        documents.mark_documents_stale(owners)


def _declined_source_id(subscription: Subscription) -> str:
    """Return the id of the payment source that was charged, refreshed from the provider if it can be reached."""
    customer = subscription.customer
    try:
        account_import.refresh_resource("customer", customer.provider_id)
    except GatewayError as error:
        logger.warning("Customer %s could not be refreshed: %s", customer.pk, error)
    customer.refresh_from_db()
    return subscription.text("payment_source_id") or customer.text("primary_payment_source_id")


def _retry_times(declines: int, now: datetime) -> list[datetime]:
    """Return when to retry after so many declines, the last of them now; at full hours, since the job is hourly."""
    if declines > len(RETRY_DELAYS):
        return []
    hour = now.replace(minute=0, second=0, microsecond=0)
    elapsed = RETRY_DELAYS[declines - 2] if declines > 1 else timedelta(0)
    return [hour + delay - elapsed for delay in RETRY_DELAYS[declines - 1 :]]


def _notify_subscriber(schedule: PauseSchedule, account: Account, tries: list[datetime], now: datetime) -> None:
    receipt = notice_texts.resume_declined_notice(schedule, tries)
    event = events.record_event(account, kind="resume_failed", text=receipt.title, actor="system", at=now)
    notices.queue_decline_notice(schedule, account, receipt, event=event)
