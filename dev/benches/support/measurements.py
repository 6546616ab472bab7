"""The figures of a row of `make bench`, and how they are shown: as a table and as JSON, by medians and ratios."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

ROUNDS = 5
GOAL = re.compile(r"(?:(?P<sign>[≥≤]) )?(?P<number>[\d.]+)(?:/(?P<divisor>\d+))?")


@dataclass(frozen=True)
class Comparison:
    """Two sides measured in each round; `goal` is for the ratio of ours to the other."""

    name: str
    against: str
    unit: str
    ours: Sequence[float]
    other: Sequence[float]
    goal: str

    @property
    def ratio(self) -> float:
        """Our median divided by the other side's."""
        return median(self.ours) / median(self.other)


@dataclass(frozen=True)
class Count:
    """An exact count, such as of queries, the same in every round."""

    name: str
    count: int
    goal: str


@dataclass(frozen=True)
class Scores:
    """The scores of another tool in each round; the lowest counts as well as the median."""

    name: str
    scores: Sequence[float]
    goal: str


@dataclass(frozen=True)
class NotMeasured:
    """A row that could not be measured here, and why."""

    name: str
    why: str


Figure = Comparison | Count | Scores | NotMeasured
_KINDS: dict[str, type[Figure]] = {kind.__name__: kind for kind in (Comparison, Count, Scores, NotMeasured)}


def measure_interleaved(sides: Mapping[str, Callable[[], float]], rounds: int = ROUNDS) -> dict[str, list[float]]:
    """Measure every side once per round, so that other load affects all; the first round is dropped."""
    seen: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds + 1):
        for name, measure in sides.items():
            seen[name].append(measure())
    return {name: figures[1:] for name, figures in seen.items()}


def print_figures(figures: Sequence[Figure]) -> None:
    """Print a row's figures for `parse_figures`."""
    rows = [{"kind": type(figure).__name__, **asdict(figure)} for figure in figures]
    sys.stdout.write(json.dumps(rows) + "\n")


def parse_figures(text: str) -> list[Figure]:
    """Parse a row's figures from the last line that it printed."""
    rows: list[dict[str, Any]] = json.loads(text.splitlines()[-1])
    return [_KINDS[row.pop("kind")](**row) for row in rows]


def is_missed(figure: Figure) -> bool:
    """Return whether a figure was measured and does not reach its goal, if that is a number."""
    if isinstance(figure, Scores):
        middle, _, least = figure.goal.partition(", least ")
        return _misses(median(figure.scores), middle) or _misses(min(figure.scores), least)
    if isinstance(figure, Comparison):
        return _misses(figure.ratio, figure.goal)
    return isinstance(figure, Count) and _misses(figure.count, figure.goal)


def _misses(number: float, goal: str) -> bool:
    """Compare a number with a goal such as "≥ 0.30", "≤ 1/200" or "2"; "flat" and none are for the reader."""
    if (match := GOAL.fullmatch(goal)) is None:
        return False
    bound = float(match["number"]) / float(match["divisor"] or 1)
    return {"≥": number < bound, "≤": number > bound, None: number != bound}[match["sign"]]


def _format_number(figure: float) -> str:
    return f"{figure:,.0f}" if figure >= 100 else f"{figure:.2f}"


def _format_ratio(ratio: float) -> str:
    """Return a ratio as text; one far below 1 as a fraction, which is easier to read."""
    return f"{ratio:.2f}" if ratio >= 0.05 else f"1/{1 / ratio:.0f}"


def _figure_cells(figure: Figure) -> tuple[str, ...]:
    if isinstance(figure, NotMeasured):
        return (figure.name, f"left out: {figure.why}")
    if isinstance(figure, Count):
        return (figure.name, "", str(figure.count), "", "", _goal_cell(figure))
    if isinstance(figure, Scores):
        least = f"least of {len(figure.scores)}: {min(figure.scores):.0f}"
        return (figure.name, least, f"{median(figure.scores):.0f}", "", "", _goal_cell(figure))
    medians = (_format_number(median(side)) for side in (figure.ours, figure.other))
    return (
        f"{figure.name}, {figure.unit}",
        figure.against,
        *medians,
        _format_ratio(figure.ratio),
        _goal_cell(figure),
    )


def _goal_cell(figure: Comparison | Count | Scores) -> str:
    return f"{figure.goal}{', missed' if is_missed(figure) else ''}"


def figure_table(figures: Sequence[Figure]) -> str:
    """Return the figures as a table."""
    head = ("median of the rounds", "against", "ours", "other", "ratio", "goal")
    return "\n".join(_table_line(cells) for cells in (head, *map(_figure_cells, figures)))


def _table_line(cells: Sequence[str]) -> str:
    if len(cells) == 2:
        return f"  {cells[0]:<58}{cells[1]}"
    name, against, ours, other, ratio, goal = cells
    return f"  {name:<58}{against:<40}{ours:>9}{other:>9}{ratio:>8}  {goal}".rstrip()


def figures_as_json(figures: Sequence[Figure]) -> list[dict[str, Any]]:
    """Return the figures to save: all measurements, with the medians and the ratio of a comparison."""
    return [{**asdict(figure), **_figure_as_json(figure)} for figure in figures]


def _figure_as_json(figure: Figure) -> dict[str, float]:
    if isinstance(figure, Scores):
        return {"median": median(figure.scores), "least": min(figure.scores)}
    if not isinstance(figure, Comparison):
        return {}
    sides = {"ours_median": median(figure.ours), "other_median": median(figure.other)}
    return {**sides, "ratio": figure.ratio}
