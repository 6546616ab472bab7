"""Bars for charts that are drawn on the server: numbers in, the geometry of an SVG out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 320, 116
# Room for the number of the top line, above, and for the first and the last label, below.
TOP, BOTTOM = 14, 96
GAP = 0.22
NARROWEST = 0.5
ROUND = (1, 2, 3, 4, 5, 6, 8, 10)


@dataclass(frozen=True)
class Bar:
    """One bar, in the units of the chart's view box, and its words for who points at it."""

    x: str
    y: str
    width: str
    height: str
    words: str


@dataclass(frozen=True)
class Chart:
    """A bar chart over time: `title` and `description` say in words what it shows."""

    id: str
    title: str
    description: str
    bars: Sequence[Bar]
    top: int
    first: str
    last: str

    width, height, top_line, base_line = WIDTH, HEIGHT, TOP, BOTTOM


def over_time(id_: str, title: str, points: Sequence[tuple[str, int]]) -> Chart:
    """Return the chart of one number over time; `points` are at least one label with its count, oldest first."""
    top = rounded_up(max(count for _, count in points))
    step = WIDTH / len(points)
    return Chart(
        id=id_,
        title=title,
        description=_described(points),
        bars=[
            _bar(index * step, step, count / top, f"{label}: {count:,}")
            for index, (label, count) in enumerate(points)
        ],
        top=top,
        first=points[0][0],
        last=points[-1][0],
    )


def rounded_up(most: int) -> int:
    """Return the number that the top line stands for: the next round one, so that the bars fill their room."""
    if most <= 1:
        return 1
    power: int = 10 ** math.floor(math.log10(most))
    return next(factor * power for factor in ROUND if factor * power >= most)


def share(part: int, whole: int) -> str:
    """Return a share in per cent, of nothing a dash."""
    return f"{100 * part / whole:.0f} %" if whole else "-"


def _bar(left: float, step: float, share_of_top: float, words: str) -> Bar:
    gap = min(step * GAP, 6)
    height = (BOTTOM - TOP) * share_of_top
    return Bar(
        x=f"{left + gap / 2:.2f}",
        y=f"{BOTTOM - height:.2f}",
        width=f"{max(step - gap, NARROWEST):.2f}",
        height=f"{height:.2f}",
        words=words,
    )


def _described(points: Sequence[tuple[str, int]]) -> str:
    total = sum(count for _, count in points)
    if not total:
        return f"None from {points[0][0]} to {points[-1][0]}."
    label, most = max(points, key=lambda point: point[1])
    return f"{total:,} from {points[0][0]} to {points[-1][0]}; the most, {most:,}, in the week of {label}."
