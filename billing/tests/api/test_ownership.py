"""A foreign id is a 404, whatever else is invalid, and never reaches the provider."""

from __future__ import annotations

from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator

from accounts.models import Account
from billing.models import CancellationFeedback, Command
from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import (
    GOSPEL,
    KIDS,
    apply_catalog,
    make_invoice,
    make_resource,
    make_subscription,
    open_account,
    timestamp_at,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_provider")]

POSTS = (
    "/api/account/subscriptions/multiple-pause",
    "/api/account/resume",
    "/api/account/subscription/remove-scheduled-pause",
    "/api/account/subscription/remove-scheduled-change",
    "/api/account/subscription/remove-scheduled-cancellation",
    "/api/account/subscriptions/cancel",
)
# Plans belong to nobody; these operations look for the plan among the account's own subscriptions.
PLAN_PATHS = ("/api/account/upgrade", "/api/account/downgrade")
SINGLE_ID_POSTS = tuple(path for path in POSTS if "/subscription/" in path)
PAYMENT_METHODS = "/api/payments/updatePaymentSources"
PAYMENT_INTENTS = "/api/payments/paymentToken"
SWITCH = "/api/account/others/switch"


@pytest.fixture(scope="module")
def account(shared_rows: None) -> Account:
    """Return Alice's account, beside a catalog; Bob, a stranger, has a subscription, an invoice and a card."""
    apply_catalog()
    open_account(
        "bob",
        make_subscription(
            "bobs", KIDS, owner="bob", status="paused", pause_date=timestamp_at(-2), next_billing_at=None
        ),
        make_invoice("17", owner="bob"),
        make_resource("payment_source", "bobs-card", customer_id="bob", type="card", status="valid"),
    )
    return open_account("alice", make_subscription("own"), make_subscription("also", GOSPEL))


@pytest.fixture
def alice(account: Account) -> Browser:
    """Return Alice's browser."""
    return Browser(account)


def is_not_found(response: Any) -> bool:
    """Return whether a response is 404 `not_found`."""
    return (response.status_code, response.json()["code"]) == (404, "not_found")


def make_ids_body(path: str, *ids: str) -> dict[str, list[str]]:
    """Return the body with these subscription ids, under the field name that the path expects."""
    return {"subscriptionIds" if path.endswith("/cancel") else "subscriptionId": list(ids)}


@pytest.mark.shows("error-7", "security-30")
@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize("ids", [["bobs"], ["own", "bobs"], ["nobodys"], ["own", "own", "nobodys"]])
def test_a_foreign_subscription_is_not_found(alice: Browser, path: str, ids: list[str]) -> None:
    assert is_not_found(alice.post(path, make_ids_body(path, *ids)))
    assert not Command.objects.exists()
    assert not CancellationFeedback.objects.exists()


@pytest.mark.shows("request-7")
@pytest.mark.parametrize("path", POSTS)
def test_a_foreign_and_a_missing_subscription_get_the_same_response(alice: Browser, path: str) -> None:
    foreign = alice.post(path, make_ids_body(path, "bobs")).json()
    missing = alice.post(path, make_ids_body(path, "nobodys")).json()
    assert {**foreign, "requestId": ""} == {**missing, "requestId": ""}


@pytest.mark.shows("request-7")
def test_ownership_is_checked_before_other_fields(alice: Browser) -> None:
    assert is_not_found(alice.get("/api/account/resume/estimate?subscriptionId=bobs&days=31"))
    assert is_not_found(alice.post("/api/account/resume", {"subscriptionId": ["bobs"], "quote": {"not": "text"}}))
    assert is_not_found(
        alice.post("/api/account/subscriptions/cancel", {"reason": "none of these", "subscriptionIds": ["bobs"]})
    )


def test_a_foreign_id_in_a_query_is_not_found(alice: Browser) -> None:
    assert is_not_found(alice.get("/api/account/pause/estimate?days=30&subscriptionId=bobs"))
    assert is_not_found(alice.get("/api/account/resume/estimate?subscriptionId=own&subscriptionId=bobs"))
    assert is_not_found(alice.get("/api/account/resume/estimate?subscription_id=bobs"))
    assert is_not_found(alice.post("/api/account/pause?days=30&subscriptionId=own&subscriptionId=bobs"))


@pytest.mark.shows("request-7", "security-30")
@pytest.mark.parametrize("path", SINGLE_ID_POSTS)
def test_a_foreign_second_id_is_not_found(alice: Browser, path: str) -> None:
    assert is_not_found(alice.post(path, {"subscriptionId": ["own", "bobs"]}))


@pytest.mark.parametrize("path", PLAN_PATHS)
def test_a_plan_of_another_account_cannot_be_switched(alice: Browser, path: str) -> None:
    responses = [
        alice.get(f"{path}/estimate?planIds=Minno-Plan"),
        alice.post(path, {"planIds": ["Minno-Plan"]}),
    ]
    assert [(response.status_code, response.json()["code"]) for response in responses] == [(409, "invalid_state")] * 2


def test_a_strangers_plan_is_treated_as_an_addition(alice: Browser) -> None:
    """Selecting the plan that Bob has adds one: Alice's subscriptions are read first, and nobody answers."""
    selection = {"planIds": ["faith-family-plan", "gospel-tv-plan", "Minno-Plan"]}
    response = alice.post("/api/account/add-remove-service", selection)
    assert response.json()["code"] == "billing_unavailable"
    assert not Command.objects.exists()


@pytest.mark.shows("error-7", "security-38")
@pytest.mark.parametrize("number", ["17", "18", "..%2F17", "17%00", "17/../17", "%F0%9F%92%A9", "x" * 400])
def test_a_foreign_invoice_is_not_found(alice: Browser, number: str) -> None:
    assert is_not_found(alice.get(f"/api/invoice/pdf/{number}"))


def test_reads_show_nothing_of_another_account(alice: Browser) -> None:
    reads = ("/api/account", "/api/invoice/list", "/api/payments/")
    bodies = [alice.get(path).content.decode() for path in reads]
    assert ["bobs" in text or '"17"' in text for text in bodies] == [False] * len(reads)


@pytest.mark.parametrize("token", ["x", "x:y:z", "%00", "../../etc/passwd", "a" * 3000])
def test_a_forged_download_link_is_not_found(alice: Browser, token: str) -> None:
    assert is_not_found(alice.get(f"/api/invoice/download/{token}"))


@pytest.mark.parametrize("source", ["bobs-card", "nobodys", "../bobs-card", "own"])
@pytest.mark.parametrize("operation", ["ADD", "UPDATE", "DELETE", "SETPRIMARY", "NONSENSE"])
def test_a_foreign_payment_method_is_not_found(alice: Browser, operation: str, source: str) -> None:
    card = {"paymentsource": "CARD", "token": "t", "firstName": "A", "billingState": "B", "billingZip": "1"}
    assert is_not_found(alice.post(PAYMENT_METHODS, {"operationType": operation, "paymentSourceId": source, **card}))
    assert is_not_found(alice.post(PAYMENT_METHODS, {"paymentSourceId": source, "quote": {"not": "text"}}))
    assert not Command.objects.exists()


@pytest.mark.parametrize("source", ["bobs-card", "nobodys", "../bobs-card"])
def test_a_foreign_payment_method_cannot_be_authorized(alice: Browser, source: str) -> None:
    assert is_not_found(alice.post(PAYMENT_INTENTS, {"paymentSourceId": source}))
    assert is_not_found(alice.post(PAYMENT_INTENTS, {"paymentSourceId": source, "amount": "none"}))


@pytest.mark.parametrize("customer", ["bob", "nobody", "../bob"])
def test_a_foreign_customer_cannot_be_switched_to(alice: Browser, customer: str) -> None:
    assert is_not_found(alice.post(SWITCH, {"customerId": customer}))
    assert alice.get("/api/account").json()["email"] == "alice@example.com"


# All operations that take an identifier; each is tested above with a stranger's. Add a test before you add one here.
# A code belongs to nobody until it is redeemed; `plans/test_coupon_codes.py` tests one that another account redeemed.
TESTED_OPERATIONS = {
    ("get", "/api/account/pause/estimate"),
    ("post", "/api/account/pause"),
    ("get", "/api/account/resume/estimate"),
    *(("get", f"{path}/estimate") for path in PLAN_PATHS),
    *(("post", path) for path in PLAN_PATHS),
    ("post", "/api/account/add-remove-service"),
    ("post", "/api/account/add-remove-service/estimate"),
    ("post", "/api/account/add-coupon/{code}"),
    ("get", "/api/invoice/download/{token}"),
    ("get", "/api/invoice/credit-note/{number}"),  # tested in `payments/test_credit_notes.py`
    ("get", "/api/invoice/pdf/{number}"),
    ("get", "/api/invoice/statement/{year}"),  # tested in `payments/test_statements.py`
    *(("post", path) for path in POSTS),
    ("post", PAYMENT_METHODS),
    ("post", PAYMENT_INTENTS),
    ("post", SWITCH),
    ("get", "/api/account/mails/{mail_id}"),  # tested in `accounts/tests/test_sent_mails.py`
}
IDENTIFIER_FIELDS = ("subscriptionId", "subscriptionIds", "paymentSourceId", "planIds", "customerId")


def takes_identifier(operation: dict[str, Any], schemas: dict[str, Any]) -> bool:
    """Return whether an operation's path, query or body takes the identifier of a record."""
    parameters = operation.get("parameters", [])
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    properties = schemas.get(body.get("$ref", "").rsplit("/", 1)[-1], {}).get("properties", {})
    return any(
        parameter["in"] == "path" or parameter["name"] in IDENTIFIER_FIELDS for parameter in parameters
    ) or not set(IDENTIFIER_FIELDS).isdisjoint(properties)


@pytest.mark.shows("security-29")
def test_every_operation_with_an_identifier_has_an_ownership_test() -> None:
    document = SchemaGenerator().get_schema(request=None, public=True)
    taking_identifiers = {
        (method, path)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if takes_identifier(operation, document["components"]["schemas"])
    }
    assert taking_identifiers == TESTED_OPERATIONS


def test_requests_with_foreign_ids_are_logged(alice: Browser, caplog: pytest.LogCaptureFixture) -> None:
    alice.post("/api/account/resume", {"subscriptionId": ["bobs"]})
    alice.post(PAYMENT_METHODS, {"operationType": "DELETE", "paymentSourceId": "bobs-card"})
    assert "named subscriptions that are not its own" in caplog.text
    assert "named a payment method that is not its own" in caplog.text
