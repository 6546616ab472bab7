"""Time travel from the console: reading the destination and summarizing the journey."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db.models import Max

from chargebee_sandbox import clock
from chargebee_sandbox.api.errors import ApiError
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.console import table_rows
from chargebee_sandbox.console.layout import site_time
from chargebee_sandbox.engine.write_lock import hold_write_lock
from chargebee_sandbox.models import Event
from chargebee_sandbox.operations import time_machine
from chargebee_sandbox.site import Site

_MAX_TRAVEL = timedelta(days=5 * 366)
_MAX_LISTED_EVENTS = 15


class TravelRefused(Exception):
    """The time machine refuses the journey; the message says why."""


class InvalidDestination(ValueError):
    """The clock cannot go to the requested instant; the message, which the page shows, says why."""


@dataclass(frozen=True, slots=True)
class TravelSpan:
    """The length of a journey, with its button."""

    value: str
    label: str
    length: timedelta


TRAVEL_SPANS = (
    TravelSpan("1h", "+1 hour", timedelta(hours=1)),
    TravelSpan("1d", "+1 day", timedelta(days=1)),
    TravelSpan("7d", "+7 days", timedelta(days=7)),
    TravelSpan("31d", "+31 days", timedelta(days=31)),
)


@dataclass(frozen=True, slots=True)
class Departure:
    """The beginning of a journey: the site's time (seconds UTC) and the last event before it."""

    start: int
    after: int


@dataclass(frozen=True, slots=True)
class EventTally:
    """The number of events of a type."""

    label: str
    count: int


@dataclass(frozen=True, slots=True)
class Journey:
    """The last journey begun from this page: its progress, and after its arrival its events."""

    under_way: bool
    percent: int
    destination: datetime
    failure: str
    arrived: bool
    start: datetime
    after: int
    total: int
    tally: list[EventTally]
    events: list[table_rows.EventRow]

    @property
    def more(self) -> bool:
        """Whether there are more events than are listed."""
        return self.total > len(self.events)


def parse_destination(form: Mapping[str, str]) -> int:
    """Return the destination of a form's `span` or `until` in seconds UTC. Raises: InvalidDestination."""
    span = next((span for span in TRAVEL_SPANS if span.value == form.get("span")), None)
    if span is not None:
        return clock.now_seconds() + int(span.length.total_seconds())
    return _check_destination(_parse_instant(form.get("until", "")))


def begin_travel(instant: int) -> Departure:
    """Begin a journey with the API's own operation. Raises: TravelRefused with its message."""
    params = Params({"destination_time": str(instant)})
    try:
        with hold_write_lock():
            departure = Departure(clock.now_seconds(), Event.objects.aggregate(last=Max("seq"))["last"] or 0)
            time_machine.travel_forward(params, time_machine.TIME_MACHINE_NAME)
    except ApiError as error:
        raise TravelRefused(f"{error}.") from None
    return departure


def journey_progress(query: Mapping[str, str]) -> Journey:
    """Return the state of the journey with the query's `from` (seconds) and `after` (the last event before it)."""
    site, start, after = Site.load(), _parse_number(query.get("from")), _parse_number(query.get("after"))
    events = Event.objects.filter(seq__gt=after).order_by("seq") if start else Event.objects.none()
    counts = Counter(events.values_list("event_type", flat=True))
    return Journey(
        under_way=site.time_travel_status == "in_progress",
        percent=_percent_done(start, clock.now_seconds(), site.destination_time),
        destination=site_time(site.destination_time),
        failure=site.failure_reason if site.time_travel_status == "failed" else "",
        arrived=bool(start) and site.time_travel_status == "succeeded",
        start=site_time(start),
        after=after,
        total=sum(counts.values()),
        tally=[EventTally(table_rows.StatusLabel(name).label, count) for name, count in counts.most_common()],
        events=table_rows.event_rows(events[:_MAX_LISTED_EVENTS]),
    )


def offset_in_words(offset_ms: int) -> str:
    """Return in words how far the site's clock is from the real time."""
    minutes = round(abs(offset_ms) / 60_000)
    if not minutes:
        return "In step with the real time"
    days, rest = divmod(minutes, 24 * 60)
    hours, minutes = divmod(rest, 60)
    parts = [_count_units(days, "day"), _count_units(hours, "hour"), _count_units(minutes, "minute")]
    words = ", ".join(part for part in parts if part)
    return f"{words} {'ahead of' if offset_ms > 0 else 'behind'} the real time"


def _parse_instant(text: str) -> int:
    try:
        when = datetime.fromisoformat(text)
        return int((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        raise InvalidDestination("Choose a date and a time to travel to.") from None


def _check_destination(instant: int) -> int:
    if instant <= clock.now_seconds():
        raise InvalidDestination("The clock only goes forward: choose a time after the present one.")
    if instant > clock.now_seconds() + int(_MAX_TRAVEL.total_seconds()):
        raise InvalidDestination("That is too far: the clock goes five years forward at a time.")
    return instant


def _percent_done(start: int, now: int, end: int) -> int:
    if not start or end <= start:
        return 0
    return max(0, min(100, 100 * (now - start) // (end - start)))


def _parse_number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 12 else 0


def _count_units(count: int, unit: str) -> str:
    return f"{count} {unit}{'' if count == 1 else 's'}" if count else ""
