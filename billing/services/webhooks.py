"""Working on stored events: each names what is to be read again, and what several name is read once for all of them.

Whoever takes events up holds them by their lease; a worker that was killed lets go of them when it runs out. Nothing
that an event says is applied, so that one worked on twice does no harm.
"""

import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from math import inf
from time import monotonic
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Case, Exists, F, OuterRef, QuerySet, Value, When

from billing import stopping
from billing.gateway import records
from billing.gateway.errors import Missing, NotSent, Unreadable
from billing.models import Customer, WebhookEvent
from billing.services import leases, mirror, pace, sync
from billing.services.hints import announce
from portal import kill_points

logger = logging.getLogger(__name__)

State = WebhookEvent.State

ATTEMPTS = 8
PAGE = 500
# Within it whoever holds an event is done, or was killed: no task lives longer.
LEASE = timedelta(seconds=settings.CELERY_TASK_TIME_LIMIT)
FIRST_BACKOFF = timedelta(seconds=15)
LONGEST_BACKOFF = timedelta(hours=1)
UNKNOWN = "about a customer that the portal does not know"
DIED = "whoever worked on it was ended, each time"

Resource = tuple[str, str]  # its kind, and the provider's id of it


@dataclass(frozen=True)
class _Outcome:
    """What became of an event, and where it is tried again, after which pause; what ended alike is written at once."""

    state: str
    error: str = ""
    owner: str = ""
    pause: timedelta | None = None


@dataclass
class _Page:
    """Some of the events that are due: those that were taken up, and the last that was looked at, 0 if none was."""

    taken: list[WebhookEvent]
    last: int


@dataclass
class _Reading:
    """What was read again since some events were taken up: whether the portal knows it, or what is wrong with it."""

    came_to: dict[Resource, bool | Exception] = field(default_factory=dict)

    def refresh(self, resource: Resource) -> bool:
        """Bring a resource up to date, once; return whether it is known. Raises NotSent, and what is wrong with it."""
        if resource not in self.came_to:
            self.came_to[resource] = self._tried(*resource)
        came_to = self.came_to[resource]
        if isinstance(came_to, Exception):
            raise came_to
        return came_to

    @staticmethod
    def _tried(kind: str, resource_id: str) -> bool | Exception:
        try:
            return _refresh(kind, resource_id)
        except Exception as error:
            if _is_away(error):
                raise
            return error


def due() -> list[int]:
    """Return a page of the stored events that wait and that nobody works on, the oldest first."""
    return list(_due().values_list("pk", flat=True)[:PAGE])


def announce_due() -> None:
    """Send a worker a message where events are due, that no message of their own led to."""
    if due():
        announce("process_due_webhooks")


def replay(event_pk: int) -> None:
    """Let a stored event be processed again from the start, whatever became of it."""
    WebhookEvent.objects.filter(pk=event_pk).update(
        state=State.RECEIVED, attempts=0, error="", processed_at=None, next_attempt_at=leases.now()
    )


def process(event_pk: int) -> None:
    """Work on one stored event, if it is due and the background has turns free; otherwise it stays due."""
    with pace.at_once():
        _work(_take(_due().filter(pk=event_pk)).taken, until=inf)


def process_in_turn() -> None:
    """Work on what is due for a slice of time, at the background's pace; the next sweep goes on with what is left."""
    with pace.background():
        process_due(until=monotonic() + settings.JOB_SLICE_SECONDS)


def process_due(*, until: float = inf) -> bool:
    """Work on what is due until a time of the monotonic clock, or until the provider cannot be asked.

    Return whether nothing is left that is due and that could be worked on now.
    """
    last = 0
    while not stopping.is_time_up(until):
        page = _take(_due().filter(pk__gt=last))
        if not page.last or not _work(page.taken, until=until):
            return True
        last = page.last
    return False


def _due() -> QuerySet[WebhookEvent]:
    waiting = WebhookEvent.objects.filter(state=State.RECEIVED, next_attempt_at__lte=leases.now())
    return waiting.order_by("pk")


@transaction.atomic
def _take(events: QuerySet[WebhookEvent]) -> _Page:
    """Take up a page of events that nobody else is at; those of strangers have their end here, without a question.

    One that was tried before is taken up alone: where it ends whoever works on it, it ends nobody else's work.
    """
    known = Exists(Customer.objects.filter(provider_id=OuterRef("owner")))
    of_somebody = Case(When(owner="", then=Value(value=True)), default=known)
    free = events.select_for_update(skip_locked=True, of=("self",)).values_list("pk", of_somebody)
    first_tried = events.filter(attempts__gt=0).values_list("pk", flat=True).first()
    # What is looked at is locked: no more than is taken up, or others would find nothing to do.
    untried = free.filter(attempts=0) if first_tried is None else free.filter(pk__lt=first_tried)
    page = list(untried[:PAGE]) or list(free.filter(attempts__gt=0)[:1])
    _conclude({_Outcome(State.IGNORED, error=UNKNOWN): [pk for pk, wanted in page if not wanted]})
    return _Page(taken=_claim([pk for pk, wanted in page if wanted]), last=page[-1][0] if page else 0)


