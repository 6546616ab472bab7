"""The churn report: correct counts, accessible tables, few queries."""

from __future__ import annotations

import csv
import re
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import Brand, User
from billing import clock
from billing.models import ChurnEvent, ProviderClock, RevenueMovement
from billing.queries.reports.churn_report import ReportRange, churn_statistics

pytestmark = pytest.mark.django_db

Kind = ChurnEvent.Kind
REPORT = "admin:billing_churnreport_changelist"
EXPORT = "admin:billing_churnreport_export"
# Two weeks of March, Monday to Sunday.
MARCH = {"weeks": "own", "first": "2026-03-02", "last": "2026-03-15"}
_numbers = count(1)


@pytest.fixture
def operator(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("olga", password="correct horse battery staple"))
    for code, default in (("faith-family", True), ("kids", False)):
        Brand.objects.create(code=code, name=code.title(), is_default=default)
    return client


def record_event(kind: Kind, day: int, *, hour: int = 12, subscription: str = "", **more: Any) -> None:
    """Record one event in March."""
    fields = {"service": "faith-family", "plan_id": "faith-family-plan", "brand": "faith-family", **more}
    ChurnEvent.objects.create(
        at=datetime(2026, 3, day, hour, tzinfo=UTC),
        kind=kind,
        subscription_id=subscription or f"sub_{next(_numbers)}",
        **fields,
    )


def record_two_weeks() -> None:
    """Record two weeks with every kind of event."""
    record_event(Kind.OFFER_SHOWN, 3, offer="pause")
    record_event(Kind.OFFER_REFUSED, 3, offer="pause")
    record_event(Kind.CANCELLED, 3, offer="pause", reason="Too expensive", satisfaction="Neutral", usage="Rarely")
    record_event(Kind.CANCELLED, 10, reason="Too expensive", service="kids", brand="kids")
    record_event(Kind.OFFER_SHOWN, 11, offer="pause")
    record_event(Kind.OFFER_TAKEN, 11, offer="pause")
    record_event(Kind.PAUSE_SCHEDULED, 11)
    record_event(Kind.KEPT, 12)
    record_event(Kind.PAUSED, 4, subscription="back")
    record_event(Kind.RESUMED, 20, subscription="back")
    record_event(Kind.PAUSED, 5, subscription="gone")
    record_event(Kind.CANCELLED, 25, subscription="gone")
    record_event(Kind.PAUSED, 6, subscription="still")


def download_table(operator: Client, name: str, **filters: Any) -> list[dict[str, str]]:
    """Return the rows of a table's CSV export."""
    response = operator.get(reverse(EXPORT), {**MARCH, "table": name, **filters})
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(b"".join(response).decode().splitlines()))


def test_it_counts_each_week(operator: Client) -> None:
    record_two_weeks()
    assert download_table(operator, "weeks") == [
        {
            "Week of": "2026-03-02",
            "Cancellations": "1",
            "Pauses scheduled": "0",
            "Pauses started": "3",
            "Resumes": "0",
            "Saves": "0",
        },
        {
            "Week of": "2026-03-09",
            "Cancellations": "1",
            "Pauses scheduled": "1",
            "Pauses started": "0",
            "Resumes": "0",
            "Saves": "2",
        },
    ]


def test_it_counts_by_service_reason_satisfaction_and_usage(operator: Client) -> None:
    record_two_weeks()
    services = {row["Service"]: row["Cancellations"] for row in download_table(operator, "services")}
    assert services == {"Faith & Family": "1", "Gospel TV": "0", "Kids": "1"}
    reasons = {row["Answer"]: (row["Cancellations"], row["Share"]) for row in download_table(operator, "reason")}
    assert reasons["Too expensive"] == ("2", "100 %")
    assert reasons["No longer needed"] == ("0", "0 %")
    record_event(Kind.RESUMED, 9, reason="No longer needed")
    resumes = {row["Answer"]: (row["Resumes"], row["Cancellations"]) for row in download_table(operator, "reason")}
    assert resumes["No longer needed"] == ("1", "0")
    satisfaction = {row["Answer"]: row["Cancellations"] for row in download_table(operator, "satisfaction")}
    assert (satisfaction["Neutral"], satisfaction["not answered"]) == ("1", "1")
    usage = {row["Answer"]: row["Cancellations"] for row in download_table(operator, "usage")}
    assert (usage["Rarely"], usage["not answered"]) == ("1", "1")


def record_movement(kind: RevenueMovement.Kind, month: int, subscription: str) -> None:
    """Record a movement at the start of a month of 2026."""
    at = datetime(2026, month, 10, 12, tzinfo=UTC)
    fields = {"customer_id": "cus", "currency": "USD", "amount": 699, "first_at": at}
    RevenueMovement.objects.create(at=at, kind=kind, subscription_id=subscription, **fields)


