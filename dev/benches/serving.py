"""A portal of a row's own in a process of its own, and somebody who is signed in there."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from dev.places import ROOT
from dev.run import answers

START_SECONDS = 60.0


def signed_in() -> str:
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


@contextmanager
def serving(**environment: str) -> Iterator[int]:
    """Serve with one process, so that it is busy before whoever asks is; give the port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    serve = ("-m", "gunicorn", "-c", "portal/gunicorn_conf.py", "--max-requests", "0", "dev.benches.wsgi")
    settled = {**os.environ, "PORT": str(port), "WEB_CONCURRENCY": "1", **environment}
    with subprocess.Popen([sys.executable, *serve], cwd=ROOT, env=settled, stdout=sys.stderr) as process:
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
