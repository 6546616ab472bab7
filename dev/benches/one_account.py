"""Another subscriber's reads and estimates while one account asks for 200 estimates, 30 at once.

The server has two processes behind the proxy of deploy/, on PostgreSQL, Redis and a sandbox. After the 200 the attack
goes on at the rate that the proxy lets through from one address.
"""

from __future__ import annotations

import itertools
import json
import multiprocessing
import os
import shutil
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
from pathlib import Path
from statistics import quantiles
from typing import TYPE_CHECKING, Any

import django

from dev.benches.support.measurements import Comparison, NotMeasured, print_figures
from dev.benches.support.portal_server import PROXY_RATE, run_server
from dev.benches.support.scratch_portal import scratch_portal
from dev.paths import ROOT
from dev.run import is_serving
from dev.servers import REDIS_PORT, is_listening
from dev.test import REDIS_URL

if TYPE_CHECKING:
    # It needs Django to be set up.
    from faults.support.proxy import Proxy

SECONDS = 8.0
ATTACK, AT_ONCE = 200, 30
START_SECONDS = 60
READS = ("/api/account", "/api/account/manage-plans", "/api/invoice/list")
READS_PER_ESTIMATE = 3
PAUSE_SECONDS = 0.04
# Of this machine: the proxy limits addresses.
ATTACKERS_ADDRESS, OTHERS_ADDRESS = "127.0.0.66", "127.0.0.7"
ESTIMATE = "/api/account/add-remove-service/estimate"
# In each round one attacks and the others are measured; the first round is dropped.
ATTACKERS = ("ben", "dan", "jo", "kim", "ella")
OTHERS = ("ava", "carla", "finn", "gia")
# The work of the attacker and of the provider is other machines': here it gives way to the portal's.
NICENESS = 19
CALM, ATTACKED = "calm", "attacked"
READ, ESTIMATED = "a read", "an estimate"


@dataclass
class Answers:
    """How long reads and estimates took, in milliseconds, and what became of them."""

    reads: list[float] = field(default_factory=list)
    estimates: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)


@dataclass
class Client:
    """A signed-in subscriber on a kept-alive connection to the proxy."""

    proxy: Proxy
    address: str
    token: str
    answers: Answers

    def __post_init__(self) -> None:
        self._connection = self.proxy.connect_client(address=self.address)

    def read(self, path: str) -> object:
        """Make a read; return its answer."""
        return self._ask("GET", path, None, self.answers.reads)

    def estimate(self, plan_ids: Sequence[str]) -> None:
        """Ask what plans cost; no two requests have the same content."""
        self._ask("POST", ESTIMATE, {"planIds": plan_ids, "number": next(_numbers)}, self.answers.estimates)

    def _ask(self, method: str, path: str, body: object, times: list[float]) -> object:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        began = time.monotonic()
        self._connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self._connection.getresponse()
        content = answer.read()
        times.append((time.monotonic() - began) * 1000)
        self.answers.statuses[answer.status] += 1
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
        serve = ["nice", "-n", str(NICENESS), sys.executable, "-m", "chargebee_sandbox"]
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


def _plan_choices(client: Client) -> list[list[str]]:
    """Return every choice of plans that the account does not have now."""
    plans: Any = client.read("/api/account/manage-plans")
    held = {plan["id"] for plan in plans["existingPlans"]}
    known = sorted(held | {plan["id"] for plan in plans["plans"]})
    sizes = range(1, len(known) + 1)
    return [list(choice) for size in sizes for choice in itertools.combinations(known, size) if set(choice) != held]


def _use_portal(proxy: Proxy, tokens: Sequence[str], until: float) -> Answers:
    """Read the account home and ask for an estimate, one account after the other, over and over."""
    answers = Answers()
    clients = [Client(proxy, OTHERS_ADDRESS, token, answers) for token in tokens]
    choices = [itertools.cycle(_plan_choices(client)) for client in clients]
    for client, choice in itertools.cycle(zip(clients, choices, strict=True)):
        if time.monotonic() > until:
            break
        for path in READS * READS_PER_ESTIMATE:
            client.read(path)
            time.sleep(PAUSE_SECONDS)
        client.estimate(next(choice))
    return answers


def _attack(proxy: Proxy, token: str, until: float) -> Counter[int]:
    """Ask for 200 estimates, 30 at once, then for as many as the proxy lets through; return the statuses."""
    os.nice(NICENESS)
    choices = itertools.cycle(_plan_choices(Client(proxy, ATTACKERS_ADDRESS, token, Answers())))
    remaining = itertools.count(ATTACK, -1)

    def attack() -> Counter[int]:
        client = Client(proxy, ATTACKERS_ADDRESS, token, Answers())
        while time.monotonic() < until:
            client.estimate(next(choices))
            if next(remaining) <= 0:
                time.sleep(AT_ONCE / PROXY_RATE)
        return client.answers.statuses

    with ThreadPoolExecutor(AT_ONCE) as pool:
        running = [pool.submit(attack) for _ in range(AT_ONCE)]
        return sum((statuses.result() for statuses in running), Counter())


def _p99(times: Sequence[float]) -> float:
    return quantiles(times, n=100, method="inclusive")[-1] if len(times) > 1 else times[0]


def _measure(proxy: Proxy) -> dict[str, dict[str, list[float]]]:
    """Measure others without and with an attack, in turns; return the 99th percentiles in milliseconds."""
    from core.models import LimitCounter

    others = [_sign_in(name) for name in OTHERS]
    seen: dict[str, dict[str, list[float]]] = {side: {READ: [], ESTIMATED: []} for side in (CALM, ATTACKED)}
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawned, initializer=django.setup) as processes:
        for attacker in map(_sign_in, ATTACKERS):
            for side, figures in seen.items():
                LimitCounter.objects.all().delete()
                until = time.monotonic() + SECONDS
                attack = processes.submit(_attack, proxy, attacker, until) if side == ATTACKED else None
                answers = _use_portal(proxy, others, until)
                figures[READ].append(_p99(answers.reads))
                figures[ESTIMATED].append(_p99(answers.estimates))
                statuses = f"{dict(answers.statuses)}, the attack: {dict(attack.result()) if attack else None}"
                sys.stderr.write(f"{side}: {figures[READ][-1]:.0f} ms, {statuses}\n")
    return seen


def main() -> None:
    """Measure and print."""
    if shutil.which("nginx") is None:
        print_figures([NotMeasured("one account attacks", "no nginx on this machine")])
        return
    os.environ["REDIS_URL"] = redis_url = os.environ.get("TEST_REDIS_URL", REDIS_URL)
    if not is_listening(redis_url, REDIS_PORT):
        del os.environ["REDIS_URL"]
    with (
        scratch_portal("dev.benches.support.limited_settings") as database,
        _run_sandbox() as endpoint,
        tempfile.TemporaryDirectory(prefix="proxy-bench-") as folder,
    ):
        from django.core.management import call_command
        from django.test import override_settings

        from faults.support.proxy import run_proxy

        Path(folder).chmod(0o755)
        os.environ["CHARGEBEE_ENDPOINT"] = endpoint
        with (
            override_settings(CHARGEBEE_ENDPOINT=endpoint),
            run_server(WEB_PROCESSES="2") as port,
            run_proxy(Path(folder), portal_port=port, requests_a_second=PROXY_RATE) as proxy,
        ):
            call_command("seed_demo", verbosity=0)
            seen = _measure(proxy)
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