def read_rates(operator: Client, **filters: Any) -> list[tuple[str, str, str]]:
    """Return each row of the rates: so many subscriptions, of how many, and their share."""
    rows = download_table(operator, "rates", **filters)
    return [(row["Subscriptions"], row["Of"], row["Share"]) for row in rows]


def test_its_rates_count_each_subscription_once_and_by_what_came_last(operator: Client) -> None:
    for number in range(8):
        record_movement(RevenueMovement.Kind.NEW, 2, f"sub_of_{number}")
    record_movement(RevenueMovement.Kind.CHURN, 2, "sub_of_0")  # gone before
    record_movement(RevenueMovement.Kind.NEW, 3, "new")
    record_movement(RevenueMovement.Kind.NEW, 4, "later")
    for day, kind in ((3, Kind.CANCELLED), (4, Kind.KEPT), (5, Kind.CANCELLED), (6, Kind.KEPT)):
        record_event(kind, day, subscription="sub_of_1")
    for day, kind in ((3, Kind.OFFER_TAKEN), (3, Kind.PAUSE_SCHEDULED), (5, Kind.PAUSED), (12, Kind.PAUSED)):
        record_event(kind, day, subscription="sub_of_2")
    record_event(Kind.CANCELLED, 9, subscription="sub_of_3")
    record_event(Kind.CANCELLED, 10, subscription="sub_of_4", brand="kids")
    record_event(Kind.KEPT, 20, subscription="sub_of_4", brand="kids")  # after the range

    assert read_rates(operator) == [("2", "8", "25 %"), ("1", "8", "12 %"), ("2", "4", "50 %"), ("0", "", "")]
    page = operator.get(reverse(REPORT), MARCH).content.decode()
    assert "25 % of 8 subscriptions that paid in these weeks, without those kept again" in page

    of_kids = read_rates(operator, brand="kids")
    assert of_kids == [("1", "", ""), ("0", "", ""), ("0", "1", "0 %"), ("0", "", "")]
    page = operator.get(reverse(REPORT), {**MARCH, "brand": "kids"}).content.decode()
    assert '<p class="report-meaning">Subscriptions canceled</p>' in page


def test_its_churn_rate_leaves_out_what_ended_before_it_paid(operator: Client) -> None:
    record_movement(RevenueMovement.Kind.NEW, 2, "paying")
    record_movement(RevenueMovement.Kind.NEW, 2, "stays")
    record_movement(RevenueMovement.Kind.NEW, 1, "paused")
    record_movement(RevenueMovement.Kind.PAUSE, 2, "paused")
    for subscription in ("paying", "trial", "paused", "other trial"):
        record_event(Kind.CANCELLED, 4, subscription=subscription)
    record_event(Kind.PAUSED, 5, subscription="started elsewhere")

    assert read_rates(operator) == [("1", "2", "50 %"), ("0", "2", "0 %"), ("0", "4", "0 %"), ("3", "", "")]
    page = operator.get(reverse(REPORT), MARCH).content.decode()
    assert "50 % of 2 subscriptions that paid in these weeks, without those kept again" in page
    assert "Cancellations of subscriptions that paid nothing in these weeks, such as trials" in page


def test_its_rates_count_what_began_twice_once(operator: Client) -> None:
    for kind, month in (("new", 2), ("pause", 3), ("reactivation", 3)):
        record_movement(RevenueMovement.Kind(kind), month, "back again")
    record_event(Kind.CANCELLED, 12, subscription="back again")
    assert read_rates(operator)[0] == ("1", "1", "100 %")


def test_a_rate_without_a_whole_has_no_share(operator: Client) -> None:
    record_two_weeks()
    shares = [row["Share"] for row in download_table(operator, "rates")]
    assert shares == ["", "", "50 %", ""]


def test_it_counts_the_outcomes_of_pauses(operator: Client) -> None:
    record_two_weeks()
    assert [row["Pauses"] for row in download_table(operator, "returns")] == ["1", "1", "1"]


def test_it_counts_the_outcomes_of_offers(operator: Client) -> None:
    record_two_weeks()
    assert download_table(operator, "offers")[0] == {
        "Offer": "Pause",
        "Shown": "2",
        "Accepted": "1",
        "Declined": "1",
        "Acceptance rate": "50 %",
    }


def test_it_can_be_filtered_by_brand(operator: Client) -> None:
    record_two_weeks()
    weeks = download_table(operator, "weeks", brand=["kids"])
    assert [row["Cancellations"] for row in weeks] == ["0", "1"]


def test_days_follow_the_sites_time_zone(operator: Client) -> None:
    # Sunday evening in New York is Monday in UTC, on both sides of the night in which its clocks change.
    record_event(Kind.CANCELLED, 9, hour=3)
    record_event(Kind.CANCELLED, 16, hour=3)
    record_event(Kind.CANCELLED, 16, hour=5)
    assert [row["Cancellations"] for row in download_table(operator, "weeks")] == ["1", "1"]


