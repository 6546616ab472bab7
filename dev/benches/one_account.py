"""Another subscriber's reads and estimates while one account asks for 200 estimates, 30 at once.

The attack goes straight at two processes of the web server, on PostgreSQL, Redis and a sandbox. After the 200 it goes
on at the rate that the proxy lets through from one address.
"""

from __future__ import annotations

import http.client
import itertools
import json
import multiprocessing
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import quantiles
from typing import Any

from dev.benches.support.measurements import Comparison, print_figures
from dev.benches.support.portal_server import run_server
from dev.benches.support.scratch_portal import scratch_portal
from dev.paths import ROOT
from dev.run import is_serving
from dev.servers import REDIS_PORT, is_listening
from dev.test import REDIS_URL

SECONDS = 8.0
ATTACK, AT_ONCE = 200, 30
# `limit_req_zone` of deploy/nginx.conf.
PROXY_RATE = 30
START_SECONDS = 60
READS = ("/api/account", "/api/account/manage-plans", "/api/invoice/list")
READS_PER_ESTIMATE = 3
PAUSE_SECONDS = 0.1
ESTIMATE = "/api/account/add-remove-service/estimate"
# In each round one attacks and another one is measured; the first round is dropped.
ATTACKERS = ("ben", "dan", "jo", "kim", "ella")
OTHERS = ("ava", "carla", "finn", "gia", "ava")
CALM, ATTACKED = "calm", "attacked"
READ, ESTIMATED = "a read", "an estimate"


@dataclass
class Client:
    """A signed-in subscriber on a kept-alive connection, and how long the answers took in milliseconds."""

    port: int
    token: str
    reads: list[float] = field(default_factory=list)
    estimates: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def read(self, path: str) -> object:
        """Make a read; return its answer."""
        return self._ask("GET", path, None, self.reads)

    def estimate(self, plan_ids: Sequence[str]) -> None:
        """Ask what plans cost; no two requests have the same content."""
        self._ask("POST", ESTIMATE, {"planIds": plan_ids, "number": next(_numbers)}, self.estimates)

    def _ask(self, method: str, path: str, body: object, times: list[float]) -> object:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        began = time.monotonic()
        self._connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self._connection.getresponse()
        content = answer.read()
        times.append((time.monotonic() - began) * 1000)
        self.statuses[answer.status] += 1
        return json.loads(content)


_numbers = itertools.count(1)


@contextmanager
def _run_sandbox() -> Iterator[str]:
    """Run a sandbox with the demo's site; yield the URL of its API."""
    with tempfile.TemporaryDirectory(prefix="sandbox-bench-") as folder, socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        variables = {**os.environ, "VAR_DIR": folder, "SANDBOX_PORT": str(port), "SANDBOX_WEBHOOK_URL": ""}
        variables.pop("DJANGO_SETTINGS_MODULE", None)
        seed = [sys.executable, "-m", "chargebee_sandbox.seeds"]
        subprocess.run(seed, cwd=ROOT, env=variables, stdout=sys.stderr, check=True)
        probe.close()
        serve = [sys.executable, "-m", "chargebee_sandbox"]
        with subprocess.Popen(serve, cwd=ROOT, env=variables, stdout=sys.stderr, stderr=sys.stderr) as process:
            try:
                deadline = time.monotonic() + START_SECONDS
                while not is_serving(f"http://127.0.0.1:{port}/") and time.monotonic() < deadline:
                    time.sleep(0.1)
                yield f"http://127.0.0.1:{port}/api/v2"
            finally:
                process.terminate()


def _sign_in(name: str) -> str:
    """Import a customer of the demo's site; return a token of its account."""
    from accounts.models import SessionToken
    from billing.mirror import account_import

    account = account_import.import_account(f"{name}@example.com")
    if account is None:
        raise RuntimeError(f"the demo has no {name}")
    account_import.resync_account(account)
    token: str = SessionToken.objects.create(user=account.user)[1]
    return token


