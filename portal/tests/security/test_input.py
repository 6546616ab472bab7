"""The fields that the API accepts, their limits, and unexpected fields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from drf_spectacular.generators import SchemaGenerator

from billing.models import PauseSchedule, PaymentSource, Subscription
from billing.tests.api.browser import Browser
from billing.tests.api.synced_provider import SyncedProvider
from billing.tests.support.live_provider import FAITH, GOSPEL, Provider
from conftest import Sandbox

pytestmark = pytest.mark.django_db

# Compared with a tag of ours, and never kept or refused: the server's limit of a header's length serves.
ETAG_HEADER = "If-None-Match"
# Every other field and header that a request may contain. None is an owner, a state or a permission. The amount is
# what the subscriber expects to authorize: it is refused unless it is what the provider will charge.
ACCEPTED_NAMES = {
    "Idempotency-Key",
    "amount",
    "bday",
    "billingState",
    "billingZip",
    "bmonth",
    "branding",
    "challengeId",
    "currencyCode",
    "customerId",
    "dailyUsage",
    "days",
    "email",
    "firstName",
    "lastName",
    "limit",
    "newsLetter",
    "offer",
    "offset",
    "operationType",
    "otp",
    "paymentIntents",
    "paymentSourceId",
    "paymentsource",
    "periodUnit",
    "planIds",
    "promotions",
    "quote",
    "reason",
    "satisfactionLevel",
    "streaming",
    "subscriptionId",
    "subscriptionIds",
    "token",
}
MALLORY = "mallory@example.com"
UNEXPECTED_FIELDS: dict[str, Any] = {
    "accountId": 1,
    "amount": 1,
    "customerId": "mallory",
    "email": MALLORY,
    "isActive": False,
    "isStaff": True,
    "isSuperuser": True,
    "owner": MALLORY,
    "price": 1,
    "status": "mallory",
    "total": 1,
    "user": {"email": MALLORY, "isStaff": True},
}
# Every POST of the API, in an order in which most of them succeed for one subscriber.
CHANGES: list[tuple[str, dict[str, Any]]] = [
    ("/api/account/profile/update", {"firstName": "Ann", "lastName": "Example", "bmonth": 2, "bday": 3}),
    (
        "/api/account/communicationPreferences",
        {"newsLetter": True, "streaming": False, "promotions": True, "branding": False},
    ),
    ("/api/account/add-remove-service/estimate", {"planIds": [FAITH, GOSPEL]}),
    ("/api/account/add-remove-service", {"planIds": [FAITH, GOSPEL]}),
    ("/api/account/add-coupon/SAVE20", {}),
    ("/api/account/claim-my-offer", {}),
    ("/api/account/upgrade", {"planIds": [FAITH]}),
    ("/api/account/downgrade", {"planIds": [FAITH]}),
    ("/api/account/subscription/remove-scheduled-change", {"subscriptionId": ["{plan}"]}),
    ("/api/account/subscriptions/multiple-pause", {"subscriptionId": ["{plan}"]}),
    ("/api/account/subscription/remove-scheduled-pause", {"subscriptionId": ["{plan}"]}),
    ("/api/account/pause?days=30", {}),
    ("/api/account/remove-scheduled-pause", {}),
    ("/api/account/resume", {}),
    ("/api/account/subscriptions/cancel", {"subscriptionIds": ["{plan}"]}),
    ("/api/account/subscription/remove-scheduled-cancellation", {"subscriptionId": ["{plan}"]}),
    ("/api/payments/paymentToken", {}),
    ("/api/payments/updatePaymentSources", {"operationType": "SETPRIMARY", "paymentSourceId": "{card}"}),
    ("/api/account/sessions/revoke-others", {}),
    ("/api/account/others/switch", {"customerId": "{customer}"}),
    ("/api/account/cancel", {}),
    ("/api/auth/verify-otp", {"email": "{email}", "otp": "000000"}),
    ("/api/auth/send-otp", {"email": "{email}"}),
    ("/api/auth/logout", {}),
]


def read_document() -> dict[str, Any]:
    found: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return found


def accepted_inputs() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name and the schema of every query parameter and body property."""
    document = read_document()
    for operations in document["paths"].values():
        for operation in operations.values():
            for parameter in operation.get("parameters", []):
                if parameter["in"] != "path":
                    yield parameter["name"], parameter["schema"]
            content = operation.get("requestBody", {}).get("content", {})
            for body in content.values():
                name = body["schema"]["$ref"].rsplit("/", 1)[-1]
                yield from document["components"]["schemas"][name]["properties"].items()


