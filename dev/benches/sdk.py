"""A call through the gateway against kept-alive httpx: our CPU, and whether new connections are made."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import httpx

from dev.benches import provider
from dev.benches.figures import Comparison, Count, hand_over, interleaved
from dev.benches.scratch import portal

CALLS = 100
# Ask for it again and again: what is measured is the call.
SUBSCRIPTION = "bench"


def _milliseconds(call: Callable[[], object]) -> float:
    began = time.process_time()
    for _ in range(CALLS):
        call()
    return (time.process_time() - began) / CALLS * 1000


def main() -> None:
    """Measure, and hand over what was seen."""
    with portal(), provider.running(milliseconds=0) as address, httpx.Client(trust_env=False) as client:
        from django.test import override_settings

        from billing.gateway.subscriptions import retrieve

        def connections() -> int:
            return int(client.get(f"{address}{provider.SEEN}").json()["connections"])

        def raw() -> object:
            return client.get(f"{address}/api/v2/subscriptions/{SUBSCRIPTION}", auth=("key", "")).json()

        with override_settings(CHARGEBEE_ENDPOINT=f"{address}/api/v2"):
            retrieve(SUBSCRIPTION)
            before = connections()
            seen = interleaved(
                {
                    "ours": partial(_milliseconds, lambda: retrieve(SUBSCRIPTION)),
                    "raw": partial(_milliseconds, raw),
                }
            )
            made = connections() - before
    hand_over(
        [
            Comparison("SDK call", "kept-alive httpx", "ms of CPU", seen["ours"], seen["raw"], "≤ 3"),
            Count("SDK call, new connections in steady state", made, "0"),
        ]
    )


if __name__ == "__main__":
    main()
