"""The account home against a page that asks the provider five times in a row, near and far from the provider.

The page stands in for Chargebee's own open-source portal, which makes five calls in a row for its account home and is
written in PHP: ours is a view without a framework's work, on one kept-alive connection, so that it is rather faster.
"""

from __future__ import annotations

import http.client
import time
from collections.abc import Callable
from functools import partial

from dev.benches import provider
from dev.benches.figures import Comparison, hand_over, interleaved
from dev.benches.scratch import portal
from dev.benches.serving import serving, signed_in

ACCOUNT_HOME = "/api/account"
ASKED_OF_OURS = 200
# How far the provider is, in milliseconds; how many of its pages a round asks for; what our time is to be of its.
DISTANCES = ((0, 200, "≤ 1"), (100, 3, "≤ 1/200"))


def _milliseconds(connection: http.client.HTTPConnection, path: str, token: str, count: int) -> float:
    """Ask for a page again and again, one after the other; return how long each took."""
    began = time.monotonic()
    for _ in range(count):
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path} answered {answer.status}")
    return (time.monotonic() - began) / count * 1000


def _compared(milliseconds: int, count: int, goal: str, token: str) -> Comparison:
    from dev.benches.urls import PEER

    with (
        provider.running(milliseconds=milliseconds) as address,
        serving(CHARGEBEE_ENDPOINT=f"{address}/api/v2") as port,
    ):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        sides: dict[str, Callable[[], float]] = {
            path: partial(_milliseconds, connection, path, token, asked)
            for path, asked in ((ACCOUNT_HOME, ASKED_OF_OURS), (PEER, count))
        }
        seen = interleaved(sides)
        connection.close()
    name = f"account home, provider at {milliseconds} ms"
    return Comparison(name, "a page of five calls in a row", "ms", seen[ACCOUNT_HOME], seen[PEER], goal)


def main() -> None:
    """Measure, and hand over what was seen."""
    with portal("dev.benches.settings"):
        token = signed_in()
        hand_over([_compared(*distance, token) for distance in DISTANCES])


if __name__ == "__main__":
    main()
