"""The API over plain HTTP: details that the SDK hides."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from chargebee_sandbox.tests.support.site_driver import REFUSED_CARD, SiteDriver, expect_refusal
from conftest import NO_AUTHORITIES


@pytest.fixture
def api(sandbox: Any) -> httpx.Client:
    return httpx.Client(base_url=sandbox.endpoint, auth=(sandbox.api_key, ""), verify=NO_AUTHORITIES)


def test_a_wrong_key_gets_the_providers_error_format(api: httpx.Client):
    answer = api.get("/customers", auth=("wrong", ""))
    assert answer.status_code == 401
    assert answer.json()["api_error_code"] == "api_authentication_failed"
    assert answer.json()["error_code"] == "api_authentication_invalid_key"
    assert answer.json()["http_status_code"] == 401
    assert "type" not in answer.json()


def test_it_refuses_a_request_without_credentials(api: httpx.Client):
    answer = httpx.get(f"{api.base_url}customers", trust_env=False)
    assert (answer.status_code, answer.json()["api_error_code"]) == (401, "basic_authentication_failed")


@pytest.mark.parametrize("header", ["Basic", "Basic %%%", "Basic /////w==", "Bearer dGVzdDo="])
def test_it_refuses_malformed_credentials(api: httpx.Client, header: str):
    answer = httpx.get(f"{api.base_url}customers", headers={"Authorization": header}, trust_env=False)
    assert answer.status_code == 401


def test_an_unknown_resource_or_path_is_named_in_the_error(api: httpx.Client):
    answer = api.get("/customers/nobody")
    assert answer.status_code == 404
    assert answer.json()["type"] == "invalid_request"
    assert answer.json()["api_error_code"] == "resource_not_found"
    assert api.get("/nothing_like_it").json()["api_error_code"] == "resource_not_found"


def test_it_allows_only_get_and_post(api: httpx.Client):
    answer = api.delete("/customers/ava")
    assert (answer.status_code, answer.json()["api_error_code"]) == (405, "http_method_not_supported")
    assert api.put("/customers").status_code == 405


def test_it_parses_objects_lists_and_columns(api: httpx.Client, shop: SiteDriver):
    form = {"id": "ava", "first_name": "Ava", "billing_address[line1]": "1 High St", "cf_Nick": "A"}
    customer = api.post("/customers", data=form).json()["customer"]
    assert customer["billing_address"]["line1"] == "1 High St"
    assert customer["cf_Nick"] == "A"
    form = {
        "subscription_items[item_price_id][0]": "faith-month",
        "subscription_items[quantity][0]": "2",
        "trial_end": str(customer["created_at"] + 86_400),
        "coupon_ids[0]": shop.add_coupon("TEN"),
    }
    subscription = api.post("/customers/ava/subscription_for_items", data=form).json()["subscription"]
    assert subscription["status"] == "in_trial"
    assert subscription["subscription_items"][0]["amount"] == 2 * 699
    assert [coupon["coupon_id"] for coupon in subscription["coupons"]] == ["TEN"]


def test_it_ignores_key_case_and_reads_empty_values_as_null(api: httpx.Client):
    api.post("/customers", data={"ID": "ava", "First_Name": "Ava", "phone": "1"})
    customer = api.post("/customers/ava", data={"phone": ""}).json()["customer"]
    assert customer["first_name"] == "Ava"
    assert "phone" not in customer


def test_it_omits_nulls_and_names_every_object(api: httpx.Client):
    customer = api.post("/customers", data={"id": "ava"}).json()["customer"]
    assert None not in customer.values()
    assert customer["object"] == "customer"
    assert customer["resource_version"] > customer["updated_at"] * 1000 - 1


def test_it_refuses_an_unsupported_parameter(api: httpx.Client):
    answer = api.post("/customers", data={"id": "ava", "fist_name": "Ava"})
    assert answer.status_code == 400
    assert (answer.json()["api_error_code"], answer.json()["param"]) == ("param_wrong_value", "fist_name")
    assert api.get("/customers/ava").status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        b"&".join(b"a%d=1" % number for number in range(2000)),
        b"id=ava&" + b"a" + b"[b]" * 5000 + b"=1",
        b"a[=1",
        b"a=1&a[b]=2",
        b"subscription_items[item_price_id]=x",
        b"\xff\xfe",
        b"[]=1",
        b"id=ava&id[0]=1",
    ],
)
def test_an_unreadable_body_gets_an_api_error(api: httpx.Client, body: bytes):
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = api.post("/customers", content=body, headers=headers)
    assert answer.status_code == 400
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json()["message"]
    assert api.get("/customers").json() == {"list": []}


def test_it_refuses_a_body_over_its_limit(api: httpx.Client):
    assert api.post("/customers", data={"first_name": "x" * 1_100_000}).status_code == 400


def test_it_refuses_a_duplicate_id(shop: SiteDriver):
    shop.add_customer()
    with expect_refusal(400, "duplicate_entry"):
        shop.add_customer(card=None)


def test_it_stores_only_the_masked_card(shop: SiteDriver, api: httpx.Client):
    shop.add_customer(card=None)
    source = shop.add_card("ava", "378282246310005")
    assert source.card.masked_number == "***********0005"
    assert shop.client.Customer.retrieve("ava").card.card_type == "american_express"
    data = api.get("/events", params={"limit": 100}).text + api.get("/payment_sources").text
    assert "378282246310005" not in data


def test_it_refuses_a_card_that_the_gateway_refuses(shop: SiteDriver):
    shop.add_customer(card=None)
    with expect_refusal(400, "payment_method_verification_failed") as caught:
        shop.add_card("ava", REFUSED_CARD)
    assert "(3009) Do not honour" in str(caught.value)
    assert shop.client.PaymentSource.list({"customer_id": {"is": "ava"}}).list == []


def test_every_change_increases_the_resource_version(shop: SiteDriver):
    shop.add_customer()
    versions = [
        shop.client.Customer.update("ava", {"last_name": name}).customer.resource_version for name in "abcdefgh"
    ]
    assert versions == sorted(set(versions))
