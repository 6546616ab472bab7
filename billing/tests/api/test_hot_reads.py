"""The three hot reads take one query, make no provider call, and match the mirror."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from django.db import OperationalError, connection
from pytest_django import DjangoAssertNumQueries

from accounts.models import Account
from billing.mirror import documents
from billing.models import AccountDocument
from billing.tests.api.browser import Browser, is_refusal
from billing.tests.api.mirror_factory import (
    FAITH,
    GOSPEL,
    KIDS,
    apply_resources,
    make_amount_coupon,
    make_invoice,
    make_subscription,
    open_account,
    subscription_coupons,
    timestamp_at,
)
from billing.tests.support.shown_documents import built_documents

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalog", "no_provider")]

HOT_READS = ("/api/account", "/api/account/manage-plans", "/api/invoice/list")


def without_request_id(response: Any) -> dict[str, str]:
    """Return a response's headers without those that differ each time."""
    return {name: value for name, value in response.headers.items() if name != "X-Request-ID"}


def open_large_account() -> Account:
    """Create and return an account with three plans, a pause, coupons and a long billing history."""
    lines = [{"entity_id": f"{plan}-USD-Monthly", "description": plan} for plan in (FAITH, GOSPEL, KIDS, "setup-fee")]
    history = [make_invoice(str(number), days=-number, line_items=lines) for number in range(1, 200)]
    return open_account(
        "alice",
        make_subscription("a", FAITH, coupons=subscription_coupons("BUNDLE-3", "WELCOME5")),
        make_subscription(
            "b",
            GOSPEL,
            coupons=subscription_coupons("BUNDLE-3"),
            pause_date=timestamp_at(20),
            next_billing_at=None,
        ),
        make_subscription("c", KIDS, coupons=subscription_coupons("BUNDLE-3")),
        *history,
    )


