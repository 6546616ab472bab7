"""Concurrent writes of one customer."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from chargebee_sandbox.tests.support.webhook_receiver import wait_until


def rename_customer(sandbox: Any, handle: str) -> tuple[int, str]:
    answer = httpx.post(f"{sandbox.endpoint}/customers/{handle}", data={"first_name": "A"}, auth=(sandbox.api_key, ""))
    return answer.status_code, answer.json().get("api_error_code", "")


def test_a_write_waits_for_another_one_of_its_customer_and_then_gives_up(sandbox: Any) -> None:
    for handle in ("ava", "ben"):
        sandbox.client().Customer.create({"id": handle})
    sandbox.configure_site(lock_wait_seconds=0.2)
    sandbox.order_fault("delay", "/customers/ava", method="POST", seconds=2)

    with ThreadPoolExecutor() as pool:
        slow = pool.submit(rename_customer, sandbox, "ava")
        wait_until(lambda: bool(sandbox.struck()), what="the first request holds the customer")
        assert rename_customer(sandbox, "ava") == (429, "lock_timeout")
        assert rename_customer(sandbox, "ben") == (200, "")
        assert slow.result() == (200, "")

    assert rename_customer(sandbox, "ava") == (200, "")
