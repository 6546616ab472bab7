"""Process stored events: read the provider's feed, and resources that the feed lacks (decision 30).

A webhook says only that something happened: what happened is read from the feed, whose content comes from the provider
itself. An event that the feed does not show yet waits a moment, and is sought once more; then the resources that it
names are read, each once per page of events. A worker claims events in pages by lease, which it renews while it works;
if it dies, its lease on the page expires. Processing an event twice is harmless.
"""

import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import inf
from time import monotonic
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Case, Exists, OuterRef, Q, QuerySet, Value, When

from billing.gateway import records
from billing.gateway.errors import NotSent, Refused, Unreadable
from billing.gateway.http import rate_limit
from billing.gateway.snapshots import UNBILLED_EVENT_PREFIX
from billing.mirror import account_import, wanted_estimates, writer
from billing.mirror.events import event_feed
from billing.mirror.events.webhook_intake import UNKNOWN_CUSTOMER
from billing.mirror.signals import announce_applied_events
from billing.models import Customer, FeedCursor, WebhookEvent
from core.clock import database_now
from core.workers import shutdown
from core.workers.leases import LEASE_DURATION, LeaseQuerySet, keep_leases
from core.workers.task_queue import enqueue_expiring_task

logger = logging.getLogger(__name__)

State = WebhookEvent.State

MAX_ATTEMPTS = 8
PAGE_SIZE = 500
FIRST_BACKOFF = timedelta(seconds=15)
LONGEST_BACKOFF = timedelta(hours=1)
ADDRESS_EVENTS = ("customer_created", "customer_changed")
WORKER_DIED = "whoever worked on it was ended, each time"

Resource = tuple[str, str]  # its kind, and the provider's id of it


@dataclass(frozen=True)
class _Outcome:
    """The new state of an event, and for one to be retried the delay. Events with equal outcomes share an UPDATE."""

    state: str
    error: str = ""
    owner: str = ""
    delay: timedelta | None = None


@dataclass
class _ClaimedPage:
    """The events that were claimed, and the key of the last event that was considered, 0 if none was."""

    events: list[WebhookEvent]
    last_pk: int


@dataclass
class _RefreshCache:
    """The resources refreshed for a page of events: whether the portal knows each, or why refreshing it failed."""

    results: dict[Resource, bool | Exception] = field(default_factory=dict)

    def refresh_once(self, resource: Resource) -> bool:
        """Refresh a resource on the first call; return whether the portal knows it, or raise why that failed."""
        if resource not in self.results:
            self.results[resource] = self._try_refresh(*resource)
        result = self.results[resource]
        if isinstance(result, Exception):
            raise result
        return result

    @staticmethod
    def _try_refresh(kind: str, resource_id: str) -> bool | Exception:
        try:
            return _refresh_resource(kind, resource_id)
        except Exception as error:
            if _is_provider_unreachable(error):
                raise
            return error


def due_event_ids() -> list[int]:
    """Return the keys of a page of due events, the oldest first."""
    return list(_due_events().values_list("pk", flat=True)[:PAGE_SIZE])


def announce_due_events() -> None:
    """Enqueue a task if events are due, whether or not they had a message of their own."""
    if due_event_ids():
        enqueue_expiring_task("billing.tasks.process_due_webhooks")


def replay_event(event_pk: int) -> None:
    """Make a stored event due again, whatever its state: all resources that it names are read from the provider."""
    now = database_now()
    WebhookEvent.objects.filter(pk=event_pk).update(
        state=State.RECEIVED, attempts=0, error="", unread={}, sought_at=now, processed_at=None, next_attempt_at=now
    )


def process_event(event_pk: int) -> None:
    """Process due events if this one is still due and the rate limit allows; otherwise they stay due."""
    if not _due_events().filter(pk=event_pk).exists():
        return
    with rate_limit.throttle_events_without_waiting():
        process_due_events(until=monotonic() + settings.JOB_SLICE_SECONDS)


def process_due_slice() -> None:
    """Process due events for one slice at the rate limit; the next sweep continues with the rest."""
    with rate_limit.throttle_events():
        process_due_events(until=monotonic() + settings.JOB_SLICE_SECONDS)


def process_due_events(*, until: float = inf) -> bool:
    """Process due events until a time of the monotonic clock, or until the provider cannot be reached.

    Return False if the time was up before all were processed.
    """
    if not _seek_events(until=until):
        return True
    last_pk = 0
    while not shutdown.is_time_up(until):
        page = _claim_page(_sought_events().filter(pk__gt=last_pk))
        if not page.last_pk or not _process_events(page.events, until=until):
            return True
        last_pk = page.last_pk
    return False


def _due_events() -> QuerySet[WebhookEvent]:
    return WebhookEvent.objects.due().order_by("pk")


def _sought_events() -> QuerySet[WebhookEvent]:
    """Return the due events whose resources may be read, because the feed was read for them."""
    return _due_events().filter(sought_at__isnull=False)


