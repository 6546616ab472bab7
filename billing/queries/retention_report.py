"""The retention report: what left, paused, came back and was saved, added up by the database (events only)."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TypeVar
from zoneinfo import ZoneInfo

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import TruncWeek

from billing.models import RetentionEvent
from billing.survey import OFFERS

Kind = RetentionEvent.Kind

CANCELLATIONS, PAUSES, BEGUN, RESUMES, SAVES = "cancellations", "pauses", "begun", "resumes", "saves"
# What each event counts as. A save is an offer that was taken, or a cancellation that was taken back.
_MEASURE_OF = {
    Kind.CANCELLED: CANCELLATIONS,
    Kind.PAUSE_SCHEDULED: PAUSES,
    Kind.PAUSED: BEGUN,
    Kind.RESUMED: RESUMES,
    Kind.OFFER_TAKEN: SAVES,
    Kind.KEPT: SAVES,
}
MEASURES = (CANCELLATIONS, PAUSES, BEGUN, RESUMES, SAVES)
_ANSWERS = ("reason", "satisfaction", "usage")

Counts = Mapping[str, int]


@dataclass(frozen=True)
class Range:
    """Whole days of a time zone, the last one included, and the brands asked for (none: all)."""

    first: date
    last: date
    zone: str
    brands: Sequence[str] = ()

    @property
    def before(self) -> "Range":
        """The range of the same length just before."""
        length = self.last - self.first + timedelta(days=1)
        return Range(self.first - length, self.first - timedelta(days=1), self.zone, self.brands)

    @property
    def start(self) -> datetime:
        """The instant it begins at."""
        return _midnight(self.first, self.zone)

    @property
    def end(self) -> datetime:
        """The instant it ends before."""
        return _midnight(self.last + timedelta(days=1), self.zone)

    @property
    def mondays(self) -> list[date]:
        """The first day of each of its weeks; the first and the last week may be cut."""
        monday = self.first - timedelta(days=self.first.weekday())
        weeks = (self.last - monday).days // 7 + 1
        return [monday + timedelta(weeks=number) for number in range(weeks)]


@dataclass(frozen=True)
class Funnel:
    """What became of an offer: how often it was shown, taken, refused."""

    shown: int = 0
    taken: int = 0
    refused: int = 0


@dataclass(frozen=True)
class Report:
    """The numbers of a range; every mapping names what it counted and leaves out what it found none of.

    `answers` are the measures of each answer to each question of the survey, empty where it was left open.
    `returns` tells what came next for the pauses that began in the range: resumed, cancelled, or nothing yet (empty).
    """

    totals: Counts
    totals_before: Counts
    weeks: Mapping[date, Counts]
    services: Mapping[str, Counts]
    answers: Mapping[str, Mapping[str, Counts]]
    offers: Mapping[str, Funnel]
    returns: Counts

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all was recorded in the range."""
        return not self.totals and not self.offers


def retention_report(asked: Range) -> Report:
    """Return the numbers of a range, in four queries however many events there are."""
    grouped = _grouped(asked)
    services = _measured(grouped, lambda row: row[2])
    return Report(
        totals=sum(services.values(), Counter()),
        totals_before=_totals(asked.before),
        weeks=_measured(grouped, lambda row: row[0]),
        services=services,
        answers=_answers(asked),
        offers=_offers(grouped),
        returns=_returns(asked),
    )


Key = TypeVar("Key")
# A Monday, a kind, a service, an offer, and how many.
_Row = tuple[date, str, str, str, int]


def _grouped(asked: Range) -> list[_Row]:
    week = TruncWeek("at", tzinfo=ZoneInfo(asked.zone))
    rows = _events(asked).annotate(week=week).values_list("week", "kind", "service", "offer")
    return [
        (monday.date(), kind, service, offer, count)
        for monday, kind, service, offer, count in rows.annotate(count=Count("id")).order_by()
    ]


def _measured(grouped: Sequence[_Row], key: Callable[[_Row], Key]) -> dict[Key, Counter[str]]:
    found: dict[Key, Counter[str]] = {}
    for row in grouped:
        if row[1] in _MEASURE_OF:
            found.setdefault(key(row), Counter())[_MEASURE_OF[Kind(row[1])]] += row[4]
    return found


def _totals(asked: Range) -> Counts:
    found: Counter[str] = Counter()
    rows = _events(asked).filter(kind__in=_MEASURE_OF).values_list("kind").annotate(count=Count("id"))
    for kind, count in rows.order_by():
        found[_MEASURE_OF[Kind(kind)]] += count
    return found


def _answers(asked: Range) -> dict[str, dict[str, Counter[str]]]:
    """Count what was done by each answer; an empty one is a question that was not answered."""
    found: dict[str, dict[str, Counter[str]]] = {question: {} for question in _ANSWERS}
    events = _events(asked).filter(kind__in=_MEASURE_OF)
    rows = events.values_list("kind", *_ANSWERS).annotate(count=Count("id"))
    for kind, *answers, count in rows.order_by():
        for question, answer in zip(_ANSWERS, answers, strict=True):
            found[question].setdefault(answer, Counter())[_MEASURE_OF[Kind(kind)]] += count
    return found


def _offers(grouped: Sequence[_Row]) -> dict[str, Funnel]:
    found: dict[str, Counter[str]] = {}
    for _, kind, _, offer, count in grouped:
        if offer in OFFERS:
            found.setdefault(offer, Counter())[kind] += count
    return {
        offer: Funnel(counts[Kind.OFFER_SHOWN], counts[Kind.OFFER_TAKEN], counts[Kind.OFFER_REFUSED])
        for offer, counts in found.items()
        if counts[Kind.OFFER_SHOWN] or counts[Kind.OFFER_TAKEN] or counts[Kind.OFFER_REFUSED]
    }


def _returns(asked: Range) -> dict[str, int]:
    came_next = (
        RetentionEvent.objects.filter(
            kind__in=(Kind.RESUMED, Kind.CANCELLED),
            subscription_id=OuterRef("subscription_id"),
            at__gte=OuterRef("at"),
        )
        .order_by("at", "id")
        .values("kind")[:1]
    )
    begun = _events(asked).filter(kind=Kind.PAUSED).annotate(next=Subquery(came_next))
    rows = begun.values_list("next").annotate(count=Count("id")).order_by()
    return {kind or "": count for kind, count in rows}


def _events(asked: Range) -> QuerySet[RetentionEvent]:
    found = RetentionEvent.objects.filter(at__gte=asked.start, at__lt=asked.end)
    return found.filter(brand__in=asked.brands) if asked.brands else found


def _midnight(day: date, zone: str) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone))
