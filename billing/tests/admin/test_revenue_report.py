"""The revenue report: movements that add up to the cent, cohorts, CSV and permissions."""

from __future__ import annotations

import csv
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from billing.models import ChurnEvent, RevenueMovement
from billing.tests.api.mirror_factory import (
    GOSPEL,
    NOW,
    apply_resources,
    make_invoice,
    make_resource,
    make_subscription,
    open_account,
    timestamp_at,
)

pytestmark = pytest.mark.django_db

REPORT = "admin:billing_revenuereport_changelist"
EXPORT = "admin:billing_revenuereport_export"


@pytest.fixture
def operator(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("olga", password="correct horse battery staple"))
    return client


def movements(subscription: str = "faith") -> list[tuple[str, int, str]]:
    """Return the rows of a subscription's ledger, oldest first."""
    rows = RevenueMovement.objects.filter(subscription_id=subscription).order_by("pk")
    return [(row.kind, row.amount, row.currency) for row in rows]


def download_table(operator: Client, name: str) -> list[dict[str, str]]:
    """Return the rows of a table's CSV export, as on the day after NOW."""
    with time_machine.travel(NOW + timedelta(days=1), tick=False):
        response = operator.get(reverse(EXPORT), {"table": name, "months": "6"})
        return list(csv.DictReader(b"".join(response).decode().splitlines()))


def test_every_change_of_a_subscription_is_one_movement(db: None) -> None:
    open_account("alice", make_subscription("faith"))
    apply_resources(make_subscription("faith", amount=899))
    apply_resources(make_subscription("faith", amount=899))
    apply_resources(make_subscription("faith", unit="year"))
    apply_resources(make_subscription("faith", unit="year", status="non_renewing"))
    apply_resources(make_subscription("faith", unit="year", status="paused"))
    apply_resources(make_subscription("faith", unit="year"))
    apply_resources(make_subscription("faith", unit="year", status="cancelled"))
    assert movements() == [
        ("new", 699, "USD"),
        ("expansion", 200, "USD"),
        ("contraction", 583 - 899, "USD"),
        ("pause", -583, "USD"),
        ("reactivation", 583, "USD"),
        ("churn", -583, "USD"),
    ]


def test_a_trial_brings_in_nothing_until_it_is_paid(db: None) -> None:
    open_account("alice", make_subscription("faith", status="in_trial"))
    assert movements() == []
    apply_resources(make_subscription("faith"))
    assert movements() == [("new", 699, "USD")]


def test_a_change_of_currency_moves_both_currencies(db: None) -> None:
    open_account("alice", make_subscription("faith"))
    apply_resources(make_subscription("faith", currency_code="EUR"))
    assert movements()[1:] == [("expansion", 699, "EUR"), ("contraction", -699, "USD")]


def test_who_comes_back_with_another_subscription_is_a_reactivation(db: None) -> None:
    open_account("alice", make_subscription("faith"))
    apply_resources(make_subscription("gospel", GOSPEL))
    apply_resources(make_subscription("faith", status="cancelled"), make_subscription("gospel", status="cancelled"))
    apply_resources(make_subscription("again"))
    assert [kind for kind, *_ in movements("gospel")] == ["new", "churn"]
    assert movements("again") == [("reactivation", 699, "USD")]


def test_a_subscription_that_was_paused_when_it_was_imported_is_not_new(db: None) -> None:
    open_account("alice", make_subscription("faith", status="paused"))
    apply_resources(make_subscription("faith"))
    assert movements() == [("reactivation", 699, "USD")]
    assert RevenueMovement.objects.get().at == NOW


def test_each_month_ends_with_its_start_and_its_movements(operator: Client) -> None:
    open_account("alice", make_subscription("faith"), make_subscription("gospel", GOSPEL))
    open_account("bob", make_subscription("bobs", owner="bob", created_at=timestamp_at(-5)))
    apply_resources(make_subscription("gospel", GOSPEL, status="cancelled"))
    rows = {row["Month"]: row for row in download_table(operator, "movements-USD")}
    assert (rows["2026-01"]["New"], rows["2026-01"]["End"]) == ("14.98", "14.98")
    march = rows["2026-03"]
    assert (march["Start"], march["New"], march["Churn"], march["End"]) == ("14.98", "6.99", "-7.99", "13.98")
    assert march["Churn rate"] == "53.3 %"
    cohorts = {row["First month"]: row for row in download_table(operator, "cohorts-USD")}
    assert (cohorts["2026-01"]["Revenue then"], cohorts["2026-01"]["+2"]) == ("14.98", "47 %")
    counts = download_table(operator, "counts-USD")
    assert [row["New"] for row in counts][-3:] == ["2", "0", "1"]
    assert [(row["Start"], row["End"], row["Churn rate"]) for row in counts][-2:] == [
        ("2", "2", "0.0 %"),
        ("2", "2", "50.0 %"),
    ]