def _seek_events(*, until: float) -> bool:
    """Read the feed for the due events that were not tried yet, and again for those that arrive meanwhile.

    Does nothing while another worker reads it: that one finds them. Return whether the provider could be reached.
    """
    if not _due_events().filter(attempts=0).exists():
        return True
    with event_feed.hold_cursor(FeedCursor.Reading.HINTED) as cursor:
        while cursor is not None and not shutdown.is_time_up(until):
            newest, began = _due_events().values_list("pk", flat=True).last(), database_now()
            try:
                for _found in event_feed.read_pages(cursor, until=until):
                    pass
                if event_feed.is_under_way(cursor):
                    break
            except (Refused, Unreadable):
                logger.exception("The events feed cannot be read; resources are read one by one")
            except NotSent as error:
                _delay_events(error, due_at=began)
                return False
            _postpone_missing_events(up_to=newest)
            if not _due_events().filter(sought_at=None).exists():
                break
    return True


def _postpone_missing_events(*, up_to: int | None) -> None:
    """Let the events wait that the feed does not show yet. It is read for them once more before their resources are."""
    now = database_now()
    missing = WebhookEvent.objects.due().filter(sought_at=None, pk__lte=up_to or 0)
    missing.update(sought_at=now, next_attempt_at=now + FIRST_BACKOFF)


def _delay_events(outage: NotSent, *, due_at: datetime) -> None:
    """Let the events wait that were due when the provider could not be reached, not those replayed since."""
    delay, error = _outage_delay(outage), f"{type(outage).__name__}: {outage}"
    due = WebhookEvent.objects.unfinished().filter(next_attempt_at__lte=due_at)
    due.update(next_attempt_at=database_now() + delay, error=error)


@transaction.atomic
def _claim_page(events: QuerySet[WebhookEvent]) -> _ClaimedPage:
    """Claim a page of events that no other worker has locked; ignore those of unknown customers at once.

    An event that was tried before is claimed alone: if it kills its worker, no other event is affected.
    """
    has_customer = Exists(Customer.objects.filter(provider_id=OuterRef("owner")))
    # A customer that the portal does not know may have been given the address of an account.
    is_about_address = Q(owner="") | Q(event_type__in=ADDRESS_EVENTS) | Q(unread__has_key="customer")
    is_relevant = Case(When(is_about_address, then=Value(value=True)), default=has_customer)
    free = events.select_for_update(skip_locked=True, of=("self",)).values_list("pk", is_relevant)
    first_tried = events.filter(attempts__gt=0).values_list("pk", flat=True).first()
    # These queries lock what they return, so they return no more than a page: the rest is for other workers.
    untried = free.filter(attempts=0) if first_tried is None else free.filter(pk__lt=first_tried)
    page = list(untried[:PAGE_SIZE]) or list(free.filter(attempts__gt=0)[:1])
    ignored = {_Outcome(State.IGNORED, error=UNKNOWN_CUSTOMER): [pk for pk, relevant in page if not relevant]}
    _save_outcomes(ignored, WebhookEvent.objects.unfinished())
    return _ClaimedPage(
        events=_claim_events([pk for pk, relevant in page if relevant]), last_pk=page[-1][0] if page else 0
    )


def _claim_events(pks: Sequence[int]) -> list[WebhookEvent]:
    """Claim locked events; park those whose worker died at each attempt, and return the others."""
    if not pks:
        return []
    WebhookEvent.objects.claim_page(pks, lease=LEASE_DURATION)
    events = list(WebhookEvent.objects.filter(pk__in=pks).order_by("pk"))
    exhausted = [event for event in events if event.attempts > MAX_ATTEMPTS]
    for event in exhausted:
        logger.error("Event %s is parked after %s attempts", event.event_id, MAX_ATTEMPTS)
    parked = {_Outcome(State.PARKED, error=WORKER_DIED): [event.pk for event in exhausted]}
    _save_outcomes(parked, WebhookEvent.objects.unfinished())
    return [event for event in events if event not in exhausted]


def _process_events(events: Sequence[WebhookEvent], *, until: float) -> bool:
    """Process claimed events, at least one, and release those that were not reached in time.

    Return whether the provider could be reached.
    """
    with keep_leases(events):
        pks_by_outcome, outage = _refresh_named_resources(events, until=until)
    _save_outcomes(pks_by_outcome, WebhookEvent.objects.held_rows(events))
    applied = {pk for outcome, pks in pks_by_outcome.items() if outcome.state == State.PROCESSED for pk in pks}
    announce_applied_events(WebhookEvent.Source.WEBHOOK, [event.occurred_at for event in events if event.pk in applied])
    _release_events(events[sum(map(len, pks_by_outcome.values())) :], outage)
    return outage is None


