"""The numbers of the revenue report: monthly recurring revenue, its movements and cohorts, summed by the database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from django.db.models import Count, Q, Sum
from django.db.models.functions import TruncMonth

from billing.clock import start_of_day
from billing.models import ChurnEvent, RevenueMovement
from billing.queries.reports.recovered_payments import RecoveredPayments, recovered_payments
from billing.survey import OFFERS

Kind = RevenueMovement.Kind
MONTHS_PER_YEAR = 12
CENTS, COUNT = 0, 1
# A subscription that begins to bring in revenue, or ceases to.
BEGINNINGS = (Kind.NEW, Kind.REACTIVATION)
ENDINGS = (Kind.PAUSE, Kind.CHURN)


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
    """One month in one currency: the revenue and the subscriptions at its start, and the movements by kind.

    `opening` and `movements` are cents per month, `paying` and `counts` subscriptions.
    """

    month: date
    opening: int
    paying: int
    movements: Mapping[str, int]
    counts: Mapping[str, int]

    @property
    def closing(self) -> int:
        """The revenue at its end: the opening and all movements, to the cent."""
        return self.opening + sum(self.movements.values())

    @property
    def still_paying(self) -> int:
        """The subscriptions at its end: those of its start, with who began and without who paused or left."""
        began = sum(self.counts[kind] for kind in BEGINNINGS)
        return self.paying + began - sum(self.counts[kind] for kind in ENDINGS)


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
    recovered: Sequence[tuple[date, RecoveredPayments]]


def shift_month(month: date, count: int) -> date:
    """Return the first day of the month `count` months later."""
    years, index = divmod(month.month - 1 + count, MONTHS_PER_YEAR)
    return date(month.year + years, index + 1, 1)


def revenue_statistics(months: MonthRange) -> list[RevenueStatistics]:
    """Return the numbers of each currency that has any. The number of queries is fixed."""
    openings = _openings(months)
    moved = _movements_by_month(months)
    cohorts = _cohort_movements(months)
    saved = _saved_revenue(months)
    recovered = recovered_payments(months.start, months.end, months.zone)
    currencies = sorted(
        openings.keys() | {currency for currency, *_ in moved} | {currency for currency, _ in recovered}
    )
    return [
        RevenueStatistics(
            currency=currency,
            months=_months_of(currency, openings.get(currency, (0, 0)), moved, months),
            cohorts=_cohorts_of(currency, cohorts, months),
            saved=[SavedRevenue(offer, *saved.get((offer, currency), (0, 0))) for offer in OFFERS],
            recovered=[(month, recovered.get((currency, month), RecoveredPayments())) for month in months.months],
        )
        for currency in currencies
    ]


def _openings(months: MonthRange) -> dict[str, tuple[int, int]]:
    """Return the cents per month and the paying subscriptions before the first month, by currency."""
    began = Count("id", filter=Q(kind__in=BEGINNINGS))
    ended = Count("id", filter=Q(kind__in=ENDINGS))
    rows = RevenueMovement.objects.filter(at__lt=months.start).order_by().values_list("currency")
    return {currency: (cents, paying) for currency, cents, paying in rows.annotate(Sum("amount"), paying=began - ended)}


# Cents and rows, by currency, month and kind.
_Moved = Mapping[tuple[str, date, str], tuple[int, int]]


def _movements_by_month(months: MonthRange) -> _Moved:
    month = TruncMonth("at", tzinfo=ZoneInfo(months.zone))
    rows = RevenueMovement.objects.filter(at__gte=months.start, at__lt=months.end).order_by().annotate(month=month)
    sums = rows.values_list("currency", "month", "kind").annotate(cents=Sum("amount"), count=Count("id"))
    return {(currency, begin.date(), kind): (cents, count) for currency, begin, kind, cents, count in sums}


def _months_of(currency: str, opening: tuple[int, int], moved: _Moved, months: MonthRange) -> list[MonthOfRevenue]:
    found = []
    cents_then, paying = opening
    for month in months.months:
        sums = {kind: moved.get((currency, month, kind), (0, 0)) for kind in Kind.values}
        cents = {kind: pair[CENTS] for kind, pair in sums.items()}
        row = MonthOfRevenue(month, cents_then, paying, cents, {kind: pair[COUNT] for kind, pair in sums.items()})
        found.append(row)
        cents_then, paying = row.closing, row.still_paying
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
