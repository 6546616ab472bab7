"""Lists: filters in all the forms that clients send, sorting, and pages."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from chargebee_sandbox.tests.support.site_driver import SiteDriver, expect_refusal
from conftest import NO_AUTHORITIES


@pytest.fixture
def api(sandbox: Any) -> httpx.Client:
    return httpx.Client(base_url=sandbox.endpoint, auth=(sandbox.api_key, ""), verify=NO_AUTHORITIES)


@pytest.fixture
def shop_with_customers(shop: SiteDriver) -> SiteDriver:
    for handle in ("ava", "ben", "carla", "dan", "ella"):
        shop.add_customer(handle, card=None)
    return shop


def customer_ids(answer: httpx.Response) -> set[str]:
    return {entry["customer"]["id"] for entry in answer.json()["list"]}


@pytest.mark.parametrize("value", ['["ava","ben"]', "[ava,ben]", "['ava', 'ben']", '["ava", "ben"]'])
def test_the_in_filter_is_accepted_in_each_form(shop_with_customers: SiteDriver, api: httpx.Client, value: str):
    assert customer_ids(api.get("/customers", params={"id[in]": value})) == {"ava", "ben"}
    assert customer_ids(api.get("/customers", params={"id[not_in]": value})) == {"carla", "dan", "ella"}


def test_the_sdk_filters(shop_with_customers: SiteDriver):
    params: dict[str, Any] = {"email": {"is": "ava@example.com"}}
    assert [entry.customer.id for entry in shop_with_customers.client.Customer.list(params).list] == ["ava"]
    # Strict, since the provider does not say whether it compares with case.
    assert shop_with_customers.client.Customer.list({"email": {"is": "Ava@example.com"}}).list == []
    params = {"id": {"in": ["dan", "ella"]}}
    assert {entry.customer.id for entry in shop_with_customers.client.Customer.list(params).list} == {"dan", "ella"}


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"id[starts_with]": "e"}, {"ella"}),
        ({"first_name[is_not]": "ava"}, {"ben", "carla", "dan", "ella"}),
        ({"phone[is_present]": "true"}, set()),
        ({"phone[is_present]": "false", "id[is]": "ben"}, {"ben"}),
        ({"created_at[after]": "1000000000"}, {"ava", "ben", "carla", "dan", "ella"}),
        ({"created_at[before]": "1000000000"}, set()),
        ({"created_at[between]": "[1000000000,3000000000]", "id[is]": "dan"}, {"dan"}),
    ],
)
def test_each_filter_operator_selects_the_right_rows(
    shop_with_customers: SiteDriver, api: httpx.Client, filters: dict[str, str], expected: set[str]
):
    assert customer_ids(api.get("/customers", params=filters)) == expected


def test_numbers_and_booleans_are_compared_by_type(shop: SiteDriver, api: httpx.Client):
    shop.add_customer()
    shop.start_subscription("ava", "faith-month")
    shop.start_subscription("ava", "faith-year")
    totals = lambda **filters: [  # noqa: E731
        entry["invoice"]["total"] for entry in api.get("/invoices", params=filters).json()["list"]
    ]
    assert totals(**{"total[gt]": "699"}) == [6999]
    assert totals(**{"total[between]": "['1', '699']"}) == [699]
    assert totals(**{"recurring[is]": "true", "total[lte]": "699"}) == [699]
    assert totals(**{"recurring[is]": "false"}) == []


def test_pages_contain_each_entry_once(shop_with_customers: SiteDriver):
    handles, offset = [], None
    for expected in (2, 2, 1):
        params: dict[str, Any] = {"limit": 2, "sort_by": {"asc": "created_at"}}
        page = shop_with_customers.client.Customer.list(params if offset is None else {**params, "offset": offset})
        assert len(page.list) == expected
        handles += [entry.customer.id for entry in page.list]
        offset = page.next_offset
    assert handles == ["ava", "ben", "carla", "dan", "ella"]
    assert offset is None


def test_a_list_returns_ten_entries_newest_first_by_default(shop_with_customers: SiteDriver):
    for number in range(7):
        shop_with_customers.add_customer(f"n{number}", card=None)
    page = shop_with_customers.client.Customer.list({})
    assert [entry.customer.id for entry in page.list][:2] == ["n6", "n5"]
    assert len(page.list) == 10
    assert page.next_offset


@pytest.mark.parametrize(
    "params",
    [
        {"limit": "0"},
        {"limit": "101"},
        {"limit": "x"},
        {"offset": "nonsense"},
        {"sort_by[asc]": "email"},
        {"email[like]": "a"},
        {"nickname[is]": "a"},
        {"created_at[after]": "yesterday"},
        {"created_at[after]": "1700000000000"},
        {"offset": '["x", 1]'},
        {"offset": "{}"},
        {"offset": "[[], 1]"},
        {"id[in][0]": "ava"},
        {"id": "ava"},
    ],
)
def test_it_refuses_an_invalid_filter_sort_or_page(api: httpx.Client, params: dict[str, str]):
    answer = api.get("/customers", params=params)
    assert (answer.status_code, answer.json()["api_error_code"]) == (400, "param_wrong_value")


def test_a_customer_id_does_not_retrieve_a_subscription(shop_with_customers: SiteDriver):
    with expect_refusal(404, "resource_not_found"):
        shop_with_customers.client.Subscription.retrieve("ava")
