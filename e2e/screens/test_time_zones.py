"""Dates are days of the site, wherever the browser is."""

from __future__ import annotations

import re
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import expect

from e2e.support.accessibility import open_settled

SITE_ZONE = ZoneInfo("America/New_York")
# At any time of day, the date in at least one of them is not the site's.
DISTANT_ZONES = ["Pacific/Kiritimati", "Etc/GMT+12"]
DAY = re.compile(r"[A-Z][a-z]{2} \d{1,2}, \d{4}")


def site_day(instant: str) -> str:
    """Return the site's day of an ISO time as `Nov 6, 2026`."""
    local = datetime.fromisoformat(instant).astimezone(SITE_ZONE)
    return f"{local:%b} {local.day}, {local.year}"


@pytest.mark.shows("history-6")
@pytest.mark.parametrize("zone", DISTANT_ZONES)
def test_hugo_reads_the_days_of_the_site_from_the_first_load_on(signed_in, tokens, zone):
    page = signed_in("hugo", timezone_id=zone)
    answer = page.request.get("/api/invoice/list", headers={"Authorization": f"Bearer {tokens['hugo']}"})
    expected = [site_day(invoice["transactionDate"]) for invoice in answer.json()]
    assert expected

    shown = []
    for _ in range(3):
        open_settled(page, "/billingHistory")
        rows = page.get_by_role("table").get_by_role("row")
        # The table fills in after the screen has settled; its days are then right at once.
        expect(rows).to_have_count(1 + len(expected))
        cells = rows.get_by_role("cell")
        shown.append([text for text in cells.all_inner_texts() if DAY.fullmatch(text)])

    assert shown == [expected] * 3
