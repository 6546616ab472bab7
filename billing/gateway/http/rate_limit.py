"""The pace of the requests to the provider: subscribers' own go first, then reads after webhooks, then jobs.

Each lane's requests of the last minute are counted in a row of `RequestPace`. A subscriber's request is counted and
never waits. What subscribers leave of `CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE` is for the two other lanes: while
events of webhooks wait, half of it is kept from jobs.
"""

import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import DatabaseError, transaction

from billing.gateway.errors import NoTurn
from billing.gateway.http.retry import LONGEST_WAIT_SECONDS, is_throttled, retry_when_throttled
from billing.models import RequestPace, WebhookEvent
from core import fair_share
from core.clock import database_now
from core.workers import shutdown

logger = logging.getLogger(__name__)

Lane = RequestPace.Lane

MINUTE = timedelta(minutes=1)
# A tenth of a minute's requests may come at once after a rest; the others are spread evenly.
BURST_DIVISOR = 10
# Turns are counted by the second, so that what fits into any minute is what these many seconds hold.
WINDOW_SECONDS = 61
# However much subscribers ask for, the background has a tenth: jobs must make progress.
SUBSCRIBERS_SHARE = 0.9
# What is kept from jobs for events: half while some wait, a hundredth otherwise. A request reads a hundred events.
SHARE_WHILE_EVENTS_WAIT, SHARE_OTHERWISE = 1 / 2, 1 / 100


@dataclass(frozen=True)
class Clock:
    """What time it is (UTC), and how a number of seconds is waited for."""

    now: Callable[[], datetime]
    sleep: Callable[[float], None]


REAL_CLOCK = Clock(now=database_now, sleep=shutdown.sleep_unless_stopping)


def throttle_jobs(clock: Clock = REAL_CLOCK) -> AbstractContextManager[None]:
    """Make the requests of a block keep the pace of jobs, and wait as long as the provider says."""
    return retry_when_throttled(partial(_wait_for_turn, Lane.JOBS, clock))


def throttle_events(clock: Clock = REAL_CLOCK) -> AbstractContextManager[None]:
    """Make the requests of a block keep the pace of reads after webhooks, and wait as long as the provider says."""
    return retry_when_throttled(partial(_wait_for_turn, Lane.EVENTS, clock))


def throttle_events_without_waiting() -> AbstractContextManager[None]:
    """Make the requests of a block keep the pace of reads after webhooks without waiting: NoTurn is raised instead."""
    return retry_when_throttled(partial(_wait_for_turn, Lane.EVENTS, REAL_CLOCK, longest=0), longest_wait=0)


def count_subscriber_request() -> None:
    """Count a request that keeps no pace, so that the others leave room for it, and its account has a share only."""
    fair_share.count_provider_request()
    if not settings.CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE or is_throttled():
        return
    now = database_now()
    try:
        with transaction.atomic():
            [row] = _lock_lanes([Lane.SUBSCRIBERS], now)
            _save_turn(row, now, next_at=now)
    except DatabaseError as error:
        # The request itself needs no turn.
        logger.warning("A request could not be counted: %s", type(error).__name__)


def _wait_for_turn(lane: str, clock: Clock, *, longest: float = LONGEST_WAIT_SECONDS) -> None:
    """Wait until the lane may make one more request, so many seconds at most.

    Raises NoTurn when so many wait already that it would take longer, and when this worker is to end.
    """
    allowed = settings.CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE
    if allowed:
        clock.sleep(_reserve_turn(lane, allowed, clock.now(), longest=longest))
    if shutdown.is_stopping():
        raise NoTurn("this worker is to end")


@transaction.atomic
def _reserve_turn(lane: str, allowed: int, now: datetime, *, longest: float) -> float:
    """Take the lane's next turn; return how many seconds away it is.

    Raises NoTurn when it is farther away than the longest that one would wait.
    """
    burst = max(1, allowed // BURST_DIVISOR)
    interval = MINUTE / allowed
    rows = {row.lane: row for row in _lock_lanes([Lane.EVENTS, Lane.JOBS], now)}
    subscribers = RequestPace.objects.filter(lane=Lane.SUBSCRIBERS).first()
    turns = {name: row.turns for name, row in rows.items()}
    turns[Lane.SUBSCRIBERS] = subscribers.turns if subscribers else {}
    share = SHARE_WHILE_EVENTS_WAIT if lane == Lane.JOBS and _do_events_wait() else SHARE_OTHERWISE
    row = rows[lane]
    evenly = max(row.next_at, now)
    earliest = max(now, evenly - interval * (burst - 1))
    turn = _first_free_turn(earliest, partial(_is_free, lane, turns, allowed, share))
    wait = (turn - now).total_seconds()
    if wait > longest:
        raise NoTurn("too many wait for their turn", retry_after=int(wait))
    _save_turn(row, turn, next_at=max(evenly, turn) + interval)
    return wait


def _lock_lanes(lanes: list[Lane], now: datetime) -> list[RequestPace]:
    """Lock the rows of lanes, in the order of their names; create those that are missing."""
    locked = RequestPace.objects.select_for_update().filter(lane__in=lanes).order_by("lane")
    if len(locked) < len(lanes):
        RequestPace.objects.bulk_create([RequestPace(lane=lane, next_at=now) for lane in lanes], ignore_conflicts=True)
    return list(locked.all())


def _do_events_wait() -> bool:
    return WebhookEvent.objects.due().exists()


def _is_free(lane: str, turns: Mapping[str, Mapping[str, int]], allowed: int, share: float, second: int) -> bool:
    """Return whether one more turn of the lane fits into the minute that ends at a second."""
    used = {name: _count_turns(lane_turns, second) for name, lane_turns in turns.items()}
    budget = allowed - min(used[Lane.SUBSCRIBERS], int(allowed * SUBSCRIBERS_SHARE))
    events = used[Lane.EVENTS] if lane == Lane.EVENTS else max(used[Lane.EVENTS], int(budget * share))
    return used[Lane.JOBS] + events < budget


def _count_turns(turns: Mapping[str, int], second: int) -> int:
    return sum(count for at, count in turns.items() if int(at) > second - WINDOW_SECONDS)


def _first_free_turn(earliest: datetime, is_free: Callable[[int], bool]) -> datetime:
    """Return the first instant from the earliest on whose second is free."""
    second = int(earliest.timestamp())
    while not is_free(second):
        second += 1
    return max(earliest, datetime.fromtimestamp(second, tz=UTC))


def _save_turn(row: RequestPace, turn: datetime, *, next_at: datetime) -> None:
    """Add a turn to a lane, and drop those that no coming minute has."""
    second = int(turn.timestamp())
    oldest = second - WINDOW_SECONDS - LONGEST_WAIT_SECONDS
    kept = {at: count for at, count in row.turns.items() if int(at) > oldest}
    row.turns = {**kept, str(second): kept.get(str(second), 0) + 1}
    row.next_at = next_at
    row.save(update_fields=["next_at", "turns"])
