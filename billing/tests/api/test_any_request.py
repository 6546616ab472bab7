"""Fuzz the API with Schemathesis: every response is documented, and none is a server error.

A subscriber with records of every kind, and a stranger without a session, send requests generated from the OpenAPI
document: valid ones, and ones that are invalid in one place. The ordinary suite sends few, always the same. For a long
search, set `LONG_REQUESTS` to the number of requests of each kind per operation (300 take about ten minutes), and
`REQUESTS_SEED` to another number for other requests.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from drf_spectacular.generators import SchemaGenerator
from schemathesis import APIOperation, BaseSchema
from schemathesis.checks import not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.core.result import Ok
from schemathesis.specs.openapi import checks

from accounts.models import Account, SessionToken
from billing.models import Invoice, PaymentSource, Subscription
from billing.tests.api.mirror_factory import make_invoice, make_subscription, open_account
from billing.tests.api.synced_provider import SyncedProvider
from billing.tests.support.live_provider import FAITH, GOSPEL, KIDS
from billing.tests.support.subscriber_wallet import MASTERCARD

pytestmark = pytest.mark.django_db

LONG_EXAMPLES = int(os.environ.get("LONG_REQUESTS", "0"))
SEED = int(os.environ.get("REQUESTS_SEED", "0"))
# Known to the client (304), a partial change (502) and an unavailable provider (503) are documented; 500 never is.
EXPECTED_STATUSES = ["2xx", "304", "4xx", "502", "503"]
REFUSAL_STATUSES = ["400", "404", "405", "413", "415"]
RESPONSE_CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
    checks.unsupported_method,
]
CONFIG: dict[str, Any] = {
    "seed": SEED,
    "base-url": "http://testserver",
    "suppress-health-check": ["all"],
    "phases": {"coverage": {"unexpected-methods": ["PUT", "TRACE"]}},
    "generation": {
        "max-examples": LONG_EXAMPLES or 5,
        "deterministic": not LONG_EXAMPLES,
        "database": "none",
        "with-security-parameters": False,
    },
    "checks": {
        "not_a_server_error": {"expected-statuses": EXPECTED_STATUSES},
        "negative_data_rejection": {"expected-statuses": REFUSAL_STATUSES},
    },
}


def load_document(**config: Any) -> BaseSchema:
    """Load the OpenAPI document, with more configuration."""
    schema = SchemaGenerator().get_schema(request=None, public=True)
    loaded = schemathesis.openapi.from_dict(schema, config=SchemathesisConfig.from_dict({**CONFIG, **config}))
    loaded.app = get_wsgi_application()
    return loaded


document = load_document()
# All that a stranger sends is refused alike, so that the ordinary suite need not cover each kind.
strangers_document = load_document(phases={"coverage": {"enabled": bool(LONG_EXAMPLES)}})
# Reads need no provider, except estimates.
reads = document.include(method="GET").exclude(path_regex="/estimate$")
other_operations = document.exclude(
    lambda context: context.operation.method == "get" and "/estimate" not in context.operation.path
)


Request = schemathesis.Case[Any]


def send_request(case: Request, authorization: str | None) -> Any:
    """Send a request, and take back what it stored: the next one finds the same limits and session."""
    with transaction.atomic():
        response = case.call(headers={} if authorization is None else {"Authorization": authorization})
        # What changed at the provider stays changed.
        transaction.set_rollback(True)
    return response


class Subscriber:
    """Sends generated requests as a signed-in subscriber, with the ids of their own records."""

    def __init__(self, account: Account) -> None:
        _, self.token = SessionToken.objects.create(user=account.user)
        subscription_ids = list(Subscription.objects.values_list("provider_id", flat=True))
        self.own: dict[str, list[str]] = {
            "subscriptionId": subscription_ids,
            "subscriptionIds": subscription_ids,
            "planIds": [FAITH, GOSPEL, KIDS],
            "paymentSourceId": list(PaymentSource.objects.values_list("provider_id", flat=True)),
            "number": list(Invoice.objects.values_list("provider_id", flat=True)),
            "code": ["SAVE20"],
        }
        self.turns = itertools.count()

    def send(self, case: Request) -> Any:
        """Send a request; put existing ids into every second valid one."""
        turn = next(self.turns)
        if case.meta and case.meta.generation.mode.is_positive and turn % 2 == 0:
            for part in (case.body, case.query, case.path_parameters):
                self._fill_identifier(part, turn // 2)
        return send_request(case, f"Bearer {self.token}")

    def _fill_identifier(self, part: Any, turn: int) -> None:
        for name in self.own.keys() & part if isinstance(part, dict) else ():
            ids = self.own[name]
            rotated = [ids[(turn + offset) % len(ids)] for offset in range(len(ids))]
            part[name] = rotated[: len(part[name])] if isinstance(part[name], list) else rotated[0]


class Stranger:
    """Sends generated requests without a session of today: none, a made-up one, one that was signed out."""

    def __init__(self, account: Account) -> None:
        session, ended = SessionToken.objects.create(user=account.user)
        session.delete()
        made_up = ("", "Bearer", "Bearer é", f"Bearer {ended[::-1]}", f"Basic {ended}", f"bearer {ended} {ended}")
        self.turns = itertools.cycle([None, f"Bearer {ended}", *made_up])

    def send(self, case: Request) -> Any:
        """Send a request with the next of them."""
        return send_request(case, next(self.turns))


@pytest.fixture(autouse=True)
def share_connection() -> Iterator[None]:
    """Share the test's connection with requests, as Django's test client does: its transaction is never committed."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def ava(shop: SyncedProvider) -> Subscriber:
    """Return Ava, who has three plans, one paused and one non-renewing, and two cards."""
    shop.coupon("SAVE20", percent=20)
    account = shop.provider.subscriber("ava", FAITH, GOSPEL, KIDS)
    shop.provider.add_card("ava", MASTERCARD)
    paused, ending = (shop.provider.subscription(account, plan).id for plan in (GOSPEL, KIDS))
    shop.client.Subscription.pause(paused, {"pause_option": "immediately"})
    shop.client.Subscription.cancel_for_items(ending, {"end_of_term": True})
    return Subscriber(shop.import_customer("ava"))


