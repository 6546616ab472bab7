"""A foreign id is a 404, whatever else is invalid, and never reaches the provider."""

from __future__ import annotations

from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator

from billing.models import CancellationFeedback, Command
from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import (
    GOSPEL,
    KIDS,
    make_invoice,
    make_resource,
    make_subscription,
    open_account,
    timestamp_at,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalogue", "no_provider")]

POSTS = (
    "/api/account/subscriptions/multiple-pause",
    "/api/account/resume",
    "/api/account/subscription/remove-scheduled-pause",
    "/api/account/subscription/remove-scheduled-change",
    "/api/account/subscription/remove-scheduled-cancellation",
    "/api/account/subscriptions/cancel",
)
# Where plans are named: those are everybody's, and are looked for among one's own.
PLANS = ("/api/account/upgrade", "/api/account/downgrade")
ONE = tuple(path for path in POSTS if "/subscription/" in path)
METHODS = "/api/payments/updatePaymentSources"


@pytest.fixture
def alice(catalogue: None) -> Browser:
    """Alice, signed in; Bob has a subscription, an invoice and a card that are none of hers."""
    open_account(
        "bob",
        make_subscription(
            "bobs", KIDS, owner="bob", status="paused", pause_date=timestamp_at(-2), next_billing_at=None
        ),
        make_invoice("17", owner="bob"),
        make_resource("payment_source", "bobs-card", customer_id="bob", type="card", status="valid"),
    )
    return Browser(open_account("alice", make_subscription("own"), make_subscription("also", GOSPEL)))


def is_not_found(answer: Any) -> bool:
    """Whether an answer is the one for what does not exist."""
    return (answer.status_code, answer.json()["code"]) == (404, "not_found")


def body_naming(path: str, *ids: str) -> dict[str, list[str]]:
    """The body that names subscriptions, as an address takes it."""
    return {"subscriptionIds" if path.endswith("/cancel") else "subscriptionId": list(ids)}


@pytest.mark.shows("error-7", "security-30")
@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize("ids", [["bobs"], ["own", "bobs"], ["nobodys"], ["own", "own", "nobodys"]])
def test_a_foreign_subscription_is_not_found(alice: Browser, path: str, ids: list[str]) -> None:
    assert is_not_found(alice.post(path, body_naming(path, *ids)))
    assert not Command.objects.exists()
    assert not CancellationFeedback.objects.exists()


@pytest.mark.shows("request-7")
@pytest.mark.parametrize("path", POSTS)
def test_a_foreign_subscription_and_none_at_all_look_the_same(alice: Browser, path: str) -> None:
    foreign = alice.post(path, body_naming(path, "bobs")).json()
    missing = alice.post(path, body_naming(path, "nobodys")).json()
    assert {**foreign, "requestId": ""} == {**missing, "requestId": ""}


@pytest.mark.shows("request-7")
def test_ownership_comes_before_the_other_fields(alice: Browser) -> None:
    assert is_not_found(alice.get("/api/account/resume/estimate?subscriptionId=bobs&days=31"))
    assert is_not_found(alice.post("/api/account/resume", {"subscriptionId": ["bobs"], "quote": {"not": "text"}}))
    assert is_not_found(
        alice.post("/api/account/subscriptions/cancel", {"reason": "none of these", "subscriptionIds": ["bobs"]})
    )


def test_a_foreign_id_in_a_query_is_not_found(alice: Browser) -> None:
    assert is_not_found(alice.get("/api/account/resume/estimate?subscriptionId=own&subscriptionId=bobs"))
    assert is_not_found(alice.get("/api/account/resume/estimate?subscription_id=bobs"))


@pytest.mark.shows("request-7", "security-30")
@pytest.mark.parametrize("path", ONE)
def test_a_list_of_one_takes_no_foreign_second(alice: Browser, path: str) -> None:
    assert is_not_found(alice.post(path, {"subscriptionId": ["own", "bobs"]}))


@pytest.mark.parametrize("path", PLANS)
def test_a_plan_that_only_somebody_else_has_cannot_be_switched(alice: Browser, path: str) -> None:
    answers = [
        alice.get(f"{path}/estimate?planIds=Minno-Plan"),
        alice.post(path, {"planIds": ["Minno-Plan"]}),
    ]
    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [(409, "invalid_state")] * 2


def test_a_strangers_plans_are_not_part_of_the_wanted_set(alice: Browser) -> None:
    """Wanting what Bob has is an addition of one's own; here nothing can pay for it."""
    wanted = {"planIds": ["faith-family-plan", "gospel-tv-plan", "Minno-Plan"]}
    answer = alice.post("/api/account/add-remove-service", wanted)
    assert answer.json()["code"] == "payment_method_required"


@pytest.mark.shows("error-7", "security-38")
@pytest.mark.parametrize("number", ["17", "18", "..%2F17", "17%00", "17/../17", "%F0%9F%92%A9", "x" * 400])
def test_a_foreign_invoice_is_not_found(alice: Browser, number: str) -> None:
    assert is_not_found(alice.get(f"/api/invoice/pdf/{number}"))


def test_a_stranger_sees_nothing_of_mine(alice: Browser) -> None:
    reads = ("/api/account", "/api/invoice/list", "/api/payments/")
    seen = [alice.get(path).content.decode() for path in reads]
    assert ["bobs" in text or '"17"' in text for text in seen] == [False] * len(reads)


@pytest.mark.parametrize("token", ["x", "x:y:z", "%00", "../../etc/passwd", "a" * 3000])
def test_a_made_up_download_link_is_not_found(alice: Browser, token: str) -> None:
    assert is_not_found(alice.get(f"/api/invoice/download/{token}"))


@pytest.mark.parametrize("source", ["bobs-card", "nobodys", "../bobs-card", "own"])
@pytest.mark.parametrize("operation", ["ADD", "UPDATE", "DELETE", "SETPRIMARY", "NONSENSE"])
def test_a_foreign_payment_method_is_not_found(alice: Browser, operation: str, source: str) -> None:
    whole = {"paymentsource": "CARD", "token": "t", "firstName": "A", "billingState": "B", "billingZip": "1"}
    assert is_not_found(alice.post(METHODS, {"operationType": operation, "paymentSourceId": source, **whole}))
    assert is_not_found(alice.post(METHODS, {"paymentSourceId": source, "quote": {"not": "text"}}))
    assert not Command.objects.exists()


# Everything that takes the name of a thing: each is tried above with somebody else's. A new one is added there first.
# A code is nobody's until it is redeemed: `test_codes` has it spent by another.
TRIED = {
    ("get", "/api/account/resume/estimate"),
    *(("get", f"{path}/estimate") for path in PLANS),
    *(("post", path) for path in PLANS),
    ("post", "/api/account/add-remove-service"),
    ("post", "/api/account/add-remove-service/estimate"),
    ("post", "/api/account/add-coupon/{code}"),
    ("get", "/api/invoice/download/{token}"),
    ("get", "/api/invoice/pdf/{number}"),
    *(("post", path) for path in POSTS),
    ("post", METHODS),
}
NAMES = ("subscriptionId", "subscriptionIds", "paymentSourceId", "planIds")


def names_something(operation: dict[str, Any], schemas: dict[str, Any]) -> bool:
    """Whether an operation's path, query or body names a thing that somebody owns."""
    parameters = operation.get("parameters", [])
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    properties = schemas.get(body.get("$ref", "").rsplit("/", 1)[-1], {}).get("properties", {})
    return any(parameter["in"] == "path" or parameter["name"] in NAMES for parameter in parameters) or not set(
        NAMES
    ).isdisjoint(properties)


@pytest.mark.shows("security-29")
def test_every_operation_that_names_a_thing_is_tried_with_a_strangers() -> None:
    document = SchemaGenerator().get_schema(request=None, public=True)
    found = {
        (method, path)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if names_something(operation, document["components"]["schemas"])
    }
    assert found == TRIED


def test_who_tries_other_peoples_ids_is_in_the_log(alice: Browser, caplog: pytest.LogCaptureFixture) -> None:
    alice.post("/api/account/resume", {"subscriptionId": ["bobs"]})
    alice.post(METHODS, {"operationType": "DELETE", "paymentSourceId": "bobs-card"})
    assert "named subscriptions that are not its own" in caplog.text
    assert "named a payment method that is not its own" in caplog.text
