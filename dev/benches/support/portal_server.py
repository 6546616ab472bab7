"""A portal server in a process of its own, and a signed-in account."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from dev.paths import ROOT
from dev.run import is_serving

START_SECONDS = 60.0
# How many requests a second deploy/nginx.conf lets one network send.
PROXY_RATE = 30


def create_signed_in_account() -> str:
    """Open an account with subscriptions, coupons and invoices; return its token."""
    from accounts.models import SessionToken
    from billing.tests.api.mirror_factory import (
        FAITH,
        GOSPEL,
        KIDS,
        make_invoice,
        make_subscription,
        open_account,
        subscription_coupons,
    )

    account = open_account(
        "alice",
        *(
            make_subscription(plan, plan, coupons=subscription_coupons("BUNDLE-3", *own))
            for plan, own in ((FAITH, ["WELCOME5"]), (GOSPEL, []), (KIDS, []))
        ),
        *(make_invoice(str(number), days=-30 * number) for number in range(1, 25)),
    )
    token: str = SessionToken.objects.create(user=account.user)[1]
    return token


@contextmanager
def run_server(**environment: str) -> Iterator[int]:
    """Serve with one process, so that the server, not the client, is the bottleneck; yield the port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    serve = ("-m", "gunicorn", "-c", "portal/gunicorn_conf.py", "--max-requests", "0", "dev.benches.support.wsgi")
    variables = {**os.environ, "PORT": str(port), "WEB_PROCESSES": "1", **environment}
    with subprocess.Popen([sys.executable, *serve], cwd=ROOT, env=variables, stdout=sys.stderr) as process:
        try:
            _wait_for_port(port, process)
            yield port
        finally:
            process.terminate()


def _wait_for_port(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not is_serving(f"http://127.0.0.1:{port}/healthz"):
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError("the server did not start")
        time.sleep(0.1)
