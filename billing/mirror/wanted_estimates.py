"""Which estimates of next bills are missing, and requests for them (decision 32).

The provider is asked once for each version of a subscription, its customer and the prices, and again after an event
about unbilled charges, which are of no version. It is asked only when a subscriber reads them: an account that nobody
looks at costs no request.
"""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import Account
from billing.models import NextBillEstimate, Subscription
from billing.models.mirror import LIVE_STATUSES
from billing.queries.next_bills import content_version
from core.clock import database_now
from core.workers import task_queue

State = NextBillEstimate.State


def want_missing_estimates(account: Account) -> None:
    """Request the estimates of an account's live subscriptions that are missing or outdated. Two queries if none is."""
    wanted = list(missing_estimates(account))
    if not wanted:
        return
    for subscription in wanted:
        row, created = NextBillEstimate.objects.get_or_create(
            subscription=subscription, defaults={"next_attempt_at": database_now()}
        )
        if not created:
            NextBillEstimate.objects.filter(pk=row.pk, state=State.KNOWN).update(
                state=State.WANTED, attempts=0, next_attempt_at=database_now()
            )
    task_queue.enqueue_task("billing.tasks.estimate_next_bills", account.pk)


def missing_estimates(account: Account) -> QuerySet[Subscription]:
    """Return an account's live subscriptions without an estimate of the mirror's versions that is known or wanted."""
    current = Q(
        subscription_version=OuterRef("resource_version"),
        customer_version=OuterRef("customer__resource_version"),
        content_version=content_version(),
    )
    estimate = NextBillEstimate.objects.filter(Q(state=State.WANTED) | current, subscription=OuterRef("pk"))
    live = Subscription.objects.filter(customer__account=account, deleted=False, status__in=LIVE_STATUSES)
    return live.filter(~Exists(estimate))


def outdate_estimates(subscription_ids: Collection[str]) -> None:
    """Let the estimates of subscriptions, by the provider's ids, count as missing."""
    known = NextBillEstimate.objects.filter(subscription__provider_id__in=subscription_ids, state=State.KNOWN)
    known.update(subscription_version=0)