def _refresh_named_resources(
    events: Sequence[WebhookEvent], *, until: float
) -> tuple[Mapping[_Outcome, Sequence[int]], NotSent | None]:
    """Refresh what events name, until the time is up or the provider cannot be reached; return the outcomes."""
    _outdate_estimates(events)  # before reading the subscriptions marks the documents as stale
    cache = _RefreshCache()
    pks_by_outcome: dict[_Outcome, list[int]] = defaultdict(list)
    for event in events:
        if pks_by_outcome and shutdown.is_time_up(until):
            break
        try:
            pks_by_outcome[_process_claimed_event(event, cache)].append(event.pk)
        except NotSent as error:
            return pks_by_outcome, error
    return pks_by_outcome, None


def _outdate_estimates(events: Sequence[WebhookEvent]) -> None:
    """Let the next bills be estimated again whose charges the events are about: no version of ours tells of them."""
    charging = [event for event in events if event.event_type.startswith(UNBILLED_EVENT_PREFIX)]
    ids = {resource_id for event in charging for resource_id in event.payload["names"].get("subscription", ())}
    if ids:
        wanted_estimates.outdate_estimates(ids)


def _process_claimed_event(event: WebhookEvent, cache: _RefreshCache) -> _Outcome:
    """Refresh the resources that an event names. Raises NotSent when the provider cannot be reached."""
    try:
        ids_by_kind: dict[str, list[str]] = event.unread or event.payload["names"]
        resources = [(kind, resource_id) for kind in records.KINDS for resource_id in ids_by_kind.get(kind, ())]
        known = [cache.refresh_once(resource) for resource in resources]
        owner = "" if event.owner else _find_owner_id(ids_by_kind)
    except Exception as error:
        if _is_provider_unreachable(error):
            raise
        return _failure_outcome(event, error)
    if not any(known):
        return _Outcome(State.IGNORED, error=UNKNOWN_CUSTOMER, owner=owner)
    return _Outcome(State.PROCESSED, owner=owner)


def _is_provider_unreachable(error: Exception) -> bool:
    """Return whether the failure is the provider's and not of the event: an unreadable answer is of the event."""
    return isinstance(error, NotSent) and not isinstance(error, Unreadable)


def _find_owner_id(ids_by_kind: dict[str, list[str]]) -> str:
    """Return the provider id of the customer who owns a named resource; empty if nobody does."""
    for kind in records.CUSTOMER_KINDS:
        rows: QuerySet[Any] = writer.MODELS_BY_KIND[kind]._default_manager.filter(
            provider_id__in=ids_by_kind.get(kind, ())
        )
        row = rows.select_related("customer").first()
        if row is not None:
            return str(row.customer.provider_id)
    return ""


def _refresh_resource(kind: str, resource_id: str) -> bool:
    """Refresh a resource; return whether it belongs to a mirrored customer or to the catalog."""
    try:
        is_known = account_import.refresh_or_mark_deleted(kind, resource_id)
    except writer.UnknownCustomer:
        return False
    if kind == "customer":
        account_import.refresh_records_of_deleted(resource_id)
    return is_known


def _failure_outcome(event: WebhookEvent, error: Exception) -> _Outcome:
    message = f"{type(error).__name__}: {error}"[:2000]
    if event.attempts >= MAX_ATTEMPTS:
        logger.error("Event %s is parked after %s attempts", event.event_id, event.attempts, exc_info=error)
        return _Outcome(State.PARKED, error=message)
    if not isinstance(error, NotSent):
        logger.warning("Event %s failed, attempt %s", event.event_id, event.attempts, exc_info=error)
    delay = min(FIRST_BACKOFF * 2 ** (event.attempts - 1), LONGEST_BACKOFF)
    return _Outcome(State.RECEIVED, error=message, delay=delay)


def _save_outcomes(pks_by_outcome: Mapping[_Outcome, Sequence[int]], events: LeaseQuerySet[WebhookEvent]) -> None:
    """Save the outcomes of those of the events that are among `events`."""
    now = database_now()
    for outcome, pks in pks_by_outcome.items():
        is_final = outcome.state in (State.PROCESSED, State.IGNORED)
        owner = {"owner": outcome.owner} if outcome.owner else {}
        events.filter(pk__in=pks).update(
            state=outcome.state,
            error=outcome.error,
            processed_at=now if is_final else None,
            next_attempt_at=now + outcome.delay if outcome.delay else None,
            **owner,
        )


def _release_events(events: Sequence[WebhookEvent], outage: NotSent | None) -> None:
    """Release those claimed events that were not reached and are still held; after an outage they are due later."""
    if not events:
        return
    held, pks = WebhookEvent.objects.held_rows(events), [event.pk for event in events]
    if outage is None:
        held.release_page(pks)
        return
    error = f"{type(outage).__name__}: {outage}"
    held.release_page(pks, delay=_outage_delay(outage), error=error)


def _outage_delay(outage: NotSent) -> timedelta:
    return timedelta(seconds=outage.retry_after) if outage.retry_after else FIRST_BACKOFF
