"""The three hot reads against a bare view in the same server: requests a second, and how many queries each makes."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

from dev.benches.figures import Comparison, Count, Figure, hand_over, interleaved
from dev.benches.scratch import portal
from dev.places import ROOT
from dev.run import answers

READS = ("/api/account", "/api/account/manage-plans", "/api/invoice/list")
CONNECTIONS = 16
SECONDS = 1.0
START_SECONDS = 60.0


def _signed_in() -> str:
    """Open an account that holds something of everything; return its token."""
    from accounts.models import SessionToken
    from billing.tests.api.mirrored import FAITH, GOSPEL, KIDS, coupons, invoice, open_account, subscription

    account = open_account(
        "alice",
        *(
            subscription(plan, plan, coupons=coupons("BUNDLE-3", *own))
            for plan, own in ((FAITH, ["WELCOME5"]), (GOSPEL, []), (KIDS, []))
        ),
        *(invoice(str(number), days=-30 * number) for number in range(1, 25)),
    )
    token: str = SessionToken.objects.create(user=account.user)[1]
    return token


def _queries(path: str, token: str) -> int:
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    client = Client(headers={"host": "127.0.0.1", "authorization": f"Bearer {token}"})
    client.get(path)
    with CaptureQueriesContext(connection) as queries:
        client.get(path)
    return len(queries)


@contextmanager
def _server() -> Iterator[int]:
    """Serve with one process, so that it is busy before whoever asks is; give the port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    serve = ("-m", "gunicorn", "-c", "portal/gunicorn_conf.py", "--max-requests", "0", "dev.benches.wsgi")
    environment = {**os.environ, "PORT": str(port), "WEB_CONCURRENCY": "1"}
    with subprocess.Popen([sys.executable, *serve], cwd=ROOT, env=environment, stdout=sys.stderr) as process:
        try:
            _wait_for(port, process)
            yield port
        finally:
            process.terminate()


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not answers(f"http://127.0.0.1:{port}/healthz"):
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError("the server did not start")
        time.sleep(0.1)


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

        token = _signed_in()
        counts: list[Figure] = [Count(f"{path}, queries", _queries(path, token), "2") for path in READS]
        with _server() as port:
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
