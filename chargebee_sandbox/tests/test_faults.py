"""Ordered faults strike the requests they match and no others."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from chargebee_sandbox.tests.support.site_driver import SiteDriver, expect_refusal
from chargebee_sandbox.tests.support.webhook_receiver import wait_until
from conftest import NO_AUTHORITIES

UPDATE = "/subscriptions/*/update_for_items"
Order = Callable[..., dict[str, Any]]


@pytest.fixture
def http(sandbox: Any) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=sandbox.url, auth=(sandbox.api_key, ""), verify=NO_AUTHORITIES) as client:
        yield client


@pytest.fixture
def order(http: httpx.Client) -> Order:
    def order_fault(**fault: object) -> dict[str, Any]:
        answer = http.post("/faults", data={name: str(value) for name, value in fault.items()})
        assert answer.status_code == 200, answer.text
        return dict(answer.json()["fault"])

    return order_fault


def waiting_faults(http: httpx.Client) -> list[dict[str, Any]]:
    return [entry["fault"] for entry in http.get("/faults").json()["list"]]


def list_strikes(http: httpx.Client) -> list[dict[str, Any]]:
    return [entry["strike"] for entry in http.get("/faults/struck").json()["list"]]


def later_results(strike: dict[str, Any]) -> list[str]:
    return [later["said"] for later in strike["later"]]


@pytest.fixture
def redeem(shop: SiteDriver, http: httpx.Client) -> Callable[..., httpx.Response]:
    """Redeem the coupon TEN with the same key each time."""
    monthly, ten = shop.start_subscription(shop.add_customer()), shop.add_coupon("TEN")
    address, form = f"/api/v2/subscriptions/{monthly.id}/update_for_items", {"coupon_ids[0]": ten}
    key = {"chargebee-idempotency-key": "once"}
    return lambda timeout=30: http.post(address, data=form, headers=key, timeout=timeout)


def count_redemptions(shop: SiteDriver) -> int:
    return int(shop.client.Coupon.retrieve("TEN").coupon.redemptions)


def test_a_charge_is_declined_once(shop: SiteDriver, http: httpx.Client, order: Order):
    monthly = shop.start_subscription(shop.add_customer())
    order(kind="decline_payment", method="POST", path=UPDATE)
    with expect_refusal(400, "payment_processing_failed"):
        shop.change_items(monthly.id, "faith-year")
    assert waiting_faults(http) == []
    assert shop.change_items(monthly.id, "faith-year").invoice.status == "paid"


def test_a_fault_can_skip_requests(shop: SiteDriver, order: Order):
    shop.add_customer()
    subscriptions = [shop.start_subscription("ava") for _ in range(3)]
    ten = shop.add_coupon("TEN")
    order(kind="error", path=UPDATE, skip=2, status=503, api_error_code="internal_temporary_error")
    for subscription in subscriptions[:2]:
        shop.update_subscription(subscription.id, coupon_ids=[ten])
    with expect_refusal(503, "internal_temporary_error") as caught:
        shop.update_subscription(subscriptions[2].id, coupon_ids=[ten])
    assert caught.value.type == "operation_failed"
    assert shop.retrieve_subscription(subscriptions[2].id).coupons is None
    assert shop.update_subscription(subscriptions[2].id, coupon_ids=[ten]).subscription.coupons


@pytest.mark.parametrize(("kind", "done"), [("drop_connection_before", 0), ("drop_connection_after", 1)])
def test_a_write_may_or_may_not_be_made_when_the_connection_drops(
    shop: SiteDriver, http: httpx.Client, order: Order, kind: str, done: int
):
    monthly, ten = shop.start_subscription(shop.add_customer()), shop.add_coupon("TEN")
    order(kind=kind, path=UPDATE)
    address, form = f"/api/v2/subscriptions/{monthly.id}/update_for_items", {"coupon_ids[0]": ten}
    key = {"chargebee-idempotency-key": "once"}
    with pytest.raises(httpx.TransportError):
        http.post(address, data=form, headers=key)
    assert shop.client.Coupon.retrieve(ten).coupon.redemptions == done
    again = http.post(address, data=form, headers=key)
    assert again.status_code == 200
    assert ("chargebee-idempotency-replayed" in again.headers) is bool(done)
    assert shop.client.Coupon.retrieve(ten).coupon.redemptions == 1


@pytest.mark.parametrize(
    ("kind", "status", "is_expected"),
    [
        ("html_body", 502, lambda answer: answer.text.startswith("<!DOCTYPE html>")),
        ("html_body", 200, lambda answer: answer.headers["content-type"].startswith("text/html")),
        ("missing_object", 200, lambda answer: answer.json() == {}),
    ],
)
def test_a_write_is_made_despite_an_unusable_response(
    shop: SiteDriver,
    http: httpx.Client,
    order: Order,
    redeem: Callable[..., httpx.Response],
    kind: str,
    status: int,
    is_expected: Callable[[httpx.Response], bool],
):
    order(kind=kind, path=UPDATE, **({"status": status} if kind == "html_body" else {}))
    answer = redeem()
    assert (answer.status_code, is_expected(answer), count_redemptions(shop)) == (status, True, 1)
    assert redeem().json()["subscription"]["coupons"][0]["coupon_id"] == "TEN"
    assert count_redemptions(shop) == 1


@pytest.mark.parametrize(
    ("kind", "seen", "write", "then"),
    [
        ("time_out_before", httpx.ReadTimeout, "not made", "200: made"),
        ("time_out_after", httpx.ReadTimeout, "made", "200: made before, the first answer again"),
        ("cut_body", httpx.RemoteProtocolError, "made", "200: made before, the first answer again"),
    ],
)
def test_the_journal_records_the_write_and_the_retry(
    shop: SiteDriver,
    http: httpx.Client,
    order: Order,
    redeem: Callable[..., httpx.Response],
    kind: str,
    seen: type[Exception],
    write: str,
    then: str,
):
    order(kind=kind, path=UPDATE)
    with pytest.raises(seen):
        redeem(timeout=2)
    # On a busy machine the request may be given up before it is made.
    wait_until(lambda: [strike["write"] for strike in list_strikes(http)] == [write], what="the strike")
    assert count_redemptions(shop) == (write == "made")
    assert redeem().status_code == 200
    assert count_redemptions(shop) == 1
    [strike] = list_strikes(http)
    assert (strike["kind"], strike["key"], strike["write"]) == (kind, "once", write)
    assert strike["target"].endswith("/update_for_items")
    assert later_results(strike) == [then]


@pytest.mark.parametrize(("options", "header"), [({}, None), ({"retry_after": 7}, "7")])
def test_a_429_sends_retry_after_only_if_ordered(
    http: httpx.Client, order: Order, sandbox: Any, options: dict[str, int], header: str | None
):
    order(kind="error", method="GET", path="/customers", status=429, count=2, **options)
    answers = [http.get("/api/v2/customers") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [429, 429, 200]
    assert answers[0].json()["api_error_code"] == "api_request_limit_exceeded"
    assert answers[0].headers.get("retry-after") == header
    second, first = list_strikes(http)
    assert (later_results(first), later_results(second)) == (["met error"], ["200"])


def test_a_delay_affects_one_request_until_the_faults_are_cleared(shop: SiteDriver, http: httpx.Client, order: Order):
    shop.add_customer()
    order(kind="delay", path="/customers", seconds=300)
    with ThreadPoolExecutor(1) as pool:
        request = pool.submit(http.get, "/api/v2/customers", timeout=30)
        wait_until(lambda: bool(list_strikes(http)), what="the request is held")
        assert shop.client.Customer.retrieve("ava").customer.id == "ava"
        assert not request.done()
        http.delete("/faults")
        assert request.result().status_code == 200


def test_a_delay_lasts_for_the_ordered_time(shop: SiteDriver, order: Order):
    monthly = shop.start_subscription(shop.add_customer())
    order(kind="delay", method="GET", path=f"/subscriptions/{monthly.id}", seconds=1)
    start = time.monotonic()
    assert shop.retrieve_subscription(monthly.id).status == "active"
    assert time.monotonic() - start >= 1


def test_other_requests_pass_and_starting_afresh_clears_faults(
    shop: SiteDriver, http: httpx.Client, order: Order, sandbox: Any
):
    order(kind="error", method="POST", path="/customers", count=2, status=429, api_error_code="lock_timeout")
    shop.client.Customer.list({})
    with expect_refusal(429, "lock_timeout"):
        shop.client.Customer.create({"id": "ava"})
    assert [fault["count"] for fault in waiting_faults(http)] == [1]
    sandbox.start_afresh()
    assert waiting_faults(http) == []


def test_ordering_a_fault_requires_the_api_key_and_valid_parameters(http: httpx.Client, sandbox: Any):
    assert httpx.post(f"{sandbox.url}/faults", data={"kind": "delay"}, trust_env=False).status_code == 401
    assert httpx.get(f"{sandbox.url}/faults/struck", trust_env=False).status_code == 401
    for wrong in ({"kind": "meteor"}, {"kind": "delay", "seconds": "9999"}, {"kind": "delay", "path": "x"}):
        assert http.post("/faults", data=wrong).status_code == 400
    assert waiting_faults(http) == []


def test_the_console_can_order_and_clear_faults(http: httpx.Client, order: Order):
    order(kind="delay", path="/customers")
    page = http.get("/trouble").text
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert token
    form = {"csrfmiddlewaretoken": token[1], "kind": "error", "path": "/customers", "status": "503"}
    answer = http.post("/trouble/order", data=form, follow_redirects=True)
    assert [fault["kind"] for fault in waiting_faults(http)] == ["delay", "error"]
    assert "503 internal_error" in answer.text
    assert http.post("/trouble/order", data={**form, "status": "200"}).status_code == 400
    wrong = http.post("/trouble/order", data={**form, "path": "customers", "seconds": "7"})
    assert wrong.status_code == 400
    assert 'role="alert"' in wrong.text
    assert re.search(r'name="path"[^>]*value="customers"', wrong.text)
    assert re.search(r'name="seconds" value="7"', wrong.text)
    assert '<option value="error" selected>' in wrong.text
    answers = [http.get("/api/v2/customers").status_code for _ in range(3)]
    assert answers == [200, 503, 200]
    shown = re.sub(r"<[^>]+>", " ", http.get("/trouble").text)
    assert re.search(r"error\s+GET /customers\s+[\d:]+\s+503 internal_error\s+[\d:]+\s+200", shown)
    http.post("/trouble/clear", data={"csrfmiddlewaretoken": token[1]})
    assert waiting_faults(http) == []
