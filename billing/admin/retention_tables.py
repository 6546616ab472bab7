"""The retention report as tables: what the page shows beside its charts is what the CSV holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from billing.admin.charts import share
from billing.catalog import PLANS
from billing.queries.retention_report import MEASURES, Counts, Funnel, Range, Report
from billing.survey import DAILY_USAGES, OFFERS, REASONS, SATISFACTION_LEVELS

NAMES = {
    "cancellations": "Cancellations",
    "pauses": "Pauses placed",
    "begun": "Pauses begun",
    "resumes": "Resumes",
    "saves": "Saves",
}
MEANINGS = {
    "cancellations": "Subscriptions cancelled.",
    "pauses": "Pauses that subscribers chose.",
    "begun": "Pauses that took effect.",
    "resumes": "Subscriptions that came back from a pause.",
    "saves": "Offers taken, and cancellations taken back.",
}
_OFFER_NAMES = {"pause": "Pause", "free_month": "Free month"}
_UNANSWERED = "not answered"
_OUTCOMES = (("resumed", "came back"), ("cancelled", "cancelled"), ("", "still paused, or ended otherwise"))

Row = Sequence[object]


@dataclass(frozen=True)
class Table:
    """A table: rows begin with their name and end in numbers; `bar` is the column that the bars are drawn from."""

    id: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Row]
    bar: int | None = None
    note: str = ""

    @property
    def shown_rows(self) -> list[tuple[list[str], float]]:
        """The rows in words, each with the width of its bar in per cent of the longest."""
        lengths = [float(str(row[self.bar])) if self.bar is not None else 0 for row in self.rows]
        longest = max(lengths, default=0) or 1
        return [
            ([_in_words(cell) for cell in row], round(100 * length / longest, 1))
            for row, length in zip(self.rows, lengths, strict=True)
        ]


def by_week(asked: Range, report: Report) -> Table:
    """Return each week's numbers, weeks without any included."""
    rows = [(monday.isoformat(), *_measures(report.weeks.get(monday, {}))) for monday in asked.mondays]
    return Table("weeks", "By week", ("Week of", *NAMES.values()), rows)


def by_service(asked: Range, report: Report) -> Table:
    """Return each service's numbers; one that is not in the catalogue any more goes by its code."""
    names = {plan.service: plan.name for plan in PLANS}
    codes = [*names, *sorted(report.services.keys() - names.keys())]
    rows = [(names.get(code, code or "unknown"), *_measures(report.services.get(code, {}))) for code in codes]
    return Table("services", "By service", ("Service", *NAMES.values()), rows)


def by_reason(asked: Range, report: Report) -> Table:
    """Return how often each reason was given."""
    return _answers("reason", "Why they wanted to leave", REASONS, report)


def by_satisfaction(asked: Range, report: Report) -> Table:
    """Return how satisfied those were who left, paused, came back or stayed."""
    return _answers("satisfaction", "How satisfied they were", SATISFACTION_LEVELS, report)


def by_usage(asked: Range, report: Report) -> Table:
    """Return how often they had watched."""
    return _answers("usage", "How often they watched", DAILY_USAGES, report)


def offers(asked: Range, report: Report) -> Table:
    """Return what became of each offer."""
    rows = [_offer_row(_OFFER_NAMES[offer], report.offers.get(offer, Funnel())) for offer in OFFERS]
    columns = ("Offer", "Shown", "Taken", "Refused", "Share taken")
    return Table(
        "offers", "Offers", columns, rows, bar=2, note="One is counted for each subscription it was about."
    )


def returns(asked: Range, report: Report) -> Table:
    """Return what came next for the pauses that began."""
    begun = sum(report.returns.values())
    rows = [
        (name, report.returns.get(outcome, 0), share(report.returns.get(outcome, 0), begun))
        for outcome, name in _OUTCOMES
    ]
    pauses = "pause" if begun == 1 else "pauses"
    note = f"Of {begun:,} {pauses} that began in these weeks, whenever it came."
    return Table(
        "returns", "How many paused came back", ("What came next", "Pauses", "Share"), rows, bar=1, note=note
    )


TABLES: Mapping[str, Callable[[Range, Report], Table]] = {
    "weeks": by_week,
    "services": by_service,
    "returns": returns,
    "offers": offers,
    "reason": by_reason,
    "satisfaction": by_satisfaction,
    "usage": by_usage,
}


def _in_words(cell: object) -> str:
    return f"{cell:,}" if isinstance(cell, int) else str(cell)


def _measures(counts: Counts) -> list[int]:
    return [counts.get(measure, 0) for measure in MEASURES]


def _answers(question: str, title: str, options: Iterable[str], report: Report) -> Table:
    counts = report.answers[question]
    left = sum(one.get("cancellations", 0) for one in counts.values())
    named = [*((option, option) for option in options), (_UNANSWERED, "")]
    rows = [_answer_row(name, counts.get(answer, {}), left) for name, answer in named]
    columns = ("Answer", "Cancellations", "Share", *(NAMES[one] for one in MEASURES[1:]))
    note = "What follows a pause or a cancellation is counted with what was said when it was placed."
    return Table(question, title, columns, rows, bar=1, note=note)


def _answer_row(name: str, counts: Counts, left: int) -> Row:
    cancelled, *others = _measures(counts)
    return (name, cancelled, share(cancelled, left), *others)


def _offer_row(name: str, funnel: Funnel) -> Row:
    return (name, funnel.shown, funnel.taken, funnel.refused, share(funnel.taken, funnel.shown))
