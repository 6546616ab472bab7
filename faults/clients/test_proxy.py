"""The proxy of `deploy/nginx.conf` before the portal: slow clients, floods, and what it says and logs by itself."""

from __future__ import annotations

import http.client
import ssl
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from billing.tests.support.live_provider import FAITH
from conftest import free_port
from faults.support.proxy import HOST, NAMED, Proxy, run_proxy
from faults.support.running_portal import RunningPortal, wait_until

ATTACKER, VISITOR = "127.0.0.66", "127.0.0.7"
SLOW_HEADS, SLOW_BODIES = 300, 64
# Of `limit_req` in the configuration: of a network, of its webhooks, and what a session may ask for at once.
BURST = 200
WEBHOOK_BURST = 2000
SESSION_BURST = 8
# nginx closes a connection after a thousand requests.
REQUESTS_OF_CONNECTION = 900
WEBHOOK = "/webhooks/chargebee"
BASIC = "Basic cG9ydGFsOnNlY3JldA=="
MOST_BURSTS = 20
# Far below the ten seconds that a slow client may take, and far above what a busy machine needs.
PROMPT_SECONDS = 5.0
HEAD = f"POST /api/auth/send-otp HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\n".encode()
TOKEN = "a-signed-token-that-no-log-may-hold"
OWN_HEADERS = {
    "Strict-Transport-Security": "max-age=31536000; includeSubDomains; preload",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}
# What the portal sets on each of its answers, too, in the same words.
SHARED_HEADERS = (
    "X-Content-Type-Options",
    "X-Frame-Options",
    "Referrer-Policy",
    "Cross-Origin-Opener-Policy",
    "Cross-Origin-Resource-Policy",
    "Permissions-Policy",
)


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="portal-proxy-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def proxy(portal: RunningPortal, folder: Path) -> Iterator[Proxy]:
    with run_proxy(folder, portal_port=portal.port) as proxy:
        yield proxy


@pytest.fixture
def proxy_alone(folder: Path) -> Iterator[Proxy]:
    """A proxy whose portal is down."""
    with run_proxy(folder, portal_port=free_port()) as proxy:
        yield proxy


def assert_own_answer(answer: httpx.Response, status: int) -> None:
    assert answer.status_code == status
    assert {name: answer.headers.get_list(name) for name in OWN_HEADERS} == {
        name: [value] for name, value in OWN_HEADERS.items()
    }
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none';")


@pytest.mark.shows("reliability-32")
def test_slow_clients_keep_nobody_waiting(portal: RunningPortal, proxy: Proxy) -> None:
    _, browser = portal.create_subscriber("wilma", FAITH)
    headers = {"Host": HOST, "Authorization": browser.headers["Authorization"]}
    with ExitStack() as stack:
        for count, start in ((SLOW_HEADS, HEAD), (SLOW_BODIES, HEAD + b"Content-Length: 5000\r\n\r\n{")):
            for _ in range(count):
                client = stack.enter_context(proxy.open_connection(address=ATTACKER))
                client.sendall(start)
        began = time.monotonic()
        answer = proxy.request("GET", "/api/account", address=VISITOR, headers=headers)
        assert time.monotonic() - began < PROMPT_SECONDS
    assert answer.status_code == 200
    assert answer.json()["email"] == "wilma@example.com"


def send_flood(proxy: Proxy) -> list[httpx.Response]:
    """Send bursts from the attacker's address until a request is refused; return all answers."""
    flood: list[httpx.Response] = []
    with ThreadPoolExecutor(8) as pool, proxy.open_client(address=ATTACKER) as client:
        # A slow machine needs several: what is allowed in a second passes as well.
        for _ in range(MOST_BURSTS):
            flood += pool.map(lambda _: client.get("/api/site", extensions=NAMED), range(BURST))
            if any(answer.status_code == 429 for answer in flood):
                break
    return flood


@pytest.mark.shows("reliability-32")
def test_an_address_that_floods_is_limited_and_others_are_served(portal: RunningPortal, proxy: Proxy) -> None:
    flood = send_flood(proxy)
    refused = [answer for answer in flood if answer.status_code == 429]
    assert len(flood) - len(refused) >= BURST
    assert_own_answer(refused[0], 429)
    assert refused[0].headers["Retry-After"] == "5"
    assert refused[0].json()["code"] == "throttled"
    assert proxy.request("GET", "/api/site", address=VISITOR).status_code == 200


