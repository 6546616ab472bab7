"""A call through the gateway against kept-alive httpx: CPU time, and new connections."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import httpx

from dev.benches.support import fake_provider
from dev.benches.support.measurements import Comparison, Count, measure_interleaved, print_figures
from dev.benches.support.scratch_portal import scratch_portal

CALLS = 100
SUBSCRIPTION = "bench"


def _call_milliseconds(call: Callable[[], object]) -> float:
    began = time.process_time()
    for _ in range(CALLS):
        call()
    return (time.process_time() - began) / CALLS * 1000


def main() -> None:
    """Measure and print."""
    with (
        scratch_portal(),
        fake_provider.run_provider(milliseconds=0) as address,
        httpx.Client(trust_env=False) as client,
    ):
        from django.test import override_settings

        from billing.gateway.subscriptions import retrieve_subscription

        def count_connections() -> int:
            return int(client.get(f"{address}{fake_provider.SEEN}").json()["connections"])

        def call_raw() -> object:
            return client.get(f"{address}/api/v2/subscriptions/{SUBSCRIPTION}", auth=("key", "")).json()

        with override_settings(CHARGEBEE_ENDPOINT=f"{address}/api/v2"):
            retrieve_subscription(SUBSCRIPTION)
            before = count_connections()
            seen = measure_interleaved(
                {
                    "ours": partial(_call_milliseconds, lambda: retrieve_subscription(SUBSCRIPTION)),
                    "raw": partial(_call_milliseconds, call_raw),
                }
            )
            made = count_connections() - before
    print_figures(
        [
            Comparison("SDK call", "kept-alive httpx", "ms of CPU", seen["ours"], seen["raw"], "≤ 3"),
            Count("SDK call, new connections in steady state", made, "0"),
        ]
    )


if __name__ == "__main__":
    main()
