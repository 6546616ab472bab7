"""When a worker's pool stands still: a request waits for a minute although a process is free."""

from __future__ import annotations

import pytest

from core.workers.standstill import MOST_POLLS, StandstillWatch

pytestmark = pytest.mark.shows("reliability-39")


def polls_until_still(reserved: list[set[str]], active: set[str]) -> int | None:
    """Return at which of the polls a pool of two is found to stand still."""
    watch = StandstillWatch(processes=2)
    found = (number for number, ids in enumerate(reserved, 1) if watch.is_standing_still(reserved=ids, active=active))
    return next(found, None)


@pytest.mark.parametrize("active", [set(), {"busy"}])
def test_a_request_that_waits_beside_a_free_process_is_a_standstill_after_a_minute(active: set[str]) -> None:
    assert polls_until_still([{"waiting", *active}] * 9, active) == MOST_POLLS


def test_a_full_pool_and_requests_that_come_and_go_are_none() -> None:
    assert polls_until_still([{"waiting", "a", "b"}] * 9, {"a", "b"}) is None
    assert polls_until_still([{f"request {number}"} for number in range(9)], set()) is None
    assert polls_until_still([set()] * 9, set()) is None
