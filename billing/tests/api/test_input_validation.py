"""Invalid input gets a clear error and changes nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from accounts.models import Account
from billing.models import Command
from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import GOSPEL, KIDS, LEGACY, apply_catalog, make_subscription, open_account
from core.models import IdempotentRequest

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_provider")]

PAUSE_SOME = "/api/account/subscriptions/multiple-pause"
REMOVE_PAUSE = "/api/account/subscription/remove-scheduled-pause"
REMOVE_CANCELLATION = "/api/account/subscription/remove-scheduled-cancellation"
REMOVE_CHANGE = "/api/account/subscription/remove-scheduled-change"
SERVICES = "/api/account/add-remove-service"
SERVICES_ESTIMATE = "/api/account/add-remove-service/estimate"
UPGRADE = "/api/account/upgrade"
DOWNGRADE = "/api/account/downgrade"
REDEEM = "/api/account/add-coupon/SAVE20"
CLAIM = "/api/account/claim-my-offer"
PAYMENT_METHODS = "/api/payments/updatePaymentSources"
INTENT = "/api/payments/paymentToken"
POSTS = (
    "/api/account/pause?days=30",
    PAUSE_SOME,
    "/api/account/resume",
    "/api/account/remove-scheduled-pause",
    REMOVE_CANCELLATION,
    REMOVE_CHANGE,
    SERVICES,
    SERVICES_ESTIMATE,
    UPGRADE,
    DOWNGRADE,
    REDEEM,
    CLAIM,
    PAYMENT_METHODS,
    INTENT,
)

BAD_DAYS = ["0", "-1", "31", "x", "1e3", "30.0", "", "30 ", "9" * 400, "None", "30%00"]
BAD_IDS: list[Any] = [
    "own",
    [],
    None,
    [None],
    [""],
    [{}],
    [["own"]],
    [True],
    ["own\x00"],
    ["\ud800"],
    ["x" * 101],
    {"0": "own"},
    7,
    [7],
    [f"sub-{number}" for number in range(51)],
]
BAD_PLANS: list[Any] = [
    GOSPEL,
    [],
    None,
    [None],
    [""],
    [{}],
    [[GOSPEL]],
    [True],
    [f"{GOSPEL}\x00"],
    ["\ud800"],
    ["x" * 101],
    {"0": GOSPEL},
    7,
    [GOSPEL] * 11,
    ["no-such-plan"],
    [GOSPEL, "no-such-plan"],
    [f"{GOSPEL}-USD-Monthly"],
    [f" {GOSPEL}"],
    [GOSPEL.upper()],
    ["own"],
]
BAD_QUOTES: list[Any] = ["x" * 65, 7, 6.99, {"not": "text"}, ["quote"], "", True, "a\x00b"]


@pytest.fixture(scope="module")
def account(shared_rows: None) -> Account:
    """Return Alice's account with two subscriptions, beside a catalog."""
    apply_catalog()
    return open_account("alice", make_subscription("own"), make_subscription("also", GOSPEL))


@pytest.fixture
def alice(account: Account) -> Browser:
    """Return Alice's browser."""
    return Browser(account)


def assert_refused(response: Any, field: str) -> None:
    """Assert that a response names the field, and that no command was created."""
    assert (response.status_code, response.json()["code"]) == (400, "validation_error")
    assert list(response.json()["fields"]) == [field]
    assert response.json()["fields"][field]
    assert not Command.objects.exists()


@pytest.mark.shows("error-1", "rule-1", "security-32")
@pytest.mark.parametrize("days", [*BAD_DAYS, "60"])
def test_a_pause_of_unsupported_days_is_refused(alice: Browser, days: str) -> None:
    assert_refused(alice.post(f"/api/account/pause?days={days}"), "days")


def test_a_pause_without_days_is_refused(alice: Browser) -> None:
    assert_refused(alice.post("/api/account/pause"), "days")


@pytest.mark.parametrize("days", BAD_DAYS)
def test_a_pause_estimate_for_unsupported_days_is_refused(alice: Browser, days: str) -> None:
    assert_refused(alice.get(f"/api/account/pause/estimate?days={days}"), "days")


@pytest.mark.parametrize("days", ["0", "-1", "31", "x", "1e3", ""])
def test_a_resume_estimate_for_unsupported_days_is_refused(alice: Browser, days: str) -> None:
    assert_refused(alice.get(f"/api/account/resume/estimate?days={days}"), "days")


@pytest.mark.parametrize("ids", BAD_IDS)
@pytest.mark.parametrize("path", [PAUSE_SOME, REMOVE_PAUSE, REMOVE_CANCELLATION, REMOVE_CHANGE, "/api/account/resume"])
def test_an_invalid_list_of_ids_is_refused(alice: Browser, path: str, ids: Any) -> None:
    body = json.dumps({"subscriptionId": ids})
    assert_refused(alice.post(path, body, content_type="application/json"), "subscriptionId")


@pytest.mark.parametrize("path", [PAUSE_SOME, REMOVE_PAUSE, REMOVE_CANCELLATION, REMOVE_CHANGE])
def test_a_missing_list_is_refused(alice: Browser, path: str) -> None:
    assert_refused(alice.post(path, {}), "subscriptionId")