def is_bounded(schema: dict[str, Any]) -> bool:
    """Return whether the schema limits the size of a value."""
    if {"enum", "oneOf", "allOf", "$ref"} & schema.keys():
        return True  # one of a few values
    match schema["type"]:
        case "string":
            return "maxLength" in schema or schema.get("format") == "uuid"
        case "integer":
            return {"minimum", "maximum"} <= schema.keys()
        case "array":
            return "maxItems" in schema and is_bounded(schema["items"])
    return bool(schema["type"] == "boolean")


@pytest.mark.shows("security-32")
def test_every_accepted_value_has_limits() -> None:
    values = list(accepted_inputs())
    assert {name for name, _ in values} == {*ACCEPTED_NAMES, ETAG_HEADER}
    assert [(name, schema) for name, schema in values if not is_bounded(schema) and name != ETAG_HEADER] == []


@pytest.fixture
def shop(db: None, sandbox: Sandbox) -> SyncedProvider:
    provider = Provider(sandbox=sandbox, sdk=sandbox.client())
    provider.open_shop()
    opened = SyncedProvider(provider)
    opened.coupon("SAVE20", percent=20)
    opened.offer_free_month()
    return opened


def make_every_change(shop: SyncedProvider, name: str, **unexpected_fields: Any) -> list[Any]:
    """Make every change for a subscriber, with these extra fields in each request; return statuses and totals."""
    account = shop.provider.subscriber(name, FAITH)
    browser = Browser(account)
    placeholders = {
        "plan": str(Subscription.objects.get(customer__account=account).provider_id),
        "card": str(PaymentSource.objects.get(customer__account=account).provider_id),
        "email": account.email,
        "customer": name,
    }
    answers = []
    for path, body in CHANGES:
        sent = {key: _fill_placeholders(value, placeholders) for key, value in body.items()}
        answers.append((path, browser.post(path, {**unexpected_fields, **sent}).status_code))
    account.refresh_from_db()
    user = account.user
    assert (account.email, user.is_staff, user.is_superuser, user.is_active) == (
        f"{name}@example.com",
        False,
        False,
        True,
    )
    return [*answers, sorted(bill["total"] for bill in shop.invoices(name))]


def _fill_placeholders(value: Any, placeholders: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [_fill_placeholders(item, placeholders) for item in value]
    return value.format(**placeholders) if isinstance(value, str) else value


@pytest.mark.shows("security-31")
def test_unexpected_fields_change_nothing(shop: SyncedProvider) -> None:
    plain = make_every_change(shop, "ann")
    assert make_every_change(shop, "ben", **UNEXPECTED_FIELDS) == plain
    assert sum(status == 200 for _, status in plain[:-1]) > 12
    stored = [str(row) for model in apps.get_models() for row in model._default_manager.values()]
    held = [str(entry.customer.raw_data) for entry in shop.client.Customer.list({"limit": 100}).list]
    held += [str(entry.subscription.raw_data) for entry in shop.client.Subscription.list({"limit": 100}).list]
    assert [text for text in (*stored, *held) if "mallory" in text] == []


def test_the_changes_include_every_post_of_the_api() -> None:
    made = [path.partition("?")[0].replace("SAVE20", "{code}") for path, _ in CHANGES]
    assert sorted(made) == sorted(path for path, methods in read_document()["paths"].items() if "post" in methods)


@pytest.mark.shows("security-30")
def test_a_repeated_id_is_used_once(shop: SyncedProvider) -> None:
    browser = Browser(shop.provider.subscriber("ann", FAITH))
    plan = str(Subscription.objects.get().provider_id)
    answer = browser.post("/api/account/subscriptions/multiple-pause", {"subscriptionId": [plan, plan]})
    assert answer.status_code == 200
    assert PauseSchedule.objects.count() == 1
    assert len(re.findall(plan, str(answer.json()["plans"]))) == 1
