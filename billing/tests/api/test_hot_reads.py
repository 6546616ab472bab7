"""The three hot reads take two queries, make no provider call, and match the mirror."""

from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from accounts.models import Account
from billing.mirror import documents
from billing.models import AccountDocument
from billing.tests.api.browser import Browser
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
from billing.tests.support.invariants import built_documents

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalogue", "no_provider")]

HOT_READS = ("/api/account", "/api/account/manage-plans", "/api/invoice/list")


def open_large_account() -> Account:
    """An account with three plans, a pause, coupons and a long history."""
    history = [make_invoice(str(number), days=-number) for number in range(1, 200)]
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
def test_it_makes_two_queries_for_an_account_with_much(
    path: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    browser = Browser(open_large_account())
    with django_assert_num_queries(2):
        assert browser.get(path).status_code == 200


@pytest.mark.parametrize("path", HOT_READS)
def test_it_makes_two_queries_for_an_account_with_nothing(
    path: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    browser = Browser(open_account("ivy"))
    with django_assert_num_queries(2):
        assert browser.get(path).status_code == 200


def test_a_build_makes_nine_queries_at_most_for_an_account_with_much(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    account = open_large_account()
    with django_assert_max_num_queries(9):
        built_documents(account)


def test_what_is_stored_is_what_would_be_built() -> None:
    account = open_large_account()
    browser = Browser(account)
    assert [browser.get(path).json() for path in HOT_READS] == list(built_documents(account).values())


def test_an_account_that_has_no_document_yet_gets_one_when_it_reads() -> None:
    account = open_large_account()
    AccountDocument.objects.all().delete()
    assert len(Browser(account).get("/api/account").json()["plans"]) == 3
    assert AccountDocument.objects.filter(account=account).count() == 3


def test_a_changed_coupon_is_seen_by_the_next_read() -> None:
    browser = Browser(open_large_account())
    before = browser.get("/api/account/manage-plans").json()["couponDiscount"]
    apply_resources({**make_amount_coupon("WELCOME5", 300), "resource_version": timestamp_at(1) * 1000})
    after = browser.get("/api/account/manage-plans").json()["couponDiscount"]
    assert (before, after) == (500, 300)


def test_a_stale_document_is_stored_anew() -> None:
    account = open_large_account()
    browser = Browser(account)
    documents.mark_all_documents_stale()
    browser.get("/api/account")
    built = set(AccountDocument.objects.filter(account=account).values_list("content_version", flat=True))
    assert len(built) == 1


@pytest.mark.parametrize("path", HOT_READS)
def test_it_is_kept_out_of_every_cache(path: str) -> None:
    answer = Browser(open_account("ivy")).get(path)
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("path", HOT_READS)
def test_it_answers_nobody_without_a_token(path: str) -> None:
    browser = Browser(open_account("ivy"))
    browser.credentials()
    answer = browser.get(path)
    assert (answer.status_code, answer.json()["code"]) == (401, "not_authenticated")
