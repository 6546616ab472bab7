"""The numbers of the churn report: cancellations, pauses, resumes and saves, summed by the database."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import TypeVar
from zoneinfo import ZoneInfo

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, TruncWeek

from billing.clock import start_of_day
from billing.models import ChurnEvent, RevenueMovement
from billing.queries.cancel_screen import offered_answers
from billing.queries.reports.revenue_report import BEGINNINGS, ENDINGS
from billing.survey import OFFERS

Kind = ChurnEvent.Kind

CANCELLATIONS, PAUSES, BEGUN, RESUMES, SAVES = "cancellations", "pauses", "begun", "resumes", "saves"
# The measure each kind of event counts toward. A save is an accepted offer, or a cancellation that was undone.
_MEASURE_BY_KIND = {
    Kind.CANCELLED: CANCELLATIONS,
    Kind.PAUSE_SCHEDULED: PAUSES,
    Kind.PAUSED: BEGUN,
    Kind.RESUMED: RESUMES,
    Kind.OFFER_TAKEN: SAVES,
    Kind.KEPT: SAVES,
}
MEASURES = (CANCELLATIONS, PAUSES, BEGUN, RESUMES, SAVES)
# What decides whether a subscription stays; the last of these in a range counts for its rates.
_DECISIONS = (Kind.CANCELLED, Kind.OFFER_TAKEN, Kind.KEPT)
_TURNS = (*BEGINNINGS, *ENDINGS)
_SURVEY_QUESTIONS = ("reason", "satisfaction", "usage")

Counts = Mapping[str, int]


@dataclass(frozen=True)
class ReportRange:
    """A range of whole days in a time zone, the last day included, and the selected brands (none means all)."""

    first: date
    last: date
    zone: str
    brands: Sequence[str] = ()

    @property
    def previous_range(self) -> "ReportRange":
        """The range of the same length just before."""
        length = self.last - self.first + timedelta(days=1)
        return ReportRange(self.first - length, self.first - timedelta(days=1), self.zone, self.brands)

    @property
    def start(self) -> datetime:
        """The start of the first day, as an aware datetime."""
        return start_of_day(self.first, self.zone)

    @property
    def end(self) -> datetime:
        """The end of the last day, exclusive, as an aware datetime."""
        return start_of_day(self.last + timedelta(days=1), self.zone)

    @property
    def week_starts(self) -> list[date]:
        """The Monday of each week in the range; the first and the last week may be partial."""
        monday = self.first - timedelta(days=self.first.weekday())
        weeks = (self.last - monday).days // 7 + 1
        return [monday + timedelta(weeks=number) for number in range(weeks)]


@dataclass(frozen=True)
class OfferFunnel:
    """How often an offer was shown, taken and refused."""

    shown: int = 0
    taken: int = 0
    refused: int = 0


@dataclass(frozen=True)
class Rate:
    """So many subscriptions of so many, each counted once; `whole` is None where that is not known."""

    part: int
    whole: int | None


@dataclass(frozen=True)
class ChurnStatistics:
    """The numbers of a range. Mappings leave out zero counts.

    `answers` holds the measures by survey question and answer; an empty answer means the question was skipped.
    `returns` counts the pauses that began in the range by what came next: resumed, cancelled, or empty for nothing yet.
    `rates` are by measure: cancellations and started pauses of what paid in the range, saves of what was canceled or
    saved. `unpaid_cancellations` counts the canceled subscriptions that paid nothing in the range, such as trials.
    """

    totals: Counts
    previous_totals: Counts
    weeks: Mapping[date, Counts]
    services: Mapping[str, Counts]
    answers: Mapping[str, Mapping[str, Counts]]
    offers: Mapping[str, OfferFunnel]
    returns: Counts
    rates: Mapping[str, Rate]
    unpaid_cancellations: int

    @cached_property
    def offered(self) -> Mapping[str, Sequence[str]]:
        """The answers that each question offers now, by one query."""
        return offered_answers()

    @property
    def is_empty(self) -> bool:
        """Whether no event was recorded in the range."""
        return not self.totals and not self.offers


def churn_statistics(report_range: ReportRange) -> ChurnStatistics:
    """Return the numbers of a range. Eight queries, however many events there are."""
    grouped = _group_events(report_range)
    services = _count_by_key(grouped, lambda row: row[2])
    rates, unpaid_cancellations = _measure_rates(report_range)
    return ChurnStatistics(
        totals=sum(services.values(), Counter()),
        previous_totals=_count_totals(report_range.previous_range),
        weeks=_count_by_key(grouped, lambda row: row[0]),
        services=services,
        answers=_count_by_answer(report_range),
        offers=_offer_funnels(grouped),
        returns=_count_pause_returns(report_range),
        rates=rates,
        unpaid_cancellations=unpaid_cancellations,
    )


Key = TypeVar("Key")
# Monday of the week, kind, service, offer, count.
_EventGroup = tuple[date, str, str, str, int]


def _group_events(report_range: ReportRange) -> list[_EventGroup]:
    week = TruncWeek("at", tzinfo=ZoneInfo(report_range.zone))
    rows = _events_in_range(report_range).annotate(week=week).values_list("week", "kind", "service", "offer")
    return [
        (monday.date(), kind, service, offer, count)
        for monday, kind, service, offer, count in rows.annotate(count=Count("id")).order_by()
    ]


def _count_by_key(grouped: Sequence[_EventGroup], key: Callable[[_EventGroup], Key]) -> dict[Key, Counter[str]]:
    counts: dict[Key, Counter[str]] = {}
    for group in grouped:
        if group[1] in _MEASURE_BY_KIND:
            counts.setdefault(key(group), Counter())[_MEASURE_BY_KIND[Kind(group[1])]] += group[4]
    return counts


def _count_totals(report_range: ReportRange) -> Counts:
    totals: Counter[str] = Counter()
    rows = (
        _events_in_range(report_range).filter(kind__in=_MEASURE_BY_KIND).values_list("kind").annotate(count=Count("id"))
    )
    for kind, count in rows.order_by():
        totals[_MEASURE_BY_KIND[Kind(kind)]] += count
    return totals


def _count_by_answer(report_range: ReportRange) -> dict[str, dict[str, Counter[str]]]:
    """Return the measures by question and answer; an empty answer means the question was skipped."""
    counts: dict[str, dict[str, Counter[str]]] = {question: {} for question in _SURVEY_QUESTIONS}
    events = _events_in_range(report_range).filter(kind__in=_MEASURE_BY_KIND)
    rows = events.values_list("kind", *_SURVEY_QUESTIONS).annotate(count=Count("id"))
    for kind, *answers, count in rows.order_by():
        for question, answer in zip(_SURVEY_QUESTIONS, answers, strict=True):
            counts[question].setdefault(answer, Counter())[_MEASURE_BY_KIND[Kind(kind)]] += count
    return counts


def _offer_funnels(grouped: Sequence[_EventGroup]) -> dict[str, OfferFunnel]:
    kinds_by_offer: dict[str, Counter[str]] = {}
    for _, kind, _, offer, count in grouped:
        if offer in OFFERS:
            kinds_by_offer.setdefault(offer, Counter())[kind] += count
    return {
        offer: OfferFunnel(counts[Kind.OFFER_SHOWN], counts[Kind.OFFER_TAKEN], counts[Kind.OFFER_REFUSED])
        for offer, counts in kinds_by_offer.items()
        if counts[Kind.OFFER_SHOWN] or counts[Kind.OFFER_TAKEN] or counts[Kind.OFFER_REFUSED]
    }


def _count_pause_returns(report_range: ReportRange) -> dict[str, int]:
    next_event_kind = (
        ChurnEvent.objects.filter(
            kind__in=(Kind.RESUMED, Kind.CANCELLED),
            subscription_id=OuterRef("subscription_id"),
            at__gte=OuterRef("at"),
        )
        .order_by("at", "id")
        .values("kind")[:1]
    )
    begun = _events_in_range(report_range).filter(kind=Kind.PAUSED).annotate(next=Subquery(next_event_kind))
    rows = begun.values_list("next").annotate(count=Count("id")).order_by()
    return {kind or "": count for kind, count in rows}


def _measure_rates(report_range: ReportRange) -> tuple[dict[str, Rate], int]:
    """Return the rates, and how many canceled subscriptions are in none of them because they paid nothing.

    A subscription that was canceled and kept again counts as saved only.
    """
    events = _events_in_range(report_range).annotate(has_paid=_paid_in_range(report_range))
    later = _events_in_range(report_range).filter(
        _is_later(), subscription_id=OuterRef("subscription_id"), kind__in=_DECISIONS
    )
    decided = events.filter(~Exists(later), kind__in=_DECISIONS).values_list("kind", "has_paid")
    counts: Counter[tuple[str, bool]] = Counter()
    for kind, has_paid, count in decided.annotate(count=Count("id")).order_by():
        counts[kind, has_paid] = count
    canceled, unpaid = counts[Kind.CANCELLED, True], counts[Kind.CANCELLED, False]
    begun = events.filter(kind=Kind.PAUSED, has_paid=True).aggregate(count=Count("subscription_id", distinct=True))
    # The ledger of revenue knows no brands.
    paying = None if report_range.brands else _count_paying(report_range)
    rates = {
        CANCELLATIONS: Rate(canceled, paying),
        BEGUN: Rate(begun["count"], paying),
        SAVES: Rate(counts.total() - canceled - unpaid, counts.total()),
    }
    return rates, unpaid


def _paid_in_range(report_range: ReportRange) -> Coalesce:
    """Return whether an event's subscription paid: the last time before the end that it began or ceased to pay tells.

    It paid if it began then, and also if it ceased to in the range. One look into an index for each event.
    """
    turns = RevenueMovement.objects.filter(
        kind__in=_TURNS, at__lt=report_range.end, subscription_id=OuterRef("subscription_id")
    )
    paid = turns.order_by("-at", "-id").values(paid=Q(kind__in=BEGINNINGS) | Q(at__gte=report_range.start))
    return Coalesce(Subquery(paid[:1]), Value(value=False))


def _count_paying(report_range: ReportRange) -> int:
    """Return how many subscriptions paid at the start of the range, and how many others began in it.

    By the sums of all movements, since a look at each subscription takes seconds on a large site.
    """
    in_range = Q(at__gte=report_range.start)
    # Nothing comes before the first movement of a subscription.
    sums = RevenueMovement.objects.filter(at__lt=report_range.end).aggregate(
        began=Count("kind", filter=Q(~in_range, kind__in=BEGINNINGS) | Q(in_range, kind=RevenueMovement.Kind.NEW)),
        ended=Count("kind", filter=Q(~in_range, kind__in=ENDINGS)),
    )
    turns = RevenueMovement.objects.filter(in_range, kind__in=_TURNS, at__lt=report_range.end)
    earlier = turns.filter(_is_earlier(), subscription_id=OuterRef("subscription_id"))
    returned = turns.filter(~Exists(earlier), kind=RevenueMovement.Kind.REACTIVATION)
    return int(sums["began"]) - int(sums["ended"]) + returned.count()


def _is_later() -> Q:
    """Return the condition of rows of a subquery that come after the row outside."""
    return Q(at__gt=OuterRef("at")) | Q(at=OuterRef("at"), id__gt=OuterRef("id"))


def _is_earlier() -> Q:
    return Q(at__lt=OuterRef("at")) | Q(at=OuterRef("at"), id__lt=OuterRef("id"))


def _events_in_range(report_range: ReportRange) -> QuerySet[ChurnEvent]:
    events = ChurnEvent.objects.filter(at__gte=report_range.start, at__lt=report_range.end)
    return events.filter(brand__in=report_range.brands) if report_range.brands else events
