"""The three hot reads against a bare view in the same server: requests a second, and how many queries each makes."""

from __future__ import annotations

import http.client
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from dev.benches.figures import Comparison, Count, Figure, hand_over, interleaved
from dev.benches.scratch import portal
from dev.benches.serving import serving, signed_in

READS = ("/api/account", "/api/account/manage-plans", "/api/invoice/list")
CONNECTIONS = 16
SECONDS = 1.0


def _queries(path: str, token: str) -> int:
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    client = Client(headers={"host": "127.0.0.1", "authorization": f"Bearer {token}"})
    client.get(path)
    with CaptureQueriesContext(connection) as queries:
        client.get(path)
    return len(queries)


def _asked(port: int, path: str, token: str, until: float) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    count = 0
    while time.monotonic() < until:
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path} answered {answer.status}")
        count += 1
    connection.close()
    return count


def _per_second(port: int, path: str, token: str) -> float:
    began = time.monotonic()
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        asked = [pool.submit(_asked, port, path, token, began + SECONDS) for _ in range(CONNECTIONS)]
        count = sum(one.result() for one in asked)
    return count / (time.monotonic() - began)


def main() -> None:
    """Measure, and hand over what was seen."""
    with portal("dev.benches.settings") as database:
        from dev.benches.urls import BARE, BEHIND_MIDDLEWARE

        token = signed_in()
        counts: list[Figure] = [Count(f"{path}, queries", _queries(path, token), "2") for path in READS]
        with serving() as port:
            sides = {
                path: partial(_per_second, port, path, token) for path in (BARE, BEHIND_MIDDLEWARE, *READS)
            }
            seen = interleaved(sides)
    others = {BARE: ("a bare DRF view", "≥ 0.30"), BEHIND_MIDDLEWARE: ("the same, behind our middleware", "")}
    unit = f"requests/s ({database})"
    compared = [
        Comparison(path, against, unit, seen[path], seen[other], goal)
        for path in READS
        for other, (against, goal) in others.items()
    ]
    hand_over([*compared, *counts])


if __name__ == "__main__":
    main()