@pytest.fixture
def ben(catalog: None, no_provider: None) -> Subscriber:
    """Return Ben, who has a mirrored subscription and an invoice; the provider is unreachable."""
    return Subscriber(open_account("ben", make_subscription("own", owner="ben"), make_invoice("17", owner="ben")))


@pytest.fixture
def stranger(ben: Subscriber) -> Stranger:
    """Return somebody without a session of ben's account; the provider is unreachable."""
    return Stranger(Account.objects.get())


@pytest.mark.shows("security-32")
@reads.parametrize()
def test_a_read_gets_a_documented_response(case: Request, ben: Subscriber) -> None:
    case.validate_response(ben.send(case), checks=RESPONSE_CHECKS)


@pytest.mark.shows("security-32")
@other_operations.parametrize()
def test_a_change_gets_a_documented_response(case: Request, ava: Subscriber) -> None:
    case.validate_response(ava.send(case), checks=RESPONSE_CHECKS)


@pytest.mark.shows("security-32")
@strangers_document.parametrize()
def test_a_stranger_gets_a_documented_refusal(case: Request, stranger: Stranger) -> None:
    response = stranger.send(case)
    # A stranger is refused before anybody looks whether the content is valid.
    case.validate_response(response, checks=RESPONSE_CHECKS, excluded_checks=[checks.negative_data_rejection])
    if case.operation.definition.raw.get("security") == [{"bearer": []}]:
        # 404 where a generated path is none of ours.
        assert response.status_code in ((401, 404, 405) if case.path_parameters else (401, 405))


def valid_operations(schema: BaseSchema) -> list[APIOperation[Any, Any, Any, Any]]:
    return [result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)]


def test_every_operation_is_fuzzed() -> None:
    fuzzed = {operation.label for schema in (reads, other_operations) for operation in valid_operations(schema)}
    assert fuzzed == {operation.label for operation in valid_operations(document)}