def _plan_choices(port: int, token: str) -> list[list[str]]:
    """Return every choice of plans that the account does not have now."""
    plans: Any = Client(port, token).read("/api/account/manage-plans")
    held = {plan["id"] for plan in plans["existingPlans"]}
    known = sorted(held | {plan["id"] for plan in plans["plans"]})
    sizes = range(1, len(known) + 1)
    return [list(choice) for size in sizes for choice in itertools.combinations(known, size) if set(choice) != held]


def _use_portal(port: int, token: str, until: float) -> Client:
    """Read the account home and ask for an estimate, over and over."""
    client, choices = Client(port, token), itertools.cycle(_plan_choices(port, token))
    while time.monotonic() < until:
        for path in READS * READS_PER_ESTIMATE:
            client.read(path)
            time.sleep(PAUSE_SECONDS)
        client.estimate(next(choices))
    return client


def _attack(port: int, token: str, until: float) -> Counter[int]:
    """Ask for 200 estimates, 30 at once, then for as many as the proxy lets through; return the statuses."""
    choices = itertools.cycle(_plan_choices(port, token))
    remaining = itertools.count(ATTACK, -1)

    def attack() -> Counter[int]:
        client = Client(port, token)
        while time.monotonic() < until:
            client.estimate(next(choices))
            if next(remaining) <= 0:
                time.sleep(AT_ONCE / PROXY_RATE)
        return client.statuses

    with ThreadPoolExecutor(AT_ONCE) as pool:
        running = [pool.submit(attack) for _ in range(AT_ONCE)]
        return sum((statuses.result() for statuses in running), Counter())


def _p99(times: Sequence[float]) -> float:
    return quantiles(times, n=100, method="inclusive")[-1] if len(times) > 1 else times[0]


def _measure(port: int) -> dict[str, dict[str, list[float]]]:
    """Measure others without and with an attack, in turns; return the 99th percentiles in milliseconds."""
    from core.models import LimitCounter

    tokens = {name: _sign_in(name) for name in {*OTHERS, *ATTACKERS}}
    seen: dict[str, dict[str, list[float]]] = {side: {READ: [], ESTIMATED: []} for side in (CALM, ATTACKED)}
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as processes:
        for attacker, other in zip(ATTACKERS, OTHERS, strict=True):
            for side, figures in seen.items():
                LimitCounter.objects.all().delete()
                until = time.monotonic() + SECONDS
                attack = processes.submit(_attack, port, tokens[attacker], until) if side == ATTACKED else None
                client = _use_portal(port, tokens[other], until)
                figures[READ].append(_p99(client.reads))
                figures[ESTIMATED].append(_p99(client.estimates))
                answers = f"{dict(client.statuses)}, the attack: {dict(attack.result()) if attack else None}"
                sys.stderr.write(f"{other}, {side}: {figures[READ][-1]:.0f} ms, {answers}\n")
    return seen


def main() -> None:
    """Measure and print."""
    os.environ["REDIS_URL"] = redis_url = os.environ.get("TEST_REDIS_URL", REDIS_URL)
    if not is_listening(redis_url, REDIS_PORT):
        del os.environ["REDIS_URL"]
    with scratch_portal("dev.benches.support.limited_settings") as database, _run_sandbox() as endpoint:
        from django.core.management import call_command
        from django.test import override_settings

        os.environ["CHARGEBEE_ENDPOINT"] = endpoint
        with override_settings(CHARGEBEE_ENDPOINT=endpoint), run_server(WEB_PROCESSES="2") as port:
            call_command("seed_demo", verbosity=0)
            seen = _measure(port)
    print_figures(
        [
            Comparison(
                f"{kind} of another subscriber, 99 of 100, one account attacks",
                "the same in calm",
                f"ms ({database})",
                seen[ATTACKED][kind][1:],
                seen[CALM][kind][1:],
                "≤ 2",
            )
            for kind in (READ, ESTIMATED)
        ]
    )


if __name__ == "__main__":
    main()