@pytest.mark.shows("security-52")
def test_what_a_session_asks_for_at_once_waits_in_the_proxy(portal: RunningPortal, folder: Path) -> None:
    _, browser = portal.create_subscriber("xenia", FAITH)
    mine = {"Host": HOST, "Authorization": browser.headers["Authorization"]}
    head = f"GET /api/account HTTP/1.1\r\nHost: {HOST}\r\nAuthorization: Bearer {TOKEN}\r\n\r\n".encode()
    with ExitStack() as stack:
        # So slow that none of those that wait has its turn during the test.
        proxy = stack.enter_context(run_proxy(folder, portal_port=portal.port, session_rate="1r/m"))
        attack = [stack.enter_context(proxy.open_connection(address=ATTACKER)) for _ in range(3 * SESSION_BURST)]
        for connection in attack:
            connection.sendall(head)
        assert proxy.request("GET", "/api/account", address=VISITOR, headers=mine).status_code == 200
        wait_until(lambda: len(list_answered(attack)) > SESSION_BURST, what="the first requests of the session")
        assert proxy.request("GET", "/api/account", address=VISITOR, headers=mine).status_code == 200
        assert len(list_answered(attack)) == SESSION_BURST + 1


def read_statuses(proxy: Proxy, method: str, path: str, headers: Sequence[Mapping[str, str]]) -> list[int]:
    """Send a request with each of these headers, from one address over kept connections; return the statuses."""
    statuses: list[int] = []
    for start in range(0, len(headers), REQUESTS_OF_CONNECTION):
        client = proxy.connect_client(address="127.0.0.1")
        for more in headers[start : start + REQUESTS_OF_CONNECTION]:
            client.request(method, path, headers=dict(more))
            answer = client.getresponse()
            answer.read()
            statuses.append(answer.status)
        client.close()
    return statuses


@pytest.mark.shows("reliability-32")
def test_webhooks_with_the_same_credentials_wait_for_none_another(folder: Path) -> None:
    # So slow that a webhook that waits as one of a session has no answer during the test.
    with run_proxy(folder, portal_port=free_port(), session_rate="1r/m") as proxy:
        headers = [{"Authorization": BASIC}] * (3 * SESSION_BURST)
        assert read_statuses(proxy, "POST", WEBHOOK, headers) == [502] * len(headers)


@pytest.mark.shows("reliability-32")
def test_a_flood_of_webhooks_is_limited_and_those_of_another_network_are_accepted(proxy_alone: Proxy) -> None:
    statuses = read_statuses(proxy_alone, "POST", WEBHOOK, [{}] * (2 * WEBHOOK_BURST))
    assert statuses[:WEBHOOK_BURST] == [502] * WEBHOOK_BURST
    assert 429 in statuses
    assert proxy_alone.request("POST", WEBHOOK, address=VISITOR).status_code == 502


@pytest.mark.shows("security-8", "reliability-32")
def test_addresses_of_one_ipv6_network_are_limited_together(proxy_alone: Proxy) -> None:
    headers = [{"X-Address": f"2001:db8:a0a:a0a:{number:x}::a"} for number in range(2 * BURST)]
    statuses = read_statuses(proxy_alone, "GET", "/api/site", headers)
    assert statuses[:BURST] == [502] * BURST
    assert 429 in statuses
    assert read_statuses(proxy_alone, "GET", "/api/site", [{"X-Address": "2001:db8:a0a:a0b::a"}]) == [502]


@pytest.mark.shows("security-26")
def test_another_host_over_a_connection_of_ours_gets_no_answer(proxy_alone: Proxy) -> None:
    with pytest.raises(httpx.RemoteProtocolError, match="without sending a response"):
        proxy_alone.request("GET", "/", headers={"Host": "other.example.com"})
    assert '"GET /" 444 ' in proxy_alone.access_log


