"""The numbers of the revenue report: monthly recurring revenue, its movements and cohorts, summed by the database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from django.db.models import Count, Sum
from django.db.models.functions import TruncMonth

from billing.clock import start_of_day
from billing.models import ChurnEvent, RevenueMovement
from billing.survey import OFFERS

Kind = RevenueMovement.Kind
MONTHS_PER_YEAR = 12
CENTS, COUNT = 0, 1


@dataclass(frozen=True)
class MonthRange:
    """Whole months in a time zone, from the first day of one to the end of another; both are first days."""

    first: date
    last: date
    zone: str

    @property
    def months(self) -> list[date]:
        """The first day of each month, oldest first."""
        count = (self.last.year - self.first.year) * MONTHS_PER_YEAR + self.last.month - self.first.month + 1
        return [shift_month(self.first, number) for number in range(count)]

    @property
    def start(self) -> datetime:
        """The start of the first month."""
        return start_of_day(self.first, self.zone)

    @property
    def end(self) -> datetime:
        """The end of the last month, exclusive."""
        return start_of_day(shift_month(self.last, 1), self.zone)


@dataclass(frozen=True)
class MonthOfRevenue:
    """One month in one currency: the revenue at its start, and the movements by kind in cents and in rows."""

    month: date
    opening: int
    movements: Mapping[str, int]
    counts: Mapping[str, int]

    @property
    def closing(self) -> int:
        """The revenue at its end: the opening and all movements, to the cent."""
        return self.opening + sum(self.movements.values())


@dataclass(frozen=True)
class CohortOfRevenue:
    """The customers who began in one month: what they bring in at the end of each month from then on."""

    month: date
    revenue: Sequence[int]


@dataclass(frozen=True)
class SavedRevenue:
    """What the subscriptions whose owner took an offer in the range bring in per month today."""

    offer: str
    taken: int
    cents: int


@dataclass(frozen=True)
class RevenueStatistics:
    """The numbers of one currency."""

    currency: str
    months: Sequence[MonthOfRevenue]
    cohorts: Sequence[CohortOfRevenue]
    saved: Sequence[SavedRevenue]


def shift_month(month: date, count: int) -> date:
    """Return the first day of the month `count` months later."""
    years, index = divmod(month.month - 1 + count, MONTHS_PER_YEAR)
    return date(month.year + years, index + 1, 1)


def revenue_statistics(months: MonthRange) -> list[RevenueStatistics]:
    """Return the numbers of each currency that has any. The number of queries is fixed."""
    openings = dict(
        RevenueMovement.objects.filter(at__lt=months.start)
        .order_by()
        .values_list("currency")
        .annotate(cents=Sum("amount"))
    )
    moved = _movements_by_month(months)
    cohorts = _cohort_movements(months)
    saved = _saved_revenue(months)
    currencies = sorted(openings.keys() | {currency for currency, _, _ in moved})
    return [
        RevenueStatistics(
            currency=currency,
            months=_months_of(currency, openings.get(currency, 0), moved, months),
            cohorts=_cohorts_of(currency, cohorts, months),
            saved=[SavedRevenue(offer, *saved.get((offer, currency), (0, 0))) for offer in OFFERS],
        )
        for currency in currencies
    ]


# Cents and rows, by currency, month and kind.
_Moved = Mapping[tuple[str, date, str], tuple[int, int]]


def _movements_by_month(months: MonthRange) -> _Moved:
    month = TruncMonth("at", tzinfo=ZoneInfo(months.zone))
    rows = RevenueMovement.objects.filter(at__gte=months.start, at__lt=months.end).order_by().annotate(month=month)
    sums = rows.values_list("currency", "month", "kind").annotate(cents=Sum("amount"), count=Count("id"))
    return {(currency, begin.date(), kind): (cents, count) for currency, begin, kind, cents, count in sums}


def _months_of(currency: str, opening: int, moved: _Moved, months: MonthRange) -> list[MonthOfRevenue]:
    found = []
    for month in months.months:
        sums = {kind: moved.get((currency, month, kind), (0, 0)) for kind in Kind.values}
        cents = {kind: pair[CENTS] for kind, pair in sums.items()}
        row = MonthOfRevenue(month, opening, cents, {kind: pair[COUNT] for kind, pair in sums.items()})
        found.append(row)
        opening = row.closing
    return found


# Cents by currency, cohort and month.
_CohortMovements = Mapping[tuple[str, date, date], int]


def _cohort_movements(months: MonthRange) -> _CohortMovements:
    zone = ZoneInfo(months.zone)
    rows = RevenueMovement.objects.filter(first_at__gte=months.start, at__gte=months.start, at__lt=months.end)
    monthly = rows.order_by().annotate(cohort=TruncMonth("first_at", tzinfo=zone), month=TruncMonth("at", tzinfo=zone))
    sums = monthly.values_list("currency", "cohort", "month").annotate(cents=Sum("amount"))
    return {(currency, cohort.date(), month.date()): cents for currency, cohort, month, cents in sums}


def _cohorts_of(currency: str, moved: _CohortMovements, months: MonthRange) -> list[CohortOfRevenue]:
    cohorts = []
    for cohort in months.months:
        total, revenue = 0, []
        for month in (month for month in months.months if month >= cohort):
            total += moved.get((currency, cohort, month), 0)
            revenue.append(total)
        cohorts.append(CohortOfRevenue(cohort, revenue))
    return cohorts


def _saved_revenue(months: MonthRange) -> dict[tuple[str, str], tuple[int, int]]:
    """Return how many subscriptions took each offer, and their revenue today. One query per offer."""
    saved: Counter[tuple[str, str]] = Counter()
    taken: Counter[tuple[str, str]] = Counter()
    for offer in OFFERS:
        events = ChurnEvent.objects.filter(
            kind=ChurnEvent.Kind.OFFER_TAKEN, offer=offer, at__gte=months.start, at__lt=months.end
        )
        rows = RevenueMovement.objects.filter(subscription_id__in=events.order_by().values("subscription_id"))
        sums = rows.order_by().values_list("currency")
        for currency, cents, count in sums.annotate(Sum("amount"), Count("subscription_id", distinct=True)):
            saved[offer, currency], taken[offer, currency] = cents, count
    return {key: (taken[key], saved[key]) for key in taken}


def months_until(today: date, count: int, zone: str) -> MonthRange:
    """Return the last `count` months, the one of `today` included."""
    last = today.replace(day=1)
    return MonthRange(shift_month(last, 1 - count), last, zone)