@pytest.mark.parametrize("path", HOT_READS)
def test_it_makes_one_query_for_a_large_account(path: str, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    browser = Browser(open_large_account())
    browser.get(path)  # requests the estimates of the next bills
    with django_assert_num_queries(1):
        assert browser.get(path).status_code == 200


@pytest.mark.parametrize("path", HOT_READS)
def test_it_makes_one_query_for_an_empty_account(path: str, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    browser = Browser(open_account("ivy"))
    with django_assert_num_queries(1):
        assert browser.get(path).status_code == 200


@pytest.mark.parametrize("path", HOT_READS)
def test_it_is_answered_by_a_view_in_the_same_way(path: str, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    browser = Browser(open_large_account())
    browser.get(path)
    at_once = browser.get(path)
    with django_assert_num_queries(2):
        by_view = browser.get(path, headers={"Accept": "application/*"})
    assert by_view.content == at_once.content
    assert without_request_id(by_view) == without_request_id(at_once)
    assert is_refusal(browser.get(path, headers={"Accept": "text/html"}), 406, "not_acceptable")


@pytest.mark.parametrize("path", HOT_READS)
@pytest.mark.parametrize("written", ["{}", "W/{}"], ids=["strong", "weak"])
def test_it_answers_304_to_who_has_it_already(
    path: str, written: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    browser = Browser(open_large_account())
    browser.get(path)
    etag = browser.get(path).headers["ETag"]
    with django_assert_num_queries(1):
        unchanged = browser.get(path, headers={"If-None-Match": written.format(etag)})
    assert (unchanged.status_code, unchanged.content, unchanged.headers["ETag"]) == (304, b"", etag)
    assert "Content-Length" not in unchanged.headers
    with django_assert_num_queries(2):
        by_view = browser.get(path, headers={"If-None-Match": f'"another", {etag}'})
    assert (by_view.status_code, without_request_id(by_view)) == (304, without_request_id(unchanged))


def test_a_tag_is_answered_in_full_as_soon_as_something_changed() -> None:
    account = open_account("ivy")
    browser = Browser(account)
    etag = browser.get("/api/invoice/list").headers["ETag"]
    apply_resources(make_invoice("INV-1", owner="ivy"))
    for again in (browser.get("/api/invoice/list", headers={"If-None-Match": etag}) for _ in range(2)):
        assert (again.status_code, len(again.json())) == (200, 1)
        assert again.headers["ETag"] != etag


def test_a_tag_opens_nothing_without_a_session() -> None:
    browser = Browser(open_account("ivy"))
    etag = browser.get("/api/account").headers["ETag"]
    browser.credentials()
    assert is_refusal(browser.get("/api/account", headers={"If-None-Match": etag}), 401, "not_authenticated")


def test_the_log_and_the_metrics_know_its_route_and_its_user(caplog: pytest.LogCaptureFixture) -> None:
    account = open_account("ivy")
    with caplog.at_level(logging.INFO, logger="portal.access"):
        assert Browser(account).get("/api/account").status_code == 200
    [line] = caplog.records
    assert (vars(line)["route"], vars(line)["user"]) == ("api/account", account.user.pk)


@pytest.mark.services
def test_its_statements_are_planned_once_for_each_connection() -> None:
    browser = Browser(open_account("ivy"))
    for _ in range(3):
        assert browser.get("/api/account").status_code == 200
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement, generic_plans + custom_plans FROM pg_prepared_statements")
        assert [count for statement, count in cursor.fetchall() if "sessiontoken" in statement] == [2]


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
def test_it_is_answered_although_the_server_has_closed_the_connection() -> None:
    browser = Browser(open_account("ivy"))
    assert browser.get("/api/account").status_code == 200
    with pytest.raises(OperationalError), connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    assert browser.get("/api/account").status_code == 200


def test_a_build_makes_at_most_twenty_queries_for_a_large_account(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    account = open_large_account()
    with django_assert_max_num_queries(20):
        built_documents(account)


def test_the_stored_documents_equal_freshly_built_ones() -> None:
    account = open_large_account()
    browser = Browser(account)
    assert [browser.get(path).json() for path in HOT_READS] == list(built_documents(account).values())


def test_a_read_builds_missing_documents() -> None:
    account = open_large_account()
    AccountDocument.objects.all().delete()
    assert len(Browser(account).get("/api/account").json()["plans"]) == 3
    assert AccountDocument.objects.filter(account=account).count() == 3


def test_the_next_read_shows_a_changed_coupon() -> None:
    browser = Browser(open_large_account())
    before = browser.get("/api/account/manage-plans").json()["couponDiscount"]
    apply_resources({**make_amount_coupon("WELCOME5", 300), "resource_version": timestamp_at(1) * 1000})
    after = browser.get("/api/account/manage-plans").json()["couponDiscount"]
    assert (before, after) == (500, 300)


def test_the_next_read_shows_a_written_invoice() -> None:
    account = open_account("ivy")
    browser = Browser(account)
    before = browser.get("/api/invoice/list").json()
    apply_resources(make_invoice("INV-1", owner="ivy"))
    # Who writes does not build: most accounts are not read before the next change.
    assert set(AccountDocument.objects.values_list("content_version", flat=True)) == {documents.STALE_VERSION}
    after = browser.get("/api/invoice/list").json()
    assert (len(before), len(after)) == (0, 1)


def test_a_read_rebuilds_stale_documents() -> None:
    account = open_large_account()
    browser = Browser(account)
    documents.mark_all_documents_stale()
    browser.get("/api/account")
    versions = set(AccountDocument.objects.filter(account=account).values_list("content_version", flat=True))
    assert len(versions) == 1


@pytest.mark.parametrize("path", HOT_READS)
def test_it_is_never_cached(path: str) -> None:
    response = Browser(open_account("ivy")).get(path)
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("path", HOT_READS)
def test_it_requires_a_token(path: str) -> None:
    browser = Browser(open_account("ivy"))
    browser.credentials()
    response = browser.get(path)
    assert (response.status_code, response.json()["code"]) == (401, "not_authenticated")
