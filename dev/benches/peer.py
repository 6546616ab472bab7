"""The account home against a page that makes five provider calls in a row, near and far from the provider.

The page stands in for Chargebee's open-source portal in PHP, whose account home makes five calls in a row. As a bare
view on one kept-alive connection it is rather faster than that.
"""

from __future__ import annotations

import http.client
import time
from collections.abc import Callable
from functools import partial

from dev.benches.support import fake_provider
from dev.benches.support.measurements import Comparison, measure_interleaved, print_figures
from dev.benches.support.portal_server import create_signed_in_account, run_server
from dev.benches.support.scratch_portal import scratch_portal

ACCOUNT_HOME = "/api/account"
OUR_REQUESTS = 200
# The provider's delay in milliseconds, the peer's requests per round, and the goal for the ratio.
DISTANCES = ((0, 200, "≤ 1"), (100, 3, "≤ 1/200"))


def _request_milliseconds(connection: http.client.HTTPConnection, path: str, token: str, count: int) -> float:
    """Request a page `count` times in a row; return the mean time in milliseconds."""
    began = time.monotonic()
    for _ in range(count):
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path} answered {answer.status}")
    return (time.monotonic() - began) / count * 1000


def _compare_pages(milliseconds: int, count: int, goal: str, token: str) -> Comparison:
    from dev.benches.support.urls import PEER

    with (
        fake_provider.run_provider(milliseconds=milliseconds) as address,
        run_server(CHARGEBEE_ENDPOINT=f"{address}/api/v2") as port,
    ):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        sides: dict[str, Callable[[], float]] = {
            path: partial(_request_milliseconds, connection, path, token, requests)
            for path, requests in ((ACCOUNT_HOME, OUR_REQUESTS), (PEER, count))
        }
        seen = measure_interleaved(sides)
        connection.close()
    name = f"account home, provider at {milliseconds} ms"
    return Comparison(name, "a page of five calls in a row", "ms", seen[ACCOUNT_HOME], seen[PEER], goal)


def main() -> None:
    """Measure and print."""
    with scratch_portal("dev.benches.support.settings"):
        token = create_signed_in_account()
        print_figures([_compare_pages(*distance, token) for distance in DISTANCES])


if __name__ == "__main__":
    main()
