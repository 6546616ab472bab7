"""Whatever is sent, well-formed or not: the answer is one that the OpenAPI document describes, and never a failure.

A subscriber with something of everything sends what Schemathesis makes of the document: requests that it allows, and
requests that are wrong in one place. Short and always the same in the ordinary suite. For a long search set
`LONG_REQUESTS` to how many requests of either kind to make up for each operation (300 take about ten minutes) and, for
other ones than last time, `REQUESTS_SEED` to any number.
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

LONG = int(os.environ.get("LONG_REQUESTS", "0"))
SEED = int(os.environ.get("REQUESTS_SEED", "0"))
# A partial success and a provider that is away are documented answers; 500 is one that nobody may ever see.
EXPECTED = ["2xx", "4xx", "502", "503"]
REFUSALS = ["400", "404", "405", "413", "415"]
WHAT_HOLDS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
    checks.unsupported_method,
]
CONFIG = SchemathesisConfig.from_dict(
    {
        "seed": SEED,
        "base-url": "http://testserver",
        "suppress-health-check": ["all"],
        "phases": {"coverage": {"unexpected-methods": ["PUT", "TRACE"]}},
        "generation": {
            "max-examples": LONG or 5,
            "deterministic": not LONG,
            "database": "none",
            "with-security-parameters": False,
        },
        "checks": {
            "not_a_server_error": {"expected-statuses": EXPECTED},
            "negative_data_rejection": {"expected-statuses": REFUSALS},
        },
    }
)
document = schemathesis.openapi.from_dict(SchemaGenerator().get_schema(request=None, public=True), config=CONFIG)
document.app = get_wsgi_application()
# Looking needs no provider, unless it is at what something would cost.
looks = document.include(method="GET").exclude(path_regex="/estimate$")
others = document.exclude(
    lambda context: context.operation.method == "get" and "/estimate" not in context.operation.path
)


Request = schemathesis.Case[Any]


class Subscriber:
    """A signed-in subscriber who knows what is theirs."""

    def __init__(self, account: Account) -> None:
        _, self.token = SessionToken.objects.create(user=account.user)
        held = list(Subscription.objects.values_list("provider_id", flat=True))
        self.own: dict[str, list[str]] = {
            "subscriptionId": held,
            "subscriptionIds": held,
            "planIds": [FAITH, GOSPEL, KIDS],
            "paymentSourceId": list(PaymentSource.objects.values_list("provider_id", flat=True)),
            "number": list(Invoice.objects.values_list("provider_id", flat=True)),
            "code": ["SAVE20"],
        }
        self.turns = itertools.count()

    def send(self, case: Request) -> Any:
        """Send a request, every other one of what is allowed with the names of things that are there."""
        turn = next(self.turns)
        if case.meta and case.meta.generation.mode.is_positive and turn % 2 == 0:
            for part in (case.body, case.query, case.path_parameters):
                self._fill_identifier(part, turn // 2)
        with transaction.atomic():
            answer = case.call(headers={"Authorization": f"Bearer {self.token}"})
            # The next request finds the limits and the session as this one did; what was done at the provider stays.
            transaction.set_rollback(True)
        return answer

    def _fill_identifier(self, part: Any, turn: int) -> None:
        for name in self.own.keys() & part if isinstance(part, dict) else ():
            there = self.own[name]
            turned = [there[(turn + place) % len(there)] for place in range(len(there))]
            part[name] = turned[: len(part[name])] if isinstance(part[name], list) else turned[0]


@pytest.fixture(autouse=True)
def one_connection() -> Iterator[None]:
    """Let requests and the test share a connection, as Django's own client does: the test's is never committed."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def ava(shop: SyncedProvider) -> Subscriber:
    """Ava has three plans, one paused and one about to end, and two cards."""
    shop.coupon("SAVE20", percent=20)
    account = shop.provider.subscriber("ava", FAITH, GOSPEL, KIDS)
    shop.provider.add_card("ava", MASTERCARD)
    paused, ending = (shop.provider.subscription(account, plan).id for plan in (GOSPEL, KIDS))
    shop.client.Subscription.pause(paused, {"pause_option": "immediately"})
    shop.client.Subscription.cancel_for_items(ending, {"end_of_term": True})
    return Subscriber(shop.import_customer("ava"))


@pytest.fixture
def ben(catalogue: None, no_provider: None) -> Subscriber:
    """Ben as the portal remembers him, with nobody at the provider."""
    return Subscriber(open_account("ben", make_subscription("own", owner="ben"), make_invoice("17", owner="ben")))


@pytest.mark.shows("security-32")
@looks.parametrize()
def test_a_look_is_answered_as_documented(case: Request, ben: Subscriber) -> None:
    case.validate_response(ben.send(case), checks=WHAT_HOLDS)


@pytest.mark.shows("security-32")
@others.parametrize()
def test_a_change_is_answered_as_documented(case: Request, ava: Subscriber) -> None:
    case.validate_response(ava.send(case), checks=WHAT_HOLDS)


def valid_operations(some: BaseSchema) -> list[APIOperation[Any, Any, Any, Any]]:
    return [found.ok() for found in some.get_all_operations() if isinstance(found, Ok)]


def test_every_operation_is_tried() -> None:
    tried = {operation.label for kind in (looks, others) for operation in valid_operations(kind)}
    assert tried == {operation.label for operation in valid_operations(document)}
