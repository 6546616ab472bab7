"""The tables of the churn report, the same on the page and in the CSV."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from billing.admin.churn.charts import format_share
from billing.models import Plan
from billing.queries.reports.churn_report import MEASURES, ChurnStatistics, Counts, OfferFunnel, Rate, ReportRange
from billing.survey import OFFERS, REASON, SATISFACTION, USAGE

MEASURE_NAMES = {
    "cancellations": "Cancellations",
    "pauses": "Pauses scheduled",
    "begun": "Pauses started",
    "resumes": "Resumes",
    "saves": "Saves",
}
MEASURE_MEANINGS = {
    "cancellations": "Subscriptions canceled",
    "pauses": "Pauses chosen by subscribers",
    "begun": "Pauses that took effect",
    "resumes": "Subscriptions resumed after a pause",
    "saves": "Accepted offers and undone cancellations",
}
RATE_MEANINGS = {
    "cancellations": "subscriptions that paid in these weeks, without those kept again",
    "begun": "subscriptions that paid in these weeks",
    "saves": "subscriptions that were canceled or saved",
}
UNPAID_CANCELLATIONS = "Cancellations of subscriptions that paid nothing in these weeks, such as trials"
_OFFER_NAMES = {"pause": "Pause", "free_month": "Free month"}
_UNANSWERED = "not answered"
_PAUSE_OUTCOMES = (
    ("resumed", "resumed"),
    ("cancelled", "canceled"),
    ("", "still paused or ended otherwise"),
)

TableRow = Sequence[object]


@dataclass(frozen=True)
class Table:
    """A table whose rows are a name followed by numbers; `bar` is the column that the bars show."""

    id: str
    title: str
    columns: Sequence[str]
    rows: Sequence[TableRow]
    bar: int | None = None
    note: str = ""

    @property
    def shown_rows(self) -> list[tuple[list[str], float]]:
        """The rows as text, each with the width of its bar in percent of the longest."""
        lengths = [float(str(row[self.bar])) if self.bar is not None else 0 for row in self.rows]
        longest = max(lengths, default=0) or 1
        return [
            ([_cell_text(cell) for cell in row], round(100 * length / longest, 1))
            for row, length in zip(self.rows, lengths, strict=True)
        ]


def week_table(report_range: ReportRange, report: ChurnStatistics) -> Table:
    """Return the numbers by week, weeks without events included."""
    rows = [(monday.isoformat(), *_measure_counts(report.weeks.get(monday, {}))) for monday in report_range.week_starts]
    return Table("weeks", "By week", ("Week of", *MEASURE_NAMES.values()), rows)


def service_table(report_range: ReportRange, report: ChurnStatistics) -> Table:
    """Return the numbers by service. A service that left the catalog is named by its code."""
    names: dict[str, str] = {}
    for plan in Plan.objects.all():
        names.setdefault(plan.service, plan.name)
    codes = [*names, *sorted(report.services.keys() - names.keys())]
    rows = [(names.get(code, code or "unknown"), *_measure_counts(report.services.get(code, {}))) for code in codes]
    return Table("services", "By service", ("Service", *MEASURE_NAMES.values()), rows)


def reason_table(report_range: ReportRange, report: ChurnStatistics) -> Table:
    """Return the numbers by reason."""
    return _answer_table(REASON, "Reasons", report)


def satisfaction_table(report_range: ReportRange, report: ChurnStatistics) -> Table:
    """Return the numbers by satisfaction."""
    return _answer_table(SATISFACTION, "Satisfaction", report)


def usage_table(report_range: ReportRange, report: ChurnStatistics) -> Table:
    """Return the numbers by usage."""
    return _answer_table(USAGE, "Usage", report)


def offer_table(report_range: ReportRange, report: ChurnStatistics) -> Table:
    """Return how often each offer was shown, taken and refused."""
    rows = [_offer_row(_OFFER_NAMES[offer], report.offers.get(offer, OfferFunnel())) for offer in OFFERS]
    columns = ("Offer", "Shown", "Accepted", "Declined", "Acceptance rate")
    return Table("offers", "Offers", columns, rows, bar=2, note="Counted once per subscription.")


def describe_rate(measure: str, rate: Rate | None) -> str:
    """Return a rate in words: `2.1 % of 1,204 subscriptions that paid in these weeks`; empty if it is not known."""
    if rate is None or not rate.whole:
        return ""
    return f"{format_share(rate.part, rate.whole)} of {rate.whole:,} {RATE_MEANINGS[measure]}"


def rate_table(report_range: ReportRange, report: ChurnStatistics) -> Table:
    """Return the rates, and what none of them counts; a share that is not known is empty."""
    rows: list[TableRow] = [
        (
            f"{MEASURE_NAMES[measure]}, of {RATE_MEANINGS[measure]}",
            rate.part,
            "" if rate.whole is None else rate.whole,
            format_share(rate.part, rate.whole) if rate.whole else "",
        )
        for measure, rate in report.rates.items()
    ]
    rows.append((UNPAID_CANCELLATIONS, report.unpaid_cancellations, "", ""))
    note = "Each subscription counts once, by what came last. Who paid is known for all brands together only."
    return Table("rates", "Rates", ("Rate", "Subscriptions", "Of", "Share"), rows, note=note)


def pause_return_table(report_range: ReportRange, report: ChurnStatistics) -> Table:
    """Return what came next for the pauses that began in the range."""
    begun = sum(report.returns.values())
    rows = [
        (name, report.returns.get(outcome, 0), format_share(report.returns.get(outcome, 0), begun))
        for outcome, name in _PAUSE_OUTCOMES
    ]
    pauses = "pause" if begun == 1 else "pauses"
    note = f"Of {begun:,} {pauses} that started in these weeks."
    return Table("returns", "Paused subscriptions that resumed", ("Outcome", "Pauses", "Share"), rows, bar=1, note=note)


TABLE_BUILDERS: Mapping[str, Callable[[ReportRange, ChurnStatistics], Table]] = {
    "weeks": week_table,
    "services": service_table,
    "rates": rate_table,
    "returns": pause_return_table,
    "offers": offer_table,
    "reason": reason_table,
    "satisfaction": satisfaction_table,
    "usage": usage_table,
}


def _cell_text(cell: object) -> str:
    return f"{cell:,}" if isinstance(cell, (int, Decimal)) else str(cell)


def _measure_counts(counts: Counts) -> list[int]:
    return [counts.get(measure, 0) for measure in MEASURES]


def _answer_table(question: str, title: str, report: ChurnStatistics) -> Table:
    counts, offered = report.answers[question], report.offered[question]
    others = sorted(answer for answer in counts if answer and answer not in offered)
    cancellations = sum(measures.get("cancellations", 0) for measures in counts.values())
    answers = [*((option, option) for option in (*offered, *others)), (_UNANSWERED, "")]
    rows = [_answer_row(name, counts.get(answer, {}), cancellations) for name, answer in answers]
    columns = ("Answer", "Cancellations", "Share", *(MEASURE_NAMES[measure] for measure in MEASURES[1:]))
    note = "Outcomes count under the answers given at the time."
    return Table(question, title, columns, rows, bar=1, note=note)


def _answer_row(name: str, counts: Counts, cancellations: int) -> TableRow:
    cancelled, *others = _measure_counts(counts)
    return (name, cancelled, format_share(cancelled, cancellations), *others)


def _offer_row(name: str, funnel: OfferFunnel) -> TableRow:
    return (name, funnel.shown, funnel.taken, funnel.refused, format_share(funnel.taken, funnel.shown))