def test_every_chart_has_a_title_a_description_and_a_table(operator: Client) -> None:
    record_two_weeks()
    page = operator.get(reverse(REPORT), MARCH).content.decode()
    charts = re.findall(r'<svg class="report-chart".*?</svg>', page, re.DOTALL)
    assert len(charts) == 5
    for chart in charts:
        labelled = re.search(r'aria-labelledby="(\S+) (\S+)"', chart)
        assert labelled is not None
        assert f'<title id="{labelled[1]}">' in chart
        assert f'<desc id="{labelled[2]}">' in chart
        assert chart.count("<rect") == 2
    assert '<th scope="row">2026-03-09</th>' in page
    assert "2 from 2026-03-02 to 2026-03-09" in page


def test_the_page_has_no_inline_scripts_or_styles(operator: Client) -> None:
    record_two_weeks()
    page = operator.get(reverse(REPORT), MARCH).content.decode()
    content = page[page.index('<div id="content"') :]
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", content)


def test_it_shows_the_last_weeks_by_the_billing_clock(operator: Client) -> None:
    ProviderClock.objects.create(offset_seconds=90 * 86400, refreshed_at=clock.billing_now())
    today = clock.local_date(clock.billing_now(), "America/New_York")
    page = operator.get(reverse(REPORT), {"weeks": "4"})
    assert (page.context["asked"].last, len(page.context["asked"].week_starts)) == (today, 4)
    assert len(operator.get(reverse(REPORT)).context["asked"].week_starts) == 12


def test_weeks_without_events_show_a_message(operator: Client) -> None:
    page = operator.get(reverse(REPORT), MARCH).content.decode()
    assert "No activity in these weeks" in page
    assert "<svg class=" not in page


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"last": "2026-03-01"}, "The end date is before the start date."),
        ({"first": ""}, "Enter both dates."),
        ({"first": "2020-01-01"}, "Choose three years at most."),
        ({"first": "0001-01-01"}, "Choose a day from 2000 to 2999."),
        ({"last": "9999-12-31"}, "Choose a day from 2000 to 2999."),
        ({"first": "yesterday"}, "Enter a valid date."),
        ({"brand": "nobody"}, "Select a valid choice."),
        ({"weeks": "9"}, "Select a valid choice."),
    ],
)
def test_an_invalid_range_shows_an_error(operator: Client, changes: dict[str, str], error: str) -> None:
    page = operator.get(reverse(REPORT), {**MARCH, **changes})
    assert page.status_code == 200
    assert error in page.content.decode()
    assert len(page.context["asked"].week_starts) == 12


def test_every_export_is_logged_with_its_range(operator: Client) -> None:
    record_two_weeks()
    download_table(operator, "weeks")
    entry = LogEntry.objects.get()
    assert entry.user.get_username() == "olga"
    assert entry.change_message == "Exported “By week” as CSV, 2026-03-02 to 2026-03-15."


def test_the_export_of_an_unknown_table_is_not_found(operator: Client) -> None:
    assert operator.get(reverse(EXPORT), {"table": "secrets"}).status_code == 404


def test_the_number_of_queries_does_not_grow_with_events(operator: Client, django_assert_max_num_queries: Any) -> None:
    record_two_weeks()
    with CaptureQueriesContext(connection) as captured:
        operator.get(reverse(REPORT), MARCH)
    for _ in range(20):
        record_two_weeks()
    with django_assert_max_num_queries(len(captured)):
        operator.get(reverse(REPORT), MARCH)
    assert len(captured) <= 22


def test_every_query_uses_an_index(db: None) -> None:
    record_two_weeks()
    first = datetime(2026, 3, 2, tzinfo=UTC).date()
    report_range = ReportRange(first, first + timedelta(days=13), "America/New_York", ["kids"])
    with CaptureQueriesContext(connection) as captured:
        churn_statistics(report_range)
    assert len(captured) == 6
    plans = [_query_plan(query["sql"]) for query in captured.captured_queries]
    assert [plan for plan in plans if not re.search(r"\bchurn_(at|kind_at)\b", plan)] == []
    assert [plan for plan in plans if re.search(r"SCAN billing_|Seq Scan", plan)] == []
    of_ledger = [plan for plan in plans if "revenue" in plan]
    assert len(of_ledger) == 2
    assert [plan for plan in of_ledger if not re.search("(COVERING INDEX|Index Only .*) revenue_of_sub", plan)] == []


def _query_plan(sql: str) -> str:
    explain = {"sqlite": "EXPLAIN QUERY PLAN", "postgresql": "EXPLAIN"}[connection.vendor]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")  # PostgreSQL scans a table of so few rows
        cursor.execute(f"{explain} {sql}")
        return "\n".join(str(line) for line in cursor.fetchall())
