"""The pace of the background: how many requests a minute all jobs together make, so that subscribers have the rest."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import transaction

from billing import worker_shutdown
from billing.gateway.errors import NotSent
from billing.gateway.http.retry import LONGEST_WAIT_SECONDS, retry_when_throttled
from billing.models import RequestPace
from core.clock import database_now

MINUTE = timedelta(minutes=1)
# A tenth of a minute's requests may come at once after a rest; the others are spread evenly.
BURST_DIVISOR = 10
# Turns are counted by the second, so that what fits into any minute is what these many seconds hold.
WINDOW_SECONDS = 61


@dataclass(frozen=True)
class Clock:
    """What time it is (UTC), and how a number of seconds is waited for."""

    now: Callable[[], datetime]
    sleep: Callable[[float], None]


REAL_CLOCK = Clock(now=database_now, sleep=worker_shutdown.sleep_unless_stopping)


def throttle_background(clock: Clock = REAL_CLOCK) -> AbstractContextManager[None]:
    """Make the requests of a block keep the background's pace, and wait as long as the provider says."""
    return retry_when_throttled(partial(_wait_for_turn, clock))


def throttle_without_waiting() -> AbstractContextManager[None]:
    """Make the requests of a block keep the background's pace without ever waiting: NotSent is raised instead."""
    return retry_when_throttled(_take_free_turn, longest_wait=0)


def _wait_for_turn(clock: Clock) -> None:
    """Wait until one more request may be made.

    Raises NotSent when so many wait already that it would take too long, and when this worker is to end.
    """
    allowed = settings.CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE
    if allowed:
        clock.sleep(_reserve_turn(allowed, clock.now(), longest=LONGEST_WAIT_SECONDS))
    if worker_shutdown.is_stopping():
        raise NotSent("this worker is to end")


def _take_free_turn() -> None:
    """Take a turn that needs no waiting. Raises NotSent when there is none."""
    allowed = settings.CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE
    if allowed:
        _reserve_turn(allowed, database_now(), longest=0)


@transaction.atomic
def _reserve_turn(allowed: int, now: datetime, *, longest: float) -> float:
    """Take the next turn; return how many seconds away it is. In no minute there are more turns than allowed.

    Raises NotSent when it is farther away than the longest that one would wait.
    """
    burst = max(1, allowed // BURST_DIVISOR)
    interval = MINUTE / allowed
    RequestPace.objects.get_or_create(pk=1, defaults={"next_at": now})
    row = RequestPace.objects.select_for_update().get(pk=1)
    evenly = max(row.next_at, now)
    turn = _first_free_turn(row.turns, max(now, evenly - interval * (burst - 1)), allowed)
    wait = (turn - now).total_seconds()
    if wait > longest:
        raise NotSent("too many jobs wait for their turn", retry_after=int(wait))
    row.next_at = max(evenly, turn) + interval
    row.turns = _add_turn(row.turns, turn)
    row.save(update_fields=["next_at", "turns"])
    return wait


def _first_free_turn(turns: Mapping[str, int], earliest: datetime, allowed: int) -> datetime:
    """Return the first instant from the earliest on at which one more turn leaves every minute within its limit."""
    second = int(earliest.timestamp())
    while sum(count for at, count in turns.items() if int(at) > second - WINDOW_SECONDS) >= allowed:
        second += 1
    return max(earliest, datetime.fromtimestamp(second, tz=UTC))


def _add_turn(turns: Mapping[str, int], turn: datetime) -> dict[str, int]:
    """Return the turns by their second with one more, without those that no coming minute has."""
    second = int(turn.timestamp())
    oldest = second - WINDOW_SECONDS - LONGEST_WAIT_SECONDS
    kept = {at: count for at, count in turns.items() if int(at) > oldest}
    return {**kept, str(second): kept.get(str(second), 0) + 1}
