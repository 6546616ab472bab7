"""What a row of `make bench` saw, and how it is shown: as a table and as JSON, by medians and ratios."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

ROUNDS = 5


@dataclass(frozen=True)
class Comparison:
    """Two sides of one thing, a figure of each per round; `goal` is what the ratio of ours is to be."""

    name: str
    against: str
    unit: str
    ours: Sequence[float]
    other: Sequence[float]
    goal: str

    @property
    def ratio(self) -> float:
        """Our median, of the other side's."""
        return median(self.ours) / median(self.other)


@dataclass(frozen=True)
class Count:
    """Something that is counted and swings with nothing, as queries do."""

    name: str
    count: int
    goal: str


@dataclass(frozen=True)
class Scores:
    """What somebody else's judgement gave in each round, by which the least counts as well as the median."""

    name: str
    scores: Sequence[float]
    goal: str


@dataclass(frozen=True)
class LeftOut:
    """What could not be measured here, and why."""

    name: str
    why: str


Figure = Comparison | Count | Scores | LeftOut
_KINDS: dict[str, type[Figure]] = {kind.__name__: kind for kind in (Comparison, Count, Scores, LeftOut)}


def interleaved(sides: Mapping[str, Callable[[], float]], rounds: int = ROUNDS) -> dict[str, list[float]]:
    """Measure every side once per round, so that what else the machine does falls on all; the first is not kept."""
    seen: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds + 1):
        for name, measure in sides.items():
            seen[name].append(measure())
    return {name: figures[1:] for name, figures in seen.items()}


def hand_over(figures: Sequence[Figure]) -> None:
    """Print what a row saw, for `received`."""
    told = [{"kind": type(one).__name__, **asdict(one)} for one in figures]
    sys.stdout.write(json.dumps(told) + "\n")


def received(text: str) -> list[Figure]:
    """Return what a row handed over: the last line that it printed."""
    told: list[dict[str, Any]] = json.loads(text.splitlines()[-1])
    return [_KINDS[one.pop("kind")](**one) for one in told]


def _shown(figure: float) -> str:
    return f"{figure:,.0f}" if figure >= 100 else f"{figure:.2f}"


def _shown_ratio(ratio: float) -> str:
    """Show a ratio, far below one as a fraction, which says how many times."""
    return f"{ratio:.2f}" if ratio >= 0.05 else f"1/{1 / ratio:.0f}"


def _cells(figure: Figure) -> tuple[str, ...]:
    if isinstance(figure, LeftOut):
        return (figure.name, f"left out: {figure.why}")
    if isinstance(figure, Count):
        return (figure.name, "", str(figure.count), "", "", figure.goal)
    if isinstance(figure, Scores):
        least = f"least of {len(figure.scores)}: {min(figure.scores):.0f}"
        return (figure.name, least, f"{median(figure.scores):.0f}", "", "", figure.goal)
    medians = (_shown(median(side)) for side in (figure.ours, figure.other))
    return (
        f"{figure.name}, {figure.unit}",
        figure.against,
        *medians,
        _shown_ratio(figure.ratio),
        figure.goal,
    )


def table(figures: Sequence[Figure]) -> str:
    """Return the figures as text, a line each."""
    head = ("median of the rounds", "against", "ours", "other", "ratio", "goal")
    return "\n".join(_line(cells) for cells in (head, *map(_cells, figures)))


def _line(cells: Sequence[str]) -> str:
    if len(cells) == 2:
        return f"  {cells[0]:<58}{cells[1]}"
    name, against, ours, other, ratio, goal = cells
    return f"  {name:<58}{against:<40}{ours:>9}{other:>9}{ratio:>8}  {goal}".rstrip()


def document(figures: Sequence[Figure]) -> list[dict[str, Any]]:
    """Return the figures as what is kept: all that was seen, with the medians and the ratio of a comparison."""
    return [{**asdict(one), **_summed_up(one)} for one in figures]


def _summed_up(figure: Figure) -> dict[str, float]:
    if isinstance(figure, Scores):
        return {"median": median(figure.scores), "least": min(figure.scores)}
    if not isinstance(figure, Comparison):
        return {}
    sides = {"ours_median": median(figure.ours), "other_median": median(figure.other)}
    return {**sides, "ratio": figure.ratio}
