"""The sandbox's operations, answers, and events agree with what the provider publishes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import httpx
import pytest

from chargebee_sandbox.tests.support import operation_walk
from chargebee_sandbox.tests.support.http_caller import HttpCaller, built_operations
from chargebee_sandbox.tests.support.published_facts import (
    event_content_keys,
    find_faults,
    published_operations,
)

# The provider documents these operations too; the facts leave out those that only set up or describe a site.
SETUP_OPERATIONS = {
    "configuration.list",
    "coupon.create_for_items",
    "coupon.update_for_items",
    "coupon_set.add_coupon_codes",
    "coupon_set.create",
    "customer.delete",
    "customer.merge",
    "item.create",
    "item.update",
    "item_family.create",
    "item_price.create",
    "item_price.update",
}
PUBLISHED = [
    "attached_item.list",
    "card.retrieve",
    "coupon.list",
    "coupon.retrieve",
    "coupon_code.list",
    "coupon_code.retrieve",
    "coupon_set.list",
    "coupon_set.retrieve",
    "credit_note.create",
    "credit_note.list",
    "credit_note.pdf",
    "credit_note.record_refund",
    "credit_note.refund",
    "credit_note.retrieve",
    "credit_note.void_credit_note",
    "customer.assign_payment_role",
    "customer.collect_payment",
    "customer.create",
    "customer.list",
    "customer.retrieve",
    "customer.update",
    "customer.update_billing_info",
    "estimate.cancel_subscription_for_items",
    "estimate.create_sub_item_estimate",
    "estimate.create_sub_item_for_customer_estimate",
    "estimate.pause_subscription",
    "estimate.renewal_estimate",
    "estimate.resume_subscription",
    "estimate.upcoming_invoices_estimate",
    "estimate.update_subscription_for_items",
    "event.list",
    "event.retrieve",
    "invoice.collect_payment",
    "invoice.download_einvoice",
    "invoice.list",
    "invoice.pdf",
    "invoice.record_refund",
    "invoice.refund",
    "invoice.retrieve",
    "invoice.void_invoice",
    "item.list",
    "item.retrieve",
    "item_family.list",
    "item_family.retrieve",
    "item_price.list",
    "item_price.retrieve",
    "payment_intent.create",
    "payment_intent.retrieve",
    "payment_intent.update",
    "payment_source.create_card",
    "payment_source.create_using_payment_intent",
    "payment_source.create_using_permanent_token",
    "payment_source.create_using_temp_token",
    "payment_source.create_using_token",
    "payment_source.delete",
    "payment_source.list",
    "payment_source.retrieve",
    "payment_source.update_card",
    "promotional_credit.add",
    "promotional_credit.deduct",
    "promotional_credit.list",
    "promotional_credit.retrieve",
    "promotional_credit.set",
    "ramp.create_for_subscription",
    "ramp.delete",
    "ramp.list",
    "ramp.retrieve",
    "ramp.update",
    "subscription.cancel_for_items",
    "subscription.change_term_end",
    "subscription.charge_future_renewals",
    "subscription.create_with_items",
    "subscription.list",
    "subscription.list_discounts",
    "subscription.override_billing_profile",
    "subscription.pause",
    "subscription.reactivate",
    "subscription.remove_coupons",
    "subscription.remove_scheduled_cancellation",
    "subscription.remove_scheduled_changes",
    "subscription.remove_scheduled_pause",
    "subscription.remove_scheduled_resumption",
    "subscription.resume",
    "subscription.retrieve",
    "subscription.retrieve_with_scheduled_changes",
    "subscription.update_for_items",
    "time_machine.retrieve",
    "time_machine.start_afresh",
    "time_machine.travel_forward",
    "transaction.list",
    "transaction.retrieve",
    "unbilled_charge.list",
    "webhook_endpoint.create",
    "webhook_endpoint.delete",
    "webhook_endpoint.list",
    "webhook_endpoint.retrieve",
    "webhook_endpoint.update",
]
# Operations of features that the site has not enabled, which refuse.
REFUSED = {"invoice.download_einvoice", "subscription.charge_future_renewals"}
# What no site of this kind has: the lists are empty.
EMPTY = {"attached_item.list", "subscription.list_discounts"}
BUILT = sorted([*PUBLISHED, *SETUP_OPERATIONS])
LISTS = [name for name in PUBLISHED if name.endswith(".list")]


@pytest.fixture(scope="module")
def caller(
    run_sandbox: Callable[..., AbstractContextManager[Any]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[HttpCaller]:
    with (
        run_sandbox(tmp_path_factory.mktemp("conformance")) as sandbox,
        httpx.Client(base_url=f"{sandbox.endpoint}/", auth=(sandbox.api_key, ""), timeout=30) as http,
    ):
        caller = HttpCaller(http)
        operation_walk.walk_every_operation(caller)
        yield caller


@pytest.fixture(scope="module")
def events(caller: HttpCaller) -> list[dict[str, Any]]:
    return [entry["event"] for entry in caller.list_entries("event.list")]


def recorded_answers(caller: HttpCaller, name: str) -> list[dict[str, Any]]:
    return [answer for called, answer in caller.answers if called == name]


def answer_groups(name: str, answer: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the groups of resources in an answer: the entries of a list, or else the answer itself."""
    entries: list[dict[str, Any]] = answer.get("list", [answer])
    return entries


