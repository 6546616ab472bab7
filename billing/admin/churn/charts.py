"""Bar charts drawn on the server: turn numbers into the geometry of an SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from billing.money import format_cents, to_decimal

WIDTH, HEIGHT = 320, 116
# Room above for the number of the top line, and below for the first and last label.
TOP, BOTTOM = 14, 96
GAP = 0.22
MIN_BAR_WIDTH = 0.5
ROUND_FACTORS = (1, 2, 3, 4, 5, 6, 8, 10)


@dataclass(frozen=True)
class Bar:
    """One bar, in units of the chart's view box, with its tooltip (`words`)."""

    x: str
    y: str
    width: str
    height: str
    words: str


@dataclass(frozen=True)
class Chart:
    """A bar chart over time; `title` and `description` are its text alternative."""

    id: str
    title: str
    description: str
    bars: Sequence[Bar]
    top: int
    first: str
    last: str
    table: str = "By week"

    width, height, top_line, base_line = WIDTH, HEIGHT, TOP, BOTTOM


def chart_over_time(id_: str, title: str, points: Sequence[tuple[str, int]]) -> Chart:
    """Return the chart of one number over time. `points` are label and count, oldest first, at least one."""
    top = axis_maximum(max(count for _, count in points))
    step = WIDTH / len(points)
    return Chart(
        id=id_,
        title=title,
        description=_describe_points(points),
        bars=[
            _chart_bar(index * step, step, count / top, f"{label}: {count:,}")
            for index, (label, count) in enumerate(points)
        ],
        top=top,
        first=points[0][0],
        last=points[-1][0],
    )


def amount_chart(id_: str, title: str, points: Sequence[tuple[str, int]], *, currency: str, table: str) -> Chart:
    """Return the chart of an amount in cents over time; a negative amount has no bar. `table` has the same numbers."""
    top = axis_maximum(math.ceil(to_decimal(max(0, *(cents for _, cents in points)), currency)))
    step = WIDTH / len(points)
    (first, earliest), (last, latest) = points[0], points[-1]
    ends = f"{format_cents(earliest, currency)} in {first}, {format_cents(latest, currency)} in {last}."
    return Chart(
        id=id_,
        title=title,
        description=ends,
        bars=[
            _chart_bar(
                index * step,
                step,
                float(to_decimal(max(0, cents), currency)) / top,
                f"{label}: {format_cents(cents, currency)}",
            )
            for index, (label, cents) in enumerate(points)
        ],
        top=top,
        first=first,
        last=last,
        table=table,
    )


def axis_maximum(most: int) -> int:
    """Return the value of the top line: the next round number, so that the bars fill the chart."""
    if most <= 1:
        return 1
    power: int = 10 ** math.floor(math.log10(most))
    return next(factor * power for factor in ROUND_FACTORS if factor * power >= most)


def format_share(part: int, whole: int) -> str:
    """Return a share in percent, a dash when `whole` is 0."""
    return f"{100 * part / whole:.0f} %" if whole else "-"


def format_rate(part: int, whole: int) -> str:
    """Return a rate in percent with a decimal, a dash when `whole` is 0."""
    return f"{100 * part / whole:.1f} %" if whole else "-"


def _chart_bar(left: float, step: float, share_of_top: float, words: str) -> Bar:
    gap = min(step * GAP, 6)
    height = (BOTTOM - TOP) * share_of_top
    return Bar(
        x=f"{left + gap / 2:.2f}",
        y=f"{BOTTOM - height:.2f}",
        width=f"{max(step - gap, MIN_BAR_WIDTH):.2f}",
        height=f"{height:.2f}",
        words=words,
    )


def _describe_points(points: Sequence[tuple[str, int]]) -> str:
    total = sum(count for _, count in points)
    if not total:
        return f"None from {points[0][0]} to {points[-1][0]}."
    label, most = max(points, key=lambda point: point[1])
    return f"{total:,} from {points[0][0]} to {points[-1][0]}; the most, {most:,}, in the week of {label}."
