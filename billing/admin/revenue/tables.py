"""The tables of the revenue report, the same on the page and in the CSV. Amounts are in whole units of the currency."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from billing.admin.churn.charts import format_rate, format_share
from billing.admin.churn.tables import Table
from billing.money import to_decimal
from billing.queries.reports.recovered_payments import COLLECTED, LOST, TRIED
from billing.queries.reports.revenue_report import Kind, RevenueStatistics

KINDS = (Kind.NEW, Kind.EXPANSION, Kind.REACTIVATION, Kind.CONTRACTION, Kind.PAUSE, Kind.CHURN)
_KIND_NAMES = tuple(str(kind.label).capitalize() for kind in KINDS)
_OFFER_NAMES = {"pause": "Pause", "free_month": "Free month"}


def movement_table(report: RevenueStatistics) -> Table:
    """Return the revenue at the start and the end of each month, and what lies between."""
    rows = [
        (
            f"{month.month:%Y-%m}",
            to_decimal(month.opening, report.currency),
            *(to_decimal(month.movements[kind], report.currency) for kind in KINDS),
            to_decimal(month.closing, report.currency),
            format_rate(-month.movements[Kind.CHURN], month.opening),
        )
        for month in report.months
    ]
    columns = ("Month", "Start", *_KIND_NAMES, "End", "Churn rate")
    note = (
        "What subscriptions bring in per month at list price, before coupons and tax. Start and movements make the end."
    )
    return Table(
        f"movements-{report.currency}", f"Monthly recurring revenue, {report.currency}", columns, rows, note=note
    )


def count_table(report: RevenueStatistics) -> Table:
    """Return how many subscriptions pay at the start and the end of each month, how many moved, and the rates."""
    rows = [
        (
            f"{month.month:%Y-%m}",
            month.paying,
            *(month.counts[kind] for kind in KINDS),
            month.still_paying,
            format_rate(month.counts[Kind.PAUSE], month.paying),
            format_rate(month.counts[Kind.CHURN], month.paying),
        )
        for month in report.months
    ]
    columns = ("Month", "Start", *_KIND_NAMES, "End", "Pause rate", "Churn rate")
    note = "Subscriptions that bring in revenue. Expansion and contraction change no number."
    return Table(f"counts-{report.currency}", f"Subscriptions, {report.currency}", columns, rows, note=note)


def recovered_table(report: RevenueStatistics) -> Table:
    """Return what became of the invoices whose automatic payment failed, by the month of the invoice."""
    rows = [
        (
            f"{month:%Y-%m}",
            row.count,
            row.collected_count,
            format_share(row.collected_count, row.count),
            to_decimal(row.failed_cents, report.currency),
            *(to_decimal(row.cents[outcome], report.currency) for outcome in (COLLECTED, TRIED, LOST)),
            format_share(row.cents[COLLECTED], row.failed_cents),
        )
        for month, row in report.recovered
    ]
    columns = (
        "Month",
        "Failed invoices",
        "Collected later",
        "Share",
        "Failed amount",
        "Collected",
        "Being tried",
        "Not collected",
        "Share of amount",
    )
    note = "Invoices whose automatic payment failed, by the month of the invoice, and what was collected of them since."
    return Table(f"recovered-{report.currency}", f"Recovered payments, {report.currency}", columns, rows, note=note)


def cohort_table(report: RevenueStatistics) -> Table:
    """Return what the customers of each first month still bring in, as a share of the end of that month."""
    width = max((len(cohort.revenue) for cohort in report.cohorts), default=0)
    rows = [
        (
            f"{cohort.month:%Y-%m}",
            to_decimal(cohort.revenue[0], report.currency),
            *(format_share(cents, cohort.revenue[0]) for cents in cohort.revenue[1:]),
            *([""] * (width - len(cohort.revenue))),
        )
        for cohort in report.cohorts
    ]
    columns = ("First month", "Revenue then", *(f"+{number}" for number in range(1, width)))
    note = "Revenue of the customers who began in a month, at the end of each month after it."
    return Table(f"cohorts-{report.currency}", f"Cohorts by first month, {report.currency}", columns, rows, note=note)


def saved_table(report: RevenueStatistics) -> Table:
    """Return what the accepted offers have kept."""
    rows = [
        (_OFFER_NAMES[saved.offer], saved.taken, to_decimal(saved.cents, report.currency)) for saved in report.saved
    ]
    columns = ("Offer", "Subscriptions", "Revenue today")
    note = "Subscriptions whose owner accepted an offer in these months; one that is paused brings in nothing today."
    return Table(
        f"saved-{report.currency}", f"Revenue saved by offers, {report.currency}", columns, rows, bar=2, note=note
    )


TABLE_BUILDERS: Mapping[str, Callable[[RevenueStatistics], Table]] = {
    "movements": movement_table,
    "counts": count_table,
    "recovered": recovered_table,
    "cohorts": cohort_table,
    "saved": saved_table,
}