def group_resources(group: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return the resources of a group with their names; a plural key has several."""
    pairs: list[tuple[str, Any]] = []
    for key, value in group.items():
        if isinstance(value, list):
            pairs += [(key.removesuffix("s"), resource) for resource in value]
        else:
            pairs.append((key, value))
    return pairs


def find_nulls(value: Any, path: str = "") -> list[str]:
    """Return the paths of nulls inside an answer."""
    match value:
        case None:
            return [path]
        case dict():
            return [null for name, part in value.items() for null in find_nulls(part, f"{path}.{name}")]
        case list():
            return [null for part in value for null in find_nulls(part, f"{path}[]")]
        case _:
            return []


def test_the_walk_calls_every_operation(caller: HttpCaller) -> None:
    called = {name for name, _answer in [*caller.answers, *caller.refusals]}
    assert called == set(BUILT) == set(built_operations())
    assert {name for name, _answer in caller.refusals} == REFUSED
    assert [fault for _name, refusal in caller.refusals for fault in find_faults("error", refusal)] == []


@pytest.mark.parametrize("name", BUILT)
def test_an_unset_attribute_is_absent_and_never_null(caller: HttpCaller, name: str) -> None:
    assert [path for answer in recorded_answers(caller, name) for path in find_nulls(answer)] == []


@pytest.mark.parametrize("name", [name for name in BUILT if name not in {"configuration.list", *REFUSED, *EMPTY}])
def test_every_returned_resource_is_as_published(caller: HttpCaller, name: str) -> None:
    groups = [group for answer in recorded_answers(caller, name) for group in answer_groups(name, answer)]
    resources = [pair for group in groups for pair in group_resources(group) if pair[0] != "next_offset"]

    assert resources
    assert sorted({fault for kind, body in resources for fault in find_faults(kind, body)}) == []


@pytest.mark.parametrize("name", PUBLISHED)
def test_an_answer_contains_the_published_resources(caller: HttpCaller, name: str) -> None:
    expected = published_operations()[name].answer
    required = {key for key, is_required in expected.items() if is_required}

    for answer in recorded_answers(caller, name):
        for group in answer_groups(name, answer):
            assert required <= set(group) <= set(expected)


def test_every_event_is_as_published(events: list[dict[str, Any]]) -> None:
    assert sorted({fault for event in events for fault in find_faults("event", event)}) == []


def test_an_events_content_has_the_keys_of_its_type(events: list[dict[str, Any]]) -> None:
    unpublished_keys = {
        (event["event_type"], key)
        for event in events
        for key in set(event["content"]) - event_content_keys(event["event_type"])
    }

    assert unpublished_keys == set()


def test_every_resource_in_an_event_is_as_published(events: list[dict[str, Any]]) -> None:
    faults = {
        f"{event['event_type']}: {fault}"
        for event in events
        for key, body in group_resources(event["content"])
        for fault in find_faults(key, body)
    }

    assert sorted(faults) == []


def test_the_walk_causes_every_event_of_the_main_operations(events: list[dict[str, Any]]) -> None:
    assert {event["event_type"] for event in events} >= {
        "card_added",
        "card_deleted",
        "card_updated",
        "coupon_updated",
        "credit_note_created",
        "credit_note_updated",
        "customer_changed",
        "customer_created",
        "dunning_updated",
        "invoice_generated",
        "invoice_updated",
        "payment_failed",
        "payment_intent_created",
        "payment_intent_updated",
        "payment_refunded",
        "payment_source_added",
        "payment_source_deleted",
        "payment_source_updated",
        "payment_succeeded",
        "promotional_credits_added",
        "promotional_credits_deducted",
        "subscription_activated",
        "subscription_cancellation_scheduled",
        "subscription_cancelled",
        "subscription_changed",
        "subscription_changes_scheduled",
        "subscription_created",
        "subscription_pause_scheduled",
        "subscription_paused",
        "subscription_renewed",
        "subscription_resumed",
        "subscription_resumption_scheduled",
        "subscription_scheduled_cancellation_removed",
        "subscription_scheduled_changes_removed",
        "subscription_scheduled_pause_removed",
        "subscription_scheduled_resumption_removed",
        "subscription_started",
        "token_consumed",
        "token_created",
        "token_expired",
    }


@pytest.mark.parametrize("name", PUBLISHED)
def test_an_operation_has_the_published_path(name: str) -> None:
    built, published = built_operations()[name], published_operations()[name]

    assert f"{built.method} {built.path.replace('{handle}', '{id}')}" == published.call
    assert built.idempotent == published.idempotent


@pytest.mark.parametrize("name", [name for name in PUBLISHED if name not in LISTS])
def test_it_accepts_only_published_parameters(name: str) -> None:
    assert set(built_operations()[name].takes or ()) <= published_operations()[name].params


@pytest.mark.parametrize("name", LISTS)
def test_a_list_refuses_unpublished_filters_and_sorts(caller: HttpCaller, name: str) -> None:
    published = published_operations()[name]
    filters = {field for list_name in LISTS for field in published_operations()[list_name].params}
    sorts = {field for list_name in LISTS for field in published_operations()[list_name].sorts}
    unknown = [{field: {"is": "1"}} for field in filters - published.params]
    unsortable = [{"sort_by": {"asc": field}} for field in sorts - published.sorts]

    refused = [caller.send_request(name, "faith", params) for params in [*unknown, *unsortable]]

    assert {response.status_code for response in refused} == {400}


REQUIRED = [
    (
        "payment_source.create_card",
        {"customer_id": "alice", "card": {"number": "4111111111111111", "expiry_month": 1}},
    ),
    (
        "payment_source.create_card",
        {"card": {"number": "4111111111111111", "expiry_month": 1, "expiry_year": 2030}},
    ),
    (
        "payment_source.create_using_permanent_token",
        {"type": "paypal_express_checkout", "reference_id": "B-1"},
    ),
    ("payment_source.create_using_permanent_token", {"customer_id": "alice", "reference_id": "B-1"}),
    ("payment_source.create_using_token", {"customer_id": "alice"}),
    ("payment_source.create_using_token", {"token_id": "cb_token_1"}),
    ("payment_source.create_using_payment_intent", {"customer_id": "alice"}),
    ("payment_intent.create", {"amount": 100}),
    ("payment_intent.create", {"currency_code": "USD"}),
    ("customer.assign_payment_role", {"role": "primary"}),
    ("subscription.create_with_items", {}),
    ("subscription.create_with_items", {"subscription_items": [{"quantity": 1}]}),
    ("time_machine.travel_forward", {}),
]


@pytest.mark.parametrize(("name", "params"), REQUIRED)
def test_a_required_parameter_is_required(caller: HttpCaller, name: str, params: dict[str, object]) -> None:
    handle = {"time_machine.travel_forward": "delorean"}.get(name, "alice")

    response = caller.send_request(name, handle, params)

    assert response.status_code == 400
    assert response.json()["api_error_code"] == "param_wrong_value"
    assert response.json()["type"] == "invalid_request"


@pytest.mark.parametrize("name", [name for name in BUILT if name.split(".")[1] not in ("list", "retrieve")])
def test_an_unknown_parameter_is_refused_by_name(caller: HttpCaller, name: str) -> None:
    response = caller.send_request(name, "nothing", {"surprise": "1"})

    assert response.status_code == 400
    assert response.json()["param"] == "surprise"


NESTED = [
    ("customer.create", "", {"billing_address": {"surprise": "1"}}, "billing_address[surprise]"),
    ("payment_source.create_card", "", {"customer_id": "alice", "card": {"surprise": "1"}}, "card[surprise]"),
    (
        "subscription.create_with_items",
        "alice",
        {"subscription_items": [{"surprise": "1"}]},
        "subscription_items",
    ),
    ("estimate.pause_subscription", "carols", {"subscription": {"surprise": "1"}}, "subscription[surprise]"),
]


@pytest.mark.parametrize(("name", "handle", "params", "path"), NESTED)
def test_an_unknown_part_of_a_parameter_is_refused_by_name(
    caller: HttpCaller, name: str, handle: str, params: dict[str, object], path: str
) -> None:
    response = caller.send_request(name, handle, params)

    assert response.status_code == 400
    assert response.json()["param"].startswith(path)


REFUSED_CARD = {"number": "4119862760338320", "expiry_month": 8, "expiry_year": 2032}


@pytest.mark.parametrize(
    ("name", "handle", "params", "status"),
    [
        ("customer.retrieve", "nobody", {}, 404),
        ("customer.create", "", {"id": "alice"}, 400),
        ("customer.list", "", {"limit": 101}, 400),
        ("customer.list", "", {"offset": "nonsense"}, 400),
        ("subscription.resume", "bobs", {}, 409),
        ("subscription.cancel_for_items", "bobs", {}, 409),
        ("payment_source.create_card", "", {"customer_id": "alice", "card": REFUSED_CARD}, 400),
    ],
)
def test_an_error_is_as_published(
    caller: HttpCaller, name: str, handle: str, params: dict[str, object], status: int
) -> None:
    response = caller.send_request(name, handle, params)

    assert response.status_code == status
    assert find_faults("error", response.json()) == []
    assert response.json()["http_status_code"] == status
