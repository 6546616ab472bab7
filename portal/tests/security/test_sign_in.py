"""Sign-in with all applications installed, and with several server processes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Account, SignInEvent
from accounts.tests.sign_in.sign_in_client import SignInClient, different_code, query_shapes
from billing.tests.api.mirror_factory import apply_catalog, make_subscription, open_account
from conftest import ROOT, free_port

SEND, VERIFY = "/api/auth/send-otp", "/api/auth/verify-otp"
BROWSER = "Mozilla/5.0 (X11; Linux) Firefox/150.0"
STRANGERS = ("eve@example.com", "nobody@example.org")


@pytest.fixture
def ava(db: None) -> Account:
    """Return the account of a subscriber with a plan."""
    apply_catalog()
    return open_account("ava", make_subscription("own", owner="ava"))


def stable_answer(answer: Any) -> tuple[int, dict[str, Any], dict[str, str]]:
    """Return a response without the ids that differ each time."""
    headers = {name: text for name, text in answer.headers.items() if name != "X-Request-ID"}
    body = {name: text for name, text in answer.json().items() if name not in ("challengeId", "requestId")}
    return answer.status_code, body, headers


@pytest.mark.shows("security-1")
def test_requesting_a_code_does_the_same_for_known_and_unknown_addresses(
    ava: Account, listener: None, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    responses = []
    for email in ("ava@example.com", *STRANGERS):
        with CaptureQueriesContext(connection) as queries, django_capture_on_commit_callbacks() as later:
            answer = SignInClient().request_code(email)
        responses.append((stable_answer(answer), query_shapes(queries), len(later)))
    assert responses[1:] == responses[:1] * len(STRANGERS)


@pytest.mark.shows("security-1")
def test_submitting_a_code_does_the_same_for_known_and_unknown_addresses(ava: Account, listener: None) -> None:
    responses = []
    for email in ("ava@example.com", *STRANGERS):
        sign_in_client = SignInClient()
        challenge = sign_in_client.request_code(email).json()["challengeId"]
        with CaptureQueriesContext(connection) as queries:
            answer = sign_in_client.submit_code("000000", email, challengeId=challenge)
        responses.append((stable_answer(answer), query_shapes(queries)))
    assert responses[1:] == responses[:1] * len(STRANGERS)


@pytest.mark.shows("security-13")
def test_every_sign_in_event_records_time_account_network_and_browser(ava: Account) -> None:
    noon = datetime(2026, 5, 4, 12, tzinfo=UTC)
    sign_in_client = SignInClient()
    sign_in_client.api.credentials(HTTP_USER_AGENT=BROWSER, REMOTE_ADDR="203.0.113.7")
    with time_machine.travel(noon, tick=False):
        challenge = sign_in_client.request_code().json()["challengeId"]
        code = sign_in_client.read_code()
        sign_in_client.submit_code(different_code(code), challengeId=challenge)
        token = sign_in_client.submit_code(code, challengeId=challenge).json()["token"]
        # A known browser has allowances of its own, and uses them up as well.
        sign_in_client.request_code()
        sign_in_client.request_code()
    recorded = SignInEvent.objects.order_by("pk")
    assert [event.kind for event in recorded] == ["sent", "failed", "ok", "limited"]
    for event in recorded:
        assert (event.at, event.account, event.email) == (noon, ava, "ava@example.com")
        assert (event.network, event.agent) == ("203.0.113.7", BROWSER)
        assert token not in str(vars(event))
        assert code not in f"{event.agent} {event.network} {event.email}"


@contextmanager
def run_server(folder: Path, redis: int) -> Iterator[str]:
    """Run a server process of the portal on the database in a folder, and yield its URL."""
    port = free_port()
    environment = {
        **{name: text for name, text in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"},
        "PORTAL_ENV": "test",
        "VAR_DIR": str(folder),
        "DATABASE_URL": f"sqlite:///{folder / 'db.sqlite3'}",
        "REDIS_URL": f"redis://127.0.0.1:{redis}/0",
        "EMAIL_URL": "dummymail://",
        "PORT": str(port),
        "WEB_PROCESSES": "1",
    }
    if not (folder / "db.sqlite3").exists():
        migrate = [sys.executable, "-W", "ignore", "manage.py", "migrate", "--verbosity=0"]
        subprocess.run(migrate, cwd=ROOT, env=environment, check=True)
    command = [sys.executable, "-m", "gunicorn", "-c", "portal/gunicorn_conf.py", "portal.wsgi"]
    with (folder / f"{port}.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for_server(address, process)
        yield address
    finally:
        process.kill()
        process.wait()


def _wait_for_server(address: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            httpx.get(f"{address}/healthz", timeout=1)
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError("the server did not start")


@pytest.mark.shows("security-11", "reliability-18")
def test_two_processes_without_redis_share_their_limits(tmp_path: Path) -> None:
    redis = free_port()
    with run_server(tmp_path, redis) as one, run_server(tmp_path, redis) as other:
        code_requests = [
            httpx.post((one, other)[turn % 2] + SEND, json={"email": f"somebody{turn}@example.com"}, timeout=30)
            for turn in range(21)
        ]
        submissions = [
            httpx.post(
                (one, other)[turn % 2] + VERIFY,
                json={"email": "ava@example.com", "otp": "000000"},
                timeout=30,
            )
            for turn in range(11)
        ]
    assert [answer.status_code for answer in code_requests] == [200] * 20 + [429]
    assert [answer.status_code for answer in submissions] == [400] * 10 + [429]
    assert {int(answer.headers["Retry-After"]) > 0 for answer in (code_requests[-1], submissions[-1])} == {True}
