"""The official SDK's typed responses read every attribute of the sandbox's answers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, get_origin, get_type_hints

import httpx
import pytest
from chargebee import Chargebee
from chargebee.model import Model

from chargebee_sandbox.tests.support import operation_walk
from chargebee_sandbox.tests.support.http_caller import HttpCaller

LISTS = [
    ("Coupon", "coupon"),
    ("CouponCode", "coupon_code"),
    ("Customer", "customer"),
    ("Event", "event"),
    ("Invoice", "invoice"),
    ("Item", "item"),
    ("ItemFamily", "item_family"),
    ("ItemPrice", "item_price"),
    ("PaymentSource", "payment_source"),
    ("PromotionalCredit", "promotional_credit"),
    ("Subscription", "subscription"),
    ("Transaction", "transaction"),
    ("UnbilledCharge", "unbilled_charge"),
]


# Attributes that the SDK's types leave out: most types lack `object`, and those of invoices and transactions lack the
# currency of the site, which the published schemas declare.
UNTYPED_ATTRIBUTES = {"object", "base_currency_code"}


@pytest.fixture(scope="module")
def client(
    run_sandbox: Callable[..., AbstractContextManager[Any]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Chargebee]:
    with (
        run_sandbox(tmp_path_factory.mktemp("typed")) as sandbox,
        httpx.Client(base_url=f"{sandbox.endpoint}/", auth=(sandbox.api_key, ""), timeout=30) as http,
    ):
        operation_walk.walk_every_operation(HttpCaller(http))
        yield sandbox.client()


def find_misreadings(model: Model, where: str = "") -> list[str]:
    """Return the attributes that the SDK's type does not declare, declares as another type, or reads otherwise."""
    hints = get_type_hints(type(model))
    declared = {field.name for field in dataclasses.fields(type(model))}
    undeclared = [
        f"{where}.{name} is undeclared" for name in model.raw_data if name not in declared | UNTYPED_ATTRIBUTES
    ]
    declared_values = {name: raw for name, raw in model.raw_data.items() if name in declared}
    wrong = [
        fault
        for name, raw in declared_values.items()
        for fault in _field_misreadings(model, name, raw, hints[name], where)
    ]
    return undeclared + wrong


def _field_misreadings(model: Model, name: str, raw: Any, hint: Any, where: str) -> list[str]:
    place, value = f"{where}.{name}", getattr(model, name)
    match value:
        case Model():
            return find_misreadings(value, place)
        case [Model(), *_]:
            return [fault for item in value for fault in find_misreadings(item, f"{place}[]")]
        case _:
            expected = get_origin(hint) or hint
            fits = expected in (Any, None) or isinstance(raw, _accepted_types(expected))
            return [] if value == raw and fits else [f"{place}: {raw!r} is no {expected.__name__}"]


def _accepted_types(expected: type) -> tuple[type, ...]:
    # JSON has one kind of number: a rate of 1 is a float to the SDK. The word "true" is never a number.
    kinds: dict[type, tuple[type, ...]] = {float: (float, int)}
    return kinds.get(expected, (expected,))


def entry_models(entry: Any) -> list[tuple[str, Model]]:
    """Return the typed resources of an entry or answer."""
    return [(name, value) for name, value in vars(entry).items() if isinstance(value, Model)]


@pytest.mark.parametrize(("resource", "key"), LISTS)
def test_the_sdk_reads_every_field_of_every_resource(client: Chargebee, resource: str, key: str) -> None:
    answer = getattr(client, resource).list({"limit": 100})

    entries = [entry_models(entry) for entry in answer.list]

    assert all(key in dict(entry) for entry in entries)
    assert (
        sorted({fault for entry in entries for name, model in entry for fault in find_misreadings(model, name)}) == []
    )


@pytest.mark.parametrize("estimate", ["pause_subscription", "resume_subscription", "renewal_estimate"])
def test_the_sdk_reads_every_field_of_an_estimate(client: Chargebee, estimate: str) -> None:
    subscription = client.Subscription.list({"status": {"is": "active"}}).list[0].subscription
    ready = {"resume_subscription": client.Subscription.pause}.get(estimate, client.Subscription.retrieve)
    ready(subscription.id)

    answer = getattr(client.Estimate, estimate)(subscription.id)

    assert find_misreadings(answer.estimate, "estimate") == []
    assert answer.estimate.subscription_estimate.id == subscription.id


def test_the_sdk_reads_the_time_machine(client: Chargebee) -> None:
    machine = client.TimeMachine.retrieve("delorean").time_machine

    assert find_misreadings(machine, "time_machine") == []


def test_the_sdk_reads_the_configuration(client: Chargebee) -> None:
    [configuration] = client.Configuration.list().configurations

    assert find_misreadings(configuration, "configuration") == []
    assert (configuration.domain, configuration.product_catalog_version) == ("portal-test", "v2")


def test_the_sdk_reads_every_field_of_a_payment_intent(client: Chargebee) -> None:
    entries = client.Event.list({"event_type": {"is": "payment_intent_updated"}, "limit": 100}).list
    handles = {entry.event.content["payment_intent"]["id"] for entry in entries}

    intents = [client.PaymentIntent.retrieve(handle).payment_intent for handle in handles]

    assert {intent.status for intent in intents} == {"consumed", "expired"}
    assert [fault for intent in intents for fault in find_misreadings(intent, "payment_intent")] == []


def test_the_sdk_pages_through_a_list(client: Chargebee) -> None:
    seen: list[str] = []
    answer = client.Event.list({"limit": 7, "sort_by": {"asc": "occurred_at"}})
    while answer.next_offset:
        seen += [entry.event.id for entry in answer.list]
        answer = client.Event.list({"limit": 7, "sort_by": {"asc": "occurred_at"}, "offset": answer.next_offset})
    seen += [entry.event.id for entry in answer.list]

    assert len(seen) == len(set(seen)) > 50
