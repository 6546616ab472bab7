"""The request limit of a site."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chargebee_sandbox.tests.support.site_driver import expect_refusal


def test_a_request_above_the_limit_gets_429_with_retry_after(launch_sandbox: Callable[..., Any]):
    sandbox = launch_sandbox(SANDBOX_REQUESTS_PER_MINUTE="5")
    client = sandbox.client()
    for _ in range(5):
        client.Customer.list({})
    with expect_refusal(429, "api_request_limit_exceeded") as caught:
        client.Customer.list({})
    assert caught.value.json_obj["type"] == "operation_failed"
    assert 0 < int(caught.value.http_headers["Retry-After"]) <= 60
