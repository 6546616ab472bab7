"""The three hot reads against a bare view in the same server, in requests per second, and their queries."""

from __future__ import annotations

import http.client
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from dev.benches.support.measurements import Comparison, Count, Figure, measure_interleaved, print_figures
from dev.benches.support.portal_server import create_signed_in_account, run_server
from dev.benches.support.scratch_portal import scratch_portal

READS = ("/api/account", "/api/account/manage-plans", "/api/invoice/list")
CONNECTIONS = 16
SECONDS = 1.0


def _count_queries(path: str, token: str) -> int:
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    client = Client(headers={"host": "127.0.0.1", "authorization": f"Bearer {token}"})
    client.get(path)
    with CaptureQueriesContext(connection) as queries:
        client.get(path)
    return len(queries)


def _count_requests(port: int, path: str, token: str, until: float) -> int:
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


def _requests_per_second(port: int, path: str, token: str) -> float:
    began = time.monotonic()
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        running = [pool.submit(_count_requests, port, path, token, began + SECONDS) for _ in range(CONNECTIONS)]
        count = sum(counter.result() for counter in running)
    return count / (time.monotonic() - began)


def main() -> None:
    """Measure and print."""
    with scratch_portal("dev.benches.support.settings") as database:
        from dev.benches.support.urls import BARE, BEHIND_MIDDLEWARE

        token = create_signed_in_account()
        counts: list[Figure] = [Count(f"{path}, queries", _count_queries(path, token), "1") for path in READS]
        with run_server() as port:
            sides = {
                path: partial(_requests_per_second, port, path, token) for path in (BARE, BEHIND_MIDDLEWARE, *READS)
            }
            seen = measure_interleaved(sides)
    others = {BARE: ("a bare DRF view", "≥ 0.30"), BEHIND_MIDDLEWARE: ("the same, behind our middleware", "")}
    unit = f"requests/s ({database})"
    compared = [
        Comparison(path, against, unit, seen[path], seen[other], goal)
        for path in READS
        for other, (against, goal) in others.items()
    ]
    print_figures([*compared, *counts])


if __name__ == "__main__":
    main()
