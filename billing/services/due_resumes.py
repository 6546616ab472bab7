"""Which pauses are to be resumed, and by whom: workers share them out in pages, so that no two are at the same one.

A claim only saves work. That each is resumed once is the command's doing (one key, one open command per account): a
claim that ran out while its worker was still at it does no harm.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from datetime import time as time_of_day
from itertools import groupby
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts import site
from billing import clock
from billing.models import Customer, PauseSchedule
from billing.services import leases, resume_retries

# So many customers at once: a few queries for all of them, and work for a worker's threads for a while.
PAGE = 50
# Longer than a slice and its last request may take; then the worker has died, and others take what it left.
LEASE = timedelta(minutes=5)


@dataclass(frozen=True)
class Due:
    """The pauses that are over at `now` (billing's, UTC), by the date in the site's zone: the promised day holds.

    With `only_retries` only those whose last try failed and whose next try is due.
    """

    now: datetime
    only_retries: bool = False

    def everything(self) -> QuerySet[PauseSchedule]:
        """Return all of them, those too that a worker is at."""
        again = Q(pk__in=resume_retries.to_try_again(now=self.now).values("pk"))
        waiting = again if self.only_retries else again | _FIRST_TRY
        return PauseSchedule.objects.filter(
            waiting, resume_date__lt=_tomorrow(self.now), subscription__customer__account__isnull=False
        )

    @transaction.atomic
    def claim(self, *, after: int) -> tuple[list[list[PauseSchedule]], int | None]:
        """Take a page of those that nobody is at, of customers with a higher number than `after`.

        Returns: them, grouped by customer, since an account takes one change at a time; and the last customer's number,
        None where there are no more. Another worker's customers are passed over, not waited for.
        """
        at = leases.now()
        free = self.everything().filter(Q(claimed_until__isnull=True) | Q(claimed_until__lte=at))
        owners = Customer.objects.filter(
            Exists(free.filter(subscription__customer=OuterRef("pk"))), pk__gt=after
        ).order_by("pk")
        locked = owners.select_for_update(skip_locked=True, no_key=True).values_list("pk", flat=True)
        page = list(locked[:PAGE])
        if not page:
            return [], None
        # Asked anew: who was locked a moment ago may have been claimed and let go since.
        found = free.filter(subscription__customer__in=page).select_related("subscription__customer__account")
        mine = list(found.order_by("subscription__customer", "resume_date", "pk"))
        PauseSchedule.objects.filter(pk__in=[one.pk for one in mine]).update(claimed_until=at + LEASE)
        return [list(group) for _, group in groupby(mine, lambda one: one.subscription.customer_id)], page[-1]


_FIRST_TRY = Q(state=PauseSchedule.State.PAUSED, next_try_at__isnull=True, given_up_at__isnull=True)


def release(schedules: Iterable[PauseSchedule]) -> None:
    """Give back what was claimed and not begun."""
    PauseSchedule.objects.filter(pk__in=[one.pk for one in schedules]).update(claimed_until=None)


def _tomorrow(now: datetime) -> datetime:
    """Return when the site's next day begins, in UTC."""
    zone = site.site_settings().time_zone
    day = clock.local_date(now, zone) + timedelta(days=1)
    return datetime.combine(day, time_of_day(), tzinfo=ZoneInfo(zone)).astimezone(UTC)