def _claim(pks: Sequence[int]) -> list[WebhookEvent]:
    """Hold events and count an attempt at each; return them without those that whoever tried them died of."""
    if not pks:
        return []
    chosen = WebhookEvent.objects.filter(pk__in=pks)
    chosen.update(attempts=F("attempts") + 1, next_attempt_at=leases.now() + LEASE)
    events = list(chosen.order_by("pk"))
    died = [event for event in events if event.attempts > ATTEMPTS]
    for event in died:
        logger.error("Event %s is parked after %s attempts", event.event_id, ATTEMPTS)
    _conclude({_Outcome(State.PARKED, error=DIED): [event.pk for event in died]})
    return [event for event in events if event not in died]


def _work(events: Sequence[WebhookEvent], *, until: float) -> bool:
    """Work on what was taken up, on one event at least, and let go of what was not reached in time.

    Return whether the provider could be asked.
    """
    kill_points.reached("event claimed")
    reading = _Reading()
    ended: dict[_Outcome, list[int]] = defaultdict(list)
    away: NotSent | None = None
    for event in events:
        if ended and stopping.is_time_up(until):
            break
        try:
            ended[_outcome(event, reading)].append(event.pk)
        except NotSent as error:
            away = error
            break
    kill_points.reached("event applied")
    _conclude(ended)
    _let_go([event.pk for event in events[sum(map(len, ended.values())) :]], away)
    return away is None


def _outcome(event: WebhookEvent, reading: _Reading) -> _Outcome:
    """Refresh what an event names; return what became of it. Raises NotSent when the provider cannot be asked."""
    try:
        names: dict[str, list[str]] = event.payload["names"]
        known = [reading.refresh((kind, one)) for kind in records.KINDS for one in names.get(kind, ())]
        owner = "" if event.owner else _owner(names)
    except Exception as error:
        if _is_away(error):
            raise
        return _failed(event, error)
    if not any(known):
        return _Outcome(State.IGNORED, error=UNKNOWN, owner=owner)
    return _Outcome(State.PROCESSED, owner=owner)


def _is_away(error: Exception) -> bool:
    """Whether nothing can be asked now: that is no fault of the event that was worked on."""
    return isinstance(error, NotSent) and not isinstance(error, Unreadable)


def _owner(names: dict[str, list[str]]) -> str:
    """Return the customer of what an event names that does not name the customer itself; empty when nobody owns it."""
    for kind in records.OF_A_CUSTOMER:
        rows: QuerySet[Any] = mirror.MODELS[kind]._default_manager.filter(provider_id__in=names.get(kind, ()))
        owned = rows.select_related("customer").first()
        if owned is not None:
            return str(owned.customer.provider_id)
    return ""


def _refresh(kind: str, resource_id: str) -> bool:
    """Bring a resource up to date; return whether it is of an account's or the catalogue's."""
    try:
        sync.refresh(kind, resource_id)
    except sync.UnknownCustomer:
        return False
    except Missing:
        sync.bury(kind, resource_id)
    return True


def _failed(event: WebhookEvent, error: Exception) -> _Outcome:
    told = f"{type(error).__name__}: {error}"[:2000]
    if event.attempts >= ATTEMPTS:
        logger.error("Event %s is parked after %s attempts", event.event_id, event.attempts, exc_info=error)
        return _Outcome(State.PARKED, error=told)
    if not isinstance(error, NotSent):
        logger.warning("Event %s failed, attempt %s", event.event_id, event.attempts, exc_info=error)
    pause = min(FIRST_BACKOFF * 2 ** (event.attempts - 1), LONGEST_BACKOFF)
    return _Outcome(State.RECEIVED, error=told, pause=pause)


def _conclude(ended: Mapping[_Outcome, Sequence[int]]) -> None:
    """Write what became of events, given by their keys: one UPDATE for all that ended alike."""
    now = leases.now()
    for outcome, pks in ended.items():
        over = outcome.state in (State.PROCESSED, State.IGNORED)
        owner = {"owner": outcome.owner} if outcome.owner else {}
        _held(pks).update(
            state=outcome.state,
            error=outcome.error,
            processed_at=now if over else None,
            next_attempt_at=now + outcome.pause if outcome.pause else None,
            **owner,
        )


def _let_go(pks: Sequence[int], away: NotSent | None) -> None:
    """Let others take up what was not reached, as if it had not been tried; later, where the provider is away."""
    if not pks:
        return
    due_at, told = leases.now(), {}
    if away is not None:
        due_at += timedelta(seconds=away.retry_after) if away.retry_after else FIRST_BACKOFF
        told = {"error": f"{type(away).__name__}: {away}"}
    # One that an operator has started afresh meanwhile counts none, and is due as it is.
    tried = _held(pks).filter(attempts__gt=0)
    tried.update(attempts=F("attempts") - 1, next_attempt_at=due_at, **told)


def _held(pks: Sequence[int]) -> QuerySet[WebhookEvent]:
    """Return those of the events that nobody has ended meanwhile."""
    return WebhookEvent.objects.filter(pk__in=pks, state=State.RECEIVED)