@pytest.mark.shows("money-5")
def test_revenue_has_the_decimals_of_its_currency(operator: Client) -> None:
    open_account("alice", make_subscription("faith", amount=500, currency_code="JPY"))
    assert download_table(operator, "movements-JPY")[-1]["End"] == "500"
    cohorts = {row["First month"]: row["Revenue then"] for row in download_table(operator, "cohorts-JPY")}
    assert cohorts["2026-01"] == "500"


def test_saved_revenue_is_what_the_kept_subscriptions_bring_in(operator: Client) -> None:
    account = open_account("alice", make_subscription("faith"))
    for days in (0, 1):
        ChurnEvent.objects.create(
            at=NOW - timedelta(days=days),
            kind="offer_taken",
            offer="free_month",
            subscription_id="faith",
            account=account,
        )
    saved = {row["Offer"]: row for row in download_table(operator, "saved-USD")}
    assert (saved["Free month"]["Subscriptions"], saved["Free month"]["Revenue today"]) == ("1", "6.99")


def test_payments_that_failed_and_were_collected_later_are_counted_with_their_shares(operator: Client) -> None:
    open_account(
        "alice",
        make_subscription("faith"),
        make_invoice("1", days=-40, dunning_status="success", amount_paid=699),
        make_invoice("2", days=-40, dunning_status="exhausted", status="not_paid", amount_paid=0, amount_due=699),
        make_invoice("3", days=-5, dunning_status="in_progress", status="payment_due", amount_paid=200, amount_due=499),
        make_invoice("4", days=-5, dunning_status="stopped", amount_paid=0),
        make_invoice("5", days=-5, amount_paid=699),
    )
    rows = {row["Month"]: list(row.values()) for row in download_table(operator, "recovered-USD")}
    assert rows["2026-01"][1:] == ["2", "1", "50 %", "13.98", "6.99", "0.00", "6.99", "50 %"]
    assert rows["2026-03"][1:] == ["2", "0", "0 %", "6.99", "2.00", "4.99", "0.00", "29 %"]
    assert rows["2026-02"][1:] == ["0", "0", "'-", "0.00", "0.00", "0.00", "0.00", "'-"]
    with time_machine.travel(NOW + timedelta(days=1), tick=False):
        assert "43 % of $20.97 that failed" in operator.get(reverse(REPORT)).content.decode()


def test_the_page_has_a_chart_with_words_and_every_export_is_logged(operator: Client) -> None:
    open_account("alice", make_subscription("faith"))
    with time_machine.travel(NOW + timedelta(days=1), tick=False):
        page = operator.get(reverse(REPORT)).content.decode()
    assert "$0.00 in 2025-04, $6.99 in 2026-03." in page
    assert '<th scope="row">2026-03</th>' in page
    download_table(operator, "movements-USD")
    assert LogEntry.objects.get().change_message == (
        "Exported “Monthly recurring revenue, USD” as CSV, 2025-10 to 2026-03."
    )
    with time_machine.travel(NOW + timedelta(days=1), tick=False):
        for table in ("movements-XXX", "secrets-USD"):
            assert operator.get(reverse(EXPORT), {"table": table}).status_code == 404


def test_a_site_without_revenue_says_so_and_a_wrong_range_is_an_error(operator: Client) -> None:
    page = operator.get(reverse(REPORT), {"months": "9"}).content.decode()
    assert "No revenue in these months" in page
    assert "Select a valid choice." in page


def test_the_number_of_queries_does_not_grow_with_movements(
    operator: Client, django_assert_max_num_queries: Any
) -> None:
    open_account("alice", make_subscription("faith"))
    with CaptureQueriesContext(connection) as captured:
        operator.get(reverse(REPORT))
    for number in range(5):
        apply_resources(
            make_resource("customer", f"c{number}", email=f"c{number}@example.com"),
            make_subscription(f"s{number}", owner=f"c{number}"),
        )
    with django_assert_max_num_queries(len(captured)):
        operator.get(reverse(REPORT))
