"""The official Node SDK takes the walk and reads the same answers as the Python SDK."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

import httpx
import pytest

from chargebee_sandbox.tests.support import operation_walk
from chargebee_sandbox.tests.support.http_caller import built_operations
from chargebee_sandbox.tests.support.operation_walk import DECLINING_CARD, GENESIS
from chargebee_sandbox.tests.support.sdk_callers import PythonSdk, SdkCaller, run_node_sdk

CARD = {"number": DECLINING_CARD, "expiry_month": 8, "expiry_year": 2032, "cvv": "123"}
REFUSALS: list[tuple[str, str, dict[str, object], int, str | None]] = [
    ("customer.retrieve", "nobody", {}, 404, "resource_not_found"),
    ("customer.create", "", {"id": "alice"}, 400, "duplicate_entry"),
    ("customer.update", "alice", {"surprise": "1"}, 400, "param_wrong_value"),
    ("customer.list", "", {"limit": 101}, 400, "param_wrong_value"),
    ("customer.list", "", {"offset": "nonsense"}, 400, "param_wrong_value"),
    ("subscription.resume", "bobs", {}, 409, "invalid_state_for_request"),
    (
        "payment_source.create_card",
        "",
        {"customer_id": "alice", "card": {**CARD, "number": "4119862760338320"}},
        400,
        "payment_method_verification_failed",
    ),
    (
        "subscription.create_with_items",
        "alice",
        {"subscription_items": [{"item_price_id": "nothing"}]},
        404,
        "resource_not_found",
    ),
]
FILTERS: list[tuple[str, dict[str, object], int]] = [
    ("customer.list", {"id": {"in": ["alice", "bob"]}}, 2),
    ("customer.list", {"id": {"not_in": ["alice", "bob"]}}, 3),
    ("customer.list", {"email": {"starts_with": "al"}}, 1),
    ("customer.list", {"phone": {"is_present": True}}, 1),
    ("customer.list", {"created_at": {"between": [GENESIS - 1, GENESIS + 3600]}}, 4),
    ("customer.list", {"created_at": {"before": GENESIS}}, 0),
    ("item.list", {"status": {"in": ["archived"]}}, 1),
    ("item_price.list", {"period_unit": {"is": "year"}}, 1),
    ("subscription.list", {"id": {"is": "bobs"}, "status": {"is_not": "active"}}, 1),
    ("invoice.list", {"total": {"gte": 6999}, "sort_by": {"asc": "date"}}, 2),
]
SHOWN_TWICE = {"chargebee-idempotency-key": "shown-twice"}


@dataclass
class Walkers:
    """Both SDKs after their walks, with the answers they recorded."""

    python: SdkCaller
    node: SdkCaller


@pytest.fixture(scope="module")
def walkers(
    run_sandbox: Callable[..., AbstractContextManager[Any]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Walkers]:
    with (
        run_sandbox(tmp_path_factory.mktemp("node")) as sandbox,
        httpx.Client(base_url=f"{sandbox.endpoint}/", auth=(sandbox.api_key, ""), timeout=30) as http,
        run_node_sdk(http, sandbox.endpoint, sandbox.api_key) as node,
    ):
        python = PythonSdk(http, client=sandbox.client())
        # One after the other: each starts the site afresh.
        call_everything(python)
        call_everything(node)
        yield Walkers(python, node)


def call_everything(caller: SdkCaller) -> None:
    operation_walk.walk_every_operation(caller)
    for name, handle, params, _status, _code in REFUSALS:
        caller.ask_sdk(name, handle, params)
    for name, filters, _entries in FILTERS:
        caller.ask_sdk(name, params=filters)
    page: dict[str, object] = {"limit": 30, "sort_by": {"asc": "occurred_at"}}
    while offset := caller.ask_sdk("event.list", params=page).body.get("next_offset"):
        page = {**page, "offset": offset}
    for option in ("end_of_term", "end_of_term", "immediately"):
        caller.ask_sdk("subscription.pause", "bobs-again", {"pause_option": option}, SHOWN_TWICE)


MOST_SECONDS_APART = 300
RANDOM = re.compile(r"[A-Za-z0-9]{16}|\b\d{10}\b|\b\d{13}\b")


@dataclass
class Comparison:
    """A comparison of two walks, in which random ids correspond to each other and instants may differ a little."""

    twins: dict[str, str] = field(default_factory=dict)

    def find_differences(self, left: Any, right: Any, where: str) -> list[str]:
        match left, right:
            case dict(), dict():
                names = {**left, **right}
                pairs = [(f"{where}.{name}", left.get(name), right.get(name)) for name in names]
            case str(), str() if where.endswith(".next_offset"):
                return []  # Opaque to clients; a wrong offset would show in the next page.
            case list(), list():
                pairs = [(f"{where}[]", *pair) for pair in zip_longest(left, right)]
            case _:
                return [] if self._are_alike(left, right) else [f"{where}: {left!r} is not {right!r}"]
        return [
            difference
            for place, left_part, right_part in pairs
            for difference in self.find_differences(left_part, right_part, place)
        ]

    def _are_alike(self, left: Any, right: Any) -> bool:
        if isinstance(left, str) and isinstance(right, str):
            drawn = zip(RANDOM.findall(left), RANDOM.findall(right), strict=False)
            return RANDOM.sub("", left) == RANDOM.sub("", right) and all(self._are_twins(*pair) for pair in drawn)
        numbers = not isinstance(left, bool) and isinstance(left, (int, float))
        # JavaScript has one kind of number: to it a rate of 1.0 is 1.
        if numbers and isinstance(right, (int, float)) and not isinstance(right, bool):
            return left == right or self._same_moment(left, right)
        return type(left) is type(right) and bool(left == right)

    def _are_twins(self, left: str, right: str) -> bool:
        if left.isdecimal() and right.isdecimal():
            return self._same_moment(int(left), int(right))
        return self.twins.setdefault(left, right) == right

    def _same_moment(self, left: float, right: float) -> bool:
        unit = 1000 if left > 1000 * GENESIS else 1
        return min(left, right) >= GENESIS * unit and abs(left - right) <= MOST_SECONDS_APART * unit


def settled_answers(caller: SdkCaller) -> list[tuple[str, dict[str, Any]]]:
    """Return the recorded answers in order, without those of a journey in progress."""
    return [
        (name, vars(answer))
        for name, answer in caller.recorded
        if answer.body.get("time_machine", {}).get("time_travel_status") != "in_progress"
        or name != "time_machine.retrieve"
    ]


def test_the_node_sdk_calls_every_operation(walkers: Walkers) -> None:
    called = {name for name, answer in walkers.node.recorded if answer.status == 200}
    assert called | {name for name, _refusal in walkers.node.refusals} == set(built_operations())


def test_both_sdks_read_the_same_answers(walkers: Walkers) -> None:
    python, node = settled_answers(walkers.python), settled_answers(walkers.node)
    comparison = Comparison()

    assert [name for name, _answer in node] == [name for name, _answer in python]
    differences = [
        difference
        for (name, left), (_name, right) in zip(python, node, strict=True)
        for difference in comparison.find_differences(left, right, name)
    ]
    assert differences == []
    assert len(set(comparison.twins.values())) == len(comparison.twins) > 50


def test_the_node_sdk_handles_errors_filters_and_replays(walkers: Walkers) -> None:
    walked = len(walkers.node.refusals)
    refusals = [(name, answer) for name, answer in walkers.node.recorded if answer.status != 200]
    refusals = refusals[walked : walked + len(REFUSALS)]
    after = walkers.node.recorded.index(refusals[-1]) + 1

    refused = [(name, answer.status, answer.body["api_error_code"]) for name, answer in refusals]
    assert refused == [(name, status, code) for name, _handle, _params, status, code in REFUSALS]
    filtered = [
        (name, len(answer.body["list"])) for name, answer in walkers.node.recorded[after : after + len(FILTERS)]
    ]
    assert filtered == [(name, entries) for name, _filters, entries in FILTERS]
    paused = [answer for _name, answer in walkers.node.recorded[-3:]]
    assert [(answer.status, answer.replayed) for answer in paused] == [
        (200, False),
        (200, True),
        (422, False),
    ]
