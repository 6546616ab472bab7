"""The site's time zone, which no operation names: it shows in the dates that the provider writes on prorated lines.

A line that begins at 3:00 UTC on March 4 says "03-Mar" in New York and "04-Mar" in London. Each such date excludes
some distances from the portal's time zone, and together they leave few or none.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from accounts.brands import site as portal_site
from billing.gateway.snapshots import Raw, parse_instant
from billing.site_check.findings import SETTINGS, Finding, Topic
from billing.site_check.site_reader import SiteReader

TOPIC = Topic("Time zone")
PLACE = f"{SETTINGS} > Business Profile > Change Time Zone"
PERIOD = re.compile(r"(\d{2}-[A-Z][a-z]{2}-\d{4}) - \d{2}-[A-Z][a-z]{2}-\d{4}$")
# Half hours from the portal's zone to the farthest others, on both sides.
FARTHEST = 52
# With the evidence within an hour on both sides, the zone is the same for every date that matters.
CLOSE_ENOUGH = timedelta(hours=1)


@dataclass(frozen=True)
class DatedLine:
    """A line of an invoice: when it begins (UTC), and which date the provider wrote for that."""

    begins_at: datetime
    written: str


def check_time_zone(site: SiteReader) -> Iterator[Finding]:
    """Check the site's time zone by the newest invoices and credit notes."""
    yield judge_time_zone(dated_lines([*site.invoices, *site.credit_notes]))


def judge_time_zone(lines: Iterable[DatedLine]) -> Finding:
    """Return what these lines tell about the site's time zone."""
    zone = ZoneInfo(portal_site.site_settings().time_zone)
    needed = f"{zone.key}, as in the portal's site settings"
    lines = list(lines)
    if not lines:
        return TOPIC.unreadable_finding(needed, place=PLACE)
    shifts = possible_shifts(lines, zone)
    if timedelta() not in shifts:
        return TOPIC.wrong_finding(
            needed,
            f"another: {_describe_contradiction(lines, zone)}",
            f"Set it at {PLACE}, or change the portal's in the admin, at Site settings.",
        )
    if max(abs(shift) for shift in shifts) <= CLOSE_ENOUGH:
        return TOPIC.ok_finding(needed, f"the dates of {len(lines)} prorated lines are those of {zone.key}")
    found = f"fits {len(lines)} prorated lines, which would also fit zones {_describe_range(shifts)} away"
    return TOPIC.unreadable_finding(needed, found=found, place=PLACE)


def dated_lines(documents: Iterable[Raw]) -> list[DatedLine]:
    """Return the lines of invoices, credit notes or estimates whose description names the day they begin."""
    return [
        DatedLine(parse_instant(line["date_from"]), match[1])
        for document in documents
        for line in document.get("line_items") or ()
        if (match := PERIOD.search(str(line.get("description")))) and line.get("date_from")
    ]


def possible_shifts(lines: Iterable[DatedLine], zone: ZoneInfo) -> list[timedelta]:
    """Return how far from a time zone the site's can be, in half hours, so that it writes these dates."""
    shifts = [timedelta(minutes=30 * step) for step in range(-FARTHEST, FARTHEST + 1)]
    return [shift for shift in shifts if all(_local_date(line, zone, shift) == line.written for line in lines)]


def _local_date(line: DatedLine, zone: ZoneInfo, shift: timedelta) -> str:
    return (line.begins_at.astimezone(zone).replace(tzinfo=None) + shift).strftime("%d-%b-%Y")


def _describe_contradiction(lines: list[DatedLine], zone: ZoneInfo) -> str:
    line = next((line for line in lines if _local_date(line, zone, timedelta()) != line.written), lines[0])
    return f"it writes {line.written} for {line.begins_at.astimezone(zone):%d-%b-%Y %H:%M} in {zone.key}"


def _describe_range(shifts: list[timedelta]) -> str:
    hours = [shift.total_seconds() / 3600 for shift in (shifts[0], shifts[-1])]
    return f"{hours[0]:+g} to {hours[1]:+g} hours"
