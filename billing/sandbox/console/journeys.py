"""Travelling from the console: reading what was asked for, and telling what happened on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db.models import Max

from billing.sandbox import clock
from billing.sandbox.console import rows
from billing.sandbox.console.chrome import site_time
from billing.sandbox.engine.lock import writing
from billing.sandbox.models import Event, Site
from billing.sandbox.operations import time_machine
from billing.sandbox.wire.errors import ApiError
from billing.sandbox.wire.params import Params

_FARTHEST = timedelta(days=5 * 366)
_LISTED = 15


class Refused(Exception):
    """The time machine does not set off now; the message says why."""


class NotATime(ValueError):
    """What was asked for is not an instant the clock can go to; the message says why, to the person."""


@dataclass(frozen=True, slots=True)
class Span:
    """A button's worth of time."""

    value: str
    label: str
    length: timedelta


SPANS = (
    Span("1h", "+1 hour", timedelta(hours=1)),
    Span("1d", "+1 day", timedelta(days=1)),
    Span("7d", "+7 days", timedelta(days=7)),
    Span("31d", "+31 days", timedelta(days=31)),
)


@dataclass(frozen=True, slots=True)
class Departure:
    """Where a journey began: the site's time, and the last event before it."""

    start: int
    after: int


@dataclass(frozen=True, slots=True)
class Tally:
    """How often one type of event happened."""

    label: str
    count: int


@dataclass(frozen=True, slots=True)
class Journey:
    """The last journey begun from this page: how far it is, and once arrived what happened on it."""

    under_way: bool
    percent: int
    destination: datetime
    failure: str
    arrived: bool
    start: datetime
    after: int
    total: int
    tally: list[Tally]
    events: list[rows.EventRow]

    @property
    def more(self) -> bool:
        """Whether more happened than is listed."""
        return self.total > len(self.events)


def destination(asked: Mapping[str, str]) -> int:
    """The instant a form asks for, by `span` or `until`, in seconds UTC; raises NotATime."""
    span = next((span for span in SPANS if span.value == asked.get("span")), None)
    if span is not None:
        return clock.now() + int(span.length.total_seconds())
    return _checked(_instant(asked.get("until", "")))


def begin(instant: int) -> Departure:
    """Set off by the documented time machine itself; raises Refused in its words."""
    asked = Params({"destination_time": str(instant)})
    try:
        with writing():
            departure = Departure(clock.now(), Event.objects.aggregate(last=Max("seq"))["last"] or 0)
            time_machine.travel_forward(asked, time_machine.NAME)
    except ApiError as refusal:
        raise Refused(f"{refusal}.") from None
    return departure


def journey(asked: Mapping[str, str]) -> Journey:
    """The journey named by `from` (seconds) and `after` (the last event before it), as it stands now."""
    site, start, after = Site.get(), _number(asked.get("from")), _number(asked.get("after"))
    under_way = site.time_travel_status == "in_progress"
    happened = Event.objects.filter(seq__gt=after).order_by("seq") if start else Event.objects.none()
    counts = Counter(happened.values_list("event_type", flat=True))
    return Journey(
        under_way=under_way,
        percent=_percent(start, clock.now(), site.destination_time),
        destination=site_time(site.destination_time),
        failure=site.failure_reason if site.time_travel_status == "failed" else "",
        arrived=bool(start) and site.time_travel_status == "succeeded",
        start=site_time(start),
        after=after,
        total=sum(counts.values()),
        tally=[Tally(rows.State(name).label, count) for name, count in counts.most_common()],
        events=rows.events(happened[:_LISTED]),
    )


def offset_in_words(offset_ms: int) -> str:
    """How far the site's clock is from the real one."""
    minutes = round(abs(offset_ms) / 60_000)
    if not minutes:
        return "In step with the real time"
    days, rest = divmod(minutes, 24 * 60)
    hours, minutes = divmod(rest, 60)
    parts = [_counted(days, "day"), _counted(hours, "hour"), _counted(minutes, "minute")]
    words = ", ".join(part for part in parts if part)
    return f"{words} {'ahead of' if offset_ms > 0 else 'behind'} the real time"


def _instant(text: str) -> int:
    try:
        when = datetime.fromisoformat(text)
        return int((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        raise NotATime("Choose a date and a time to travel to.") from None


def _checked(instant: int) -> int:
    if instant <= clock.now():
        raise NotATime("The clock only goes forward: choose a time after the present one.")
    if instant > clock.now() + int(_FARTHEST.total_seconds()):
        raise NotATime("That is too far: the clock goes five years forward at a time.")
    return instant


def _percent(start: int, now: int, end: int) -> int:
    if not start or end <= start:
        return 0
    return max(0, min(100, 100 * (now - start) // (end - start)))


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 12 else 0


def _counted(count: int, unit: str) -> str:
    return f"{count} {unit}{'' if count == 1 else 's'}" if count else ""