@pytest.mark.shows("security-32")
@pytest.mark.parametrize("plans", BAD_PLANS)
@pytest.mark.parametrize("path", [SERVICES, SERVICES_ESTIMATE, UPGRADE, DOWNGRADE])
def test_an_invalid_list_of_plans_is_refused(alice: Browser, path: str, plans: Any) -> None:
    body = json.dumps({"planIds": plans})
    assert_refused(alice.post(path, body, content_type="application/json"), "planIds")


@pytest.mark.parametrize("path", [UPGRADE, DOWNGRADE])
@pytest.mark.parametrize("query", ["planIds=", "planIds=no-such-plan", "planIds=%00", f"planIds={'x' * 101}"])
def test_an_estimate_for_an_unknown_plan_is_refused(alice: Browser, path: str, query: str) -> None:
    assert_refused(alice.get(f"{path}/estimate?{query}"), "planIds")


@pytest.mark.shows("rule-5")
@pytest.mark.parametrize("path", [SERVICES, SERVICES_ESTIMATE])
@pytest.mark.parametrize("plans", [None, [KIDS, LEGACY], [LEGACY, KIDS, GOSPEL], [GOSPEL, LEGACY]])
def test_an_impossible_plan_selection_is_refused(alice: Browser, path: str, plans: list[str] | None) -> None:
    """No plan, two plans of one service, or a plan that is not on sale."""
    assert_refused(alice.post(path, {"planIds": plans} if plans else {}), "planIds")


@pytest.mark.shows("security-32")
@pytest.mark.parametrize("quote", BAD_QUOTES)
@pytest.mark.parametrize("path", [SERVICES, UPGRADE, DOWNGRADE, REDEEM, CLAIM, "/api/account/resume"])
def test_an_invalid_quote_is_refused(alice: Browser, path: str, quote: Any) -> None:
    body = json.dumps({"planIds": [GOSPEL], "quote": quote})
    assert_refused(alice.post(path, body, content_type="application/json"), "quote")


@pytest.mark.parametrize("value", ["", " ", "x" * 101, "a\x00b", "\ud800", None, {}, [], ["x"], True, 7])
@pytest.mark.parametrize("field", ["token", "firstName", "billingState", "billingZip"])
def test_an_invalid_card_field_is_refused(alice: Browser, field: str, value: Any) -> None:
    card = {"token": "t", "firstName": "A", "lastName": "", "billingState": "Ohio", "billingZip": "43004"}
    body = {"operationType": "ADD", "paymentsource": "CARD", **card, field: value}
    assert_refused(alice.post(PAYMENT_METHODS, json.dumps(body), content_type="application/json"), field)


@pytest.mark.parametrize("quote", BAD_QUOTES)
def test_an_invalid_quote_for_the_amount_due_is_refused(alice: Browser, quote: Any) -> None:
    body = {"operationType": "ADD", "paymentsource": "PAYPAL", "token": "t", "quote": quote}
    assert_refused(alice.post(PAYMENT_METHODS, json.dumps(body), content_type="application/json"), "quote")


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize("body", ["{", "nonsense", '{"subscriptionId": [}', '{"a": NaN}', "[" * 100_000])
def test_malformed_json_is_refused(alice: Browser, path: str, body: str) -> None:
    response = alice.post(path, body, content_type="application/json")
    assert (response.status_code, response.json()["code"]) == (400, "validation_error")
    assert not Command.objects.exists()


def test_a_field_sent_in_two_spellings_is_refused(alice: Browser) -> None:
    response = alice.post(PAUSE_SOME, {"subscriptionId": ["own"], "subscription_id": ["also"]})
    assert (response.status_code, response.json()["code"]) == (400, "validation_error")


@pytest.mark.parametrize("body", ["[]", '"own"', "7", "null"])
def test_a_body_that_is_not_an_object_is_refused(alice: Browser, body: str) -> None:
    response = alice.post(PAUSE_SOME, body, content_type="application/json")
    assert (response.status_code, response.json()["code"]) == (400, "validation_error")


@pytest.mark.shows("security-27")
@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_a_body_that_is_not_json_is_refused(alice: Browser, path: str, content_type: str) -> None:
    response = alice.post(path, "subscriptionId=own", content_type=content_type)
    assert (response.status_code, response.json()["code"]) == (415, "unsupported_media_type")
    assert not Command.objects.exists()


@pytest.mark.shows("security-32")
@pytest.mark.parametrize("path", POSTS)
def test_a_body_of_a_megabyte_is_refused(alice: Browser, path: str) -> None:
    response = alice.post(path, {"subscriptionId": ["x" * 1_000_000]})
    assert response.status_code == 413
    assert not Command.objects.exists()


@pytest.mark.parametrize("path", POSTS)
def test_a_get_request_cannot_make_a_change(alice: Browser, path: str) -> None:
    response = alice.get(path)
    assert (response.status_code, response.json()["code"]) == (405, "method_not_allowed")


@pytest.mark.parametrize("key", ["", "x" * 101, "naïve", "a\x01b"])
def test_a_malformed_key_is_refused(alice: Browser, key: str) -> None:
    assert_refused(alice.post("/api/account/pause?days=30", headers={"Idempotency-Key": key}), "Idempotency-Key")
    assert not IdempotentRequest.objects.exists()
