"""The pauses that are due to be resumed, which workers claim in pages by lease.

A lease only saves work: the command ensures that each pause is resumed once (one key, one open command per account). A
lease that expires while its worker is still busy does no harm.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from datetime import time as time_of_day
from itertools import groupby
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.brands import site
from billing import clock
from billing.jobs.resumes import retry
from billing.models import Customer, PauseSchedule, Subscription
from core.clock import database_now

# In customers. Large enough to keep a worker's threads busy for a while.
PAGE_SIZE = 128
# Longer than a slice and its last page can take.
LEASE_DURATION = timedelta(minutes=5)


@dataclass(frozen=True)
class DueResumes:
    """The pauses whose resume date has come at `now` (billing's, UTC), by the date in the site's time zone.

    With `only_retries`, only those whose last try failed and whose next try is due.
    """

    now: datetime
    only_retries: bool = False

    def due_schedules(self) -> QuerySet[PauseSchedule]:
        """Return all due schedules, including those that a worker has claimed.

        The provider resumes those to which customer service gave an end there: they are due if it has not by then.
        """
        is_retry = Q(pk__in=retry.pauses_due_for_retry(now=self.now).values("pk"))
        is_due = is_retry if self.only_retries else is_retry | _FIRST_TRY_FILTER
        provider_resumes = Subscription.objects.filter(
            pk=OuterRef("subscription"), payload__resume_date__gt=int(self.now.timestamp())
        )
        return PauseSchedule.objects.filter(
            is_due,
            ~Exists(provider_resumes),
            resume_date__lt=_start_of_tomorrow(self.now),
            subscription__customer__account__isnull=False,
        )

    @transaction.atomic
    def claim_page(self, *, after: int) -> tuple[list[list[PauseSchedule]], int | None]:
        """Claim a page of due schedules of customers whose key is greater than `after`; skip locked customers.

        Return the schedules grouped by customer, since an account has one change at a time, and the last customer's
        key, None if there are no more.
        """
        free = self.due_schedules().filter(next_attempt_at__lte=database_now())
        owners = Customer.objects.filter(
            Exists(free.filter(subscription__customer=OuterRef("pk"))), pk__gt=after
        ).order_by("pk")
        locked = owners.select_for_update(skip_locked=True, no_key=True).values_list("pk", flat=True)
        page = list(locked[:PAGE_SIZE])
        if not page:
            return [], None
        # Read after locking: another worker may have claimed schedules of these customers and released the lock since.
        page_schedules = free.filter(subscription__customer__in=page)
        page_schedules = page_schedules.select_related("subscription__customer__account").defer(*_UNUSED_COLUMNS)
        schedules = list(page_schedules.order_by("subscription__customer", "resume_date", "pk"))
        PauseSchedule.objects.claim_page([schedule.pk for schedule in schedules], lease=LEASE_DURATION)
        by_customer = groupby(schedules, lambda schedule: schedule.subscription.customer_id)
        return [list(group) for _, group in by_customer], page[-1] if len(page) == PAGE_SIZE else None


# The provider's records, which are large, and which only a decline needs.
_UNUSED_COLUMNS = ("subscription__payload", "subscription__customer__payload")
_FIRST_TRY_FILTER = Q(state=PauseSchedule.State.PAUSED, retry_at__isnull=True, given_up_at__isnull=True)


def release_schedules(schedules: Iterable[PauseSchedule]) -> None:
    """Release schedules that were claimed and not begun."""
    PauseSchedule.objects.release_page([schedule.pk for schedule in schedules])


def _start_of_tomorrow(now: datetime) -> datetime:
    """Return when the site's next day begins, in UTC."""
    zone = site.site_settings().time_zone
    day = clock.local_date(now, zone) + timedelta(days=1)
    return datetime.combine(day, time_of_day(), tzinfo=ZoneInfo(zone)).astimezone(UTC)
