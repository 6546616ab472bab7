"""The table of findings, for people and for machines."""

import json
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from billing.site_check.findings import Finding, State

COLUMNS = ("", "needed", "found", "what to do")
NARROWEST_COLUMN = 18
STATE_WIDTH = max(len(state) for state in State)
GAP = "  "


def newest_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings without those that a later one about the same need replaces."""
    by_need = {(finding.topic, finding.needed): finding for finding in findings}
    topics = list(dict.fromkeys(topic for topic, _needed in by_need))
    return sorted(by_need.values(), key=lambda finding: topics.index(finding.topic))


def format_json(findings: Sequence[Finding]) -> str:
    """Return the findings as a JSON list."""
    return json.dumps([finding.as_dict() for finding in findings], indent=1)


def format_table(findings: Sequence[Finding], *, width: int) -> Iterator[str]:
    """Yield the lines of the table, for a terminal with so many columns."""
    widths = _column_widths(width)
    yield _format_line(COLUMNS, widths)
    topic = ""
    for finding in findings:
        if finding.topic != topic:
            topic = finding.topic
            yield f"\n{topic}"
        cells = (str(finding.state), finding.needed, finding.found, finding.todo)
        wrapped = [textwrap.wrap(cell, size) for cell, size in zip(cells, widths, strict=True)]
        yield from (_format_line(parts, widths) for parts in zip_longest(*wrapped, fillvalue=""))


def summarize(findings: Sequence[Finding]) -> str:
    """Return how many findings there are of each state, such as `31 ok, 2 wrong, 9 cannot be read`."""
    counts = {state: sum(finding.state is state for finding in findings) for state in State}
    return ", ".join(f"{count} {state}" for state, count in counts.items() if count)


def _column_widths(width: int) -> tuple[int, ...]:
    shared = max(NARROWEST_COLUMN, (width - STATE_WIDTH - 3 * len(GAP)) // 3)
    return (STATE_WIDTH, shared, shared, shared)


def _format_line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return GAP.join(f"{cell:{size}}" for cell, size in zip(cells, widths, strict=True)).rstrip()