def list_answered(connections: list[ssl.SSLSocket]) -> list[ssl.SSLSocket]:
    """Return the connections that have an answer to read."""
    return [connection for connection in connections if _has_answer(connection)]


def _has_answer(connection: ssl.SSLSocket) -> bool:
    # Not by `select`: what TLS itself sends makes a connection readable, too.
    connection.setblocking(False)
    try:
        return bool(connection.recv(1))
    except ssl.SSLWantReadError:
        return False


@pytest.mark.shows("security-46")
def test_no_log_holds_a_signed_link(proxy_alone: Proxy) -> None:
    signed_links = (f"/unsubscribe/{TOKEN}", f"/sign-in-link/{TOKEN}", f"/api/invoice/download/{TOKEN}")
    for path in (*signed_links, f"/billing-history?token={TOKEN}"):
        assert proxy_alone.request("GET", path).status_code == 502
    assert TOKEN not in proxy_alone.access_log
    assert "/unsubscribe/-" in proxy_alone.access_log
    assert [path for path in signed_links if path in proxy_alone.error_log] == []
    # Errors of other addresses are still logged.
    assert "connect() failed" in proxy_alone.error_log


@pytest.mark.shows("security-26")
def test_its_own_answers_have_the_security_headers_and_the_form_of_the_api(proxy_alone: Proxy) -> None:
    page = proxy_alone.request("GET", "/dashboard")
    assert_own_answer(page, 502)
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "Back in a moment" in page.text
    unavailable = proxy_alone.request("GET", "/api/account")
    assert_own_answer(unavailable, 502)
    # As the status, the code tells the app that the outcome of a change is unknown.
    assert unavailable.json()["code"] == "502"
    assert unavailable.json()["requestId"] == unavailable.headers["X-Request-ID"]
    assert unavailable.headers["Retry-After"] == "30"
    too_large = proxy_alone.request("POST", "/api/auth/send-otp", content=b"x" * 600_000)
    assert_own_answer(too_large, 413)
    assert too_large.json()["code"] == "payload_too_large"
    assert_own_answer(proxy_alone.request("GET", "/metrics"), 404)
    assert_own_answer(proxy_alone.request("GET", "/", headers={"Host": HOST, "X": "x" * 40_000}), 400)


@pytest.mark.shows("security-26", "security-46")
def test_its_own_answers_have_the_same_headers_as_the_portals(proxy: Proxy) -> None:
    own, portals = proxy.request("GET", "/metrics"), proxy.request("GET", "/no-page-but-the-app")
    assert_own_answer(own, 404)
    assert {name: own.headers.get_list(name) for name in SHARED_HEADERS} == {
        name: portals.headers.get_list(name) for name in SHARED_HEADERS
    }


@pytest.mark.shows("security-26", "security-46")
@pytest.mark.parametrize(
    ("line", "status"),
    [
        (f"GET /unsubscribe/{TOKEN}%00 HTTP/1.1", 400),
        (f"GET /../{TOKEN} HTTP/1.1", 400),
        (f"GET /api/..%2f..%2f{TOKEN} HTTP/1.1", 400),
        (f"GET /{TOKEN * 245} HTTP/1.1", 414),
        (f"GET /{TOKEN} HTTP/9.1", 505),
    ],
    ids=["a NUL", "above the root", "above the root, encoded", "too long", "a version of HTTP"],
)
def test_a_request_line_that_cannot_be_read_is_answered_in_the_same_way(
    proxy_alone: Proxy, line: str, status: int
) -> None:
    with proxy_alone.open_connection(address=VISITOR) as connection:
        connection.sendall(f"{line}\r\nHost: {HOST}\r\n\r\n".encode())
        answer = http.client.HTTPResponse(connection)
        answer.begin()
    assert_own_answer(httpx.Response(answer.status, headers=answer.getheaders()), status)
    assert TOKEN not in proxy_alone.error_log


@pytest.mark.shows("security-26")
def test_the_portals_answers_have_each_header_once(proxy: Proxy) -> None:
    answer = proxy.request("GET", "/api/nothing")
    assert answer.status_code == 404
    assert answer.headers.get_list("X-Content-Type-Options") == ["nosniff"]
    assert len(answer.headers.get_list("Content-Security-Policy")) == 1
