"""The check against the published facts finds differences."""

from __future__ import annotations

from typing import Any

import pytest

from chargebee_sandbox.tests.support.published_facts import find_faults

SET = {
    "id": "ONCE",
    "coupon_id": "TEN",
    "name": "Once",
    "total_count": 2,
    "redeemed_count": 0,
    "archived_count": 0,
    "object": "coupon_set",
}
MACHINE = {
    "name": "delorean",
    "time_travel_status": "succeeded",
    "genesis_time": 1_773_144_000,
    "destination_time": 1_773_144_000,
}


def test_it_accepts_a_published_resource() -> None:
    assert find_faults("coupon_set", SET) == []
    assert find_faults("time_machine", MACHINE) == []


def test_it_finds_a_missing_attribute() -> None:
    body = {name: value for name, value in SET.items() if name != "coupon_id"}

    assert find_faults("coupon_set", body) == ["coupon_set.coupon_id is required"]


def test_it_finds_an_attribute_that_is_not_published() -> None:
    assert find_faults("coupon_set", {**SET, "color": "red"}) == ["coupon_set.color is not published"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("time_travel_status", "stuck"),
        ("name", 1),
        ("genesis_time", True),
        ("genesis_time", 1_773_144_000_000),
        ("destination_time", "1773144000"),
    ],
)
def test_it_finds_a_value_of_the_wrong_type(name: str, value: Any) -> None:
    (fault,) = find_faults("time_machine", {**MACHINE, name: value})

    assert fault.startswith(f"time_machine.{name}: ")


def test_it_checks_lists_and_nested_resources() -> None:
    estimate = {"status": "lost", "object": "subscription_estimate"}
    body = {"created_at": 1_773_144_000, "subscription_estimate": estimate, "credit_note_estimates": {}}

    faults = " ".join(find_faults("estimate", body))

    assert "subscription_estimate.status: 'lost'" in faults
    assert "estimate.credit_note_estimates: {} is not a list" in faults


def test_it_permits_additional_attributes_of_an_error() -> None:
    assert find_faults("error", {"message": "No", "api_error_code": "duplicate_entry", "color": "red"}) == []
