"""Faults that are ordered: what they do to the requests they are for, and that all others are left alone."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from billing.sandbox.tests.shop import Shop, refused

UPDATE = "/subscriptions/*/update_for_items"
Order = Callable[..., dict[str, Any]]


@pytest.fixture
def http(sandbox: Any) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=sandbox.url, auth=(sandbox.api_key, ""), trust_env=False) as client:
        yield client


@pytest.fixture
def order(http: httpx.Client) -> Order:
    def ordered(**fault: object) -> dict[str, Any]:
        answer = http.post("/faults", data={name: str(value) for name, value in fault.items()})
        assert answer.status_code == 200, answer.text
        return dict(answer.json()["fault"])

    return ordered


def waiting(http: httpx.Client) -> list[dict[str, Any]]:
    return [entry["fault"] for entry in http.get("/faults").json()["list"]]


def test_a_charge_is_declined_once_and_then_no_more(shop: Shop, http: httpx.Client, order: Order):
    monthly = shop.subscribe(shop.customer())
    order(kind="decline_payment", method="POST", path=UPDATE)
    with refused(400, "payment_processing_failed"):
        shop.change(monthly.id, "faith-year")
    assert waiting(http) == []
    assert shop.change(monthly.id, "faith-year").invoice.status == "paid"


def test_the_third_of_three_fails(shop: Shop, order: Order):
    shop.customer()
    held = [shop.subscribe("ava") for _ in range(3)]
    ten = shop.coupon("TEN")
    order(kind="error", path=UPDATE, skip=2, status=503, api_error_code="internal_temporary_error")
    for subscription in held[:2]:
        shop.update(subscription.id, coupon_ids=[ten])
    with refused(503, "internal_temporary_error") as caught:
        shop.update(held[2].id, coupon_ids=[ten])
    assert caught.value.type == "operation_failed"
    assert shop.subscription(held[2].id).coupons is None
    assert shop.update(held[2].id, coupon_ids=[ten]).subscription.coupons


@pytest.mark.parametrize(("kind", "done"), [("drop_connection_before", 0), ("drop_connection_after", 1)])
def test_a_lost_connection_leaves_it_open_whether_it_was_done(
    shop: Shop, http: httpx.Client, order: Order, kind: str, done: int
):
    monthly, ten = shop.subscribe(shop.customer()), shop.coupon("TEN")
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


def test_a_delay_holds_nobody_else_up(shop: Shop, order: Order):
    monthly = shop.subscribe(shop.customer())
    order(kind="delay", method="GET", path=f"/subscriptions/{monthly.id}", seconds=1)
    begun = time.monotonic()
    shop.client.Customer.retrieve("ava")
    assert time.monotonic() - begun < 1
    assert shop.subscription(monthly.id).status == "active"
    assert time.monotonic() - begun >= 1


def test_other_requests_pass_and_starting_afresh_forgets(
    shop: Shop, http: httpx.Client, order: Order, sandbox: Any
):
    order(kind="error", method="POST", path="/customers", count=2, status=429, api_error_code="lock_timeout")
    shop.client.Customer.list({})
    with refused(429, "lock_timeout"):
        shop.client.Customer.create({"id": "ava"})
    assert [fault["count"] for fault in waiting(http)] == [1]
    sandbox.start_afresh()
    assert waiting(http) == []


def test_only_the_key_orders_and_only_what_is_a_fault(http: httpx.Client, sandbox: Any):
    assert httpx.post(f"{sandbox.url}/faults", data={"kind": "delay"}, trust_env=False).status_code == 401
    for wrong in ({"kind": "meteor"}, {"kind": "delay", "seconds": "9999"}, {"kind": "delay", "path": "x"}):
        assert http.post("/faults", data=wrong).status_code == 400
    assert waiting(http) == []


def test_the_console_orders_and_forgets_them(http: httpx.Client, order: Order):
    order(kind="delay", path="/customers")
    page = http.get("/trouble").text
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert token
    form = {"csrfmiddlewaretoken": token[1], "kind": "error", "path": "/customers", "status": "503"}
    answer = http.post("/trouble/order", data=form, follow_redirects=True)
    assert [fault["kind"] for fault in waiting(http)] == ["delay", "error"]
    assert "503 internal_error" in answer.text
    assert http.post("/trouble/order", data={**form, "status": "200"}).status_code == 400
    http.post("/trouble/clear", data={"csrfmiddlewaretoken": token[1]})
    assert waiting(http) == []
