"""The pace of the background: how many requests a minute all jobs together make, so that subscribers have the rest."""

import time
from contextlib import AbstractContextManager
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from billing.gateway.errors import NotSent
from billing.gateway.patience import LONGEST_WAIT_SECONDS, patient
from billing.models import RequestPace

MINUTE = timedelta(minutes=1)
# A tenth of a minute's requests may come at once after a rest; the others are spread evenly.
AT_ONCE = 10


def background() -> AbstractContextManager[None]:
    """Make the requests of a block keep the background's pace, and wait as long as the provider says."""
    return patient(_wait_for_turn)


def at_once() -> AbstractContextManager[None]:
    """Make the requests of a block keep the background's pace without ever waiting: NotSent is raised instead."""
    return patient(_take_free_turn, longest_wait=0)


def _wait_for_turn() -> None:
    """Wait until one more request may be made. Raises NotSent when so many wait already that it would take too long."""
    allowed = settings.CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE
    if allowed:
        time.sleep(_reserve(allowed, timezone.now(), longest=LONGEST_WAIT_SECONDS))


def _take_free_turn() -> None:
    """Take a turn that needs no waiting. Raises NotSent when there is none."""
    allowed = settings.CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE
    if allowed:
        _reserve(allowed, timezone.now(), longest=0)


@transaction.atomic
def _reserve(allowed: int, now: datetime, *, longest: float) -> float:
    """Take the next turn; return how many seconds away it is. In no minute there are more turns than allowed.

    Raises NotSent when it is farther away than the longest that one would wait.
    """
    burst = max(1, allowed // AT_ONCE)
    interval = MINUTE / max(1, allowed - burst)
    RequestPace.objects.get_or_create(pk=1, defaults={"next_at": now})
    row = RequestPace.objects.select_for_update().get(pk=1)
    turn = max(row.next_at, now)
    wait = (turn - now - interval * (burst - 1)).total_seconds()
    if wait > longest:
        raise NotSent("too many jobs wait for their turn", retry_after=int(wait))
    row.next_at = turn + interval
    row.save(update_fields=["next_at"])
    return max(0.0, wait)
