"""Clients that disconnect or never stop sending, straight at the web server; `test_proxy` has those that are slow."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from accounts.models import SessionToken
from billing.tests.support.live_provider import FAITH
from faults.support.running_portal import RunningPortal

CLIENTS = 20
LIMIT = 256 * 1024
HEAD = b"POST /api/auth/send-otp HTTP/1.1\r\nHost: portal\r\nContent-Type: application/json\r\n"


@contextmanager
def open_clients(portal: RunningPortal, count: int, request_start: bytes) -> Iterator[list[socket.socket]]:
    """Open connections that have each sent `request_start`."""
    with ExitStack() as stack:
        yield [stack.enter_context(_connect_and_send(portal, request_start)) for _ in range(count)]


def _connect_and_send(portal: RunningPortal, request_start: bytes) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", portal.port), timeout=30)
    client.sendall(request_start)
    return client


def read_until_closed(client: socket.socket) -> bytes:
    """Return what the server sends until it closes the connection."""
    parts = []
    try:
        while part := client.recv(65_536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


@pytest.mark.shows("reliability-32")
def test_a_body_that_is_too_large_is_refused_unread(portal: RunningPortal) -> None:
    with open_clients(portal, 1, HEAD + b"Content-Length: 99999999999\r\n\r\n") as (measured,):
        assert read_until_closed(measured).startswith(b"HTTP/1.1 413")
    with open_clients(portal, 1, HEAD + b"Transfer-Encoding: chunked\r\n\r\n") as (chunked,):
        endless = b"10000\r\n" + b"x" * 65_536 + b"\r\n"
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            chunked.sendall(endless * (100 * LIMIT // 65_536))
        assert read_until_closed(chunked).startswith(b"HTTP/1.1 413")


@pytest.mark.shows("reliability-32")
def test_a_client_that_disconnects_early_costs_nothing(portal: RunningPortal) -> None:
    account, browser = portal.create_subscriber("xena", FAITH)
    token = SessionToken.objects.create(user=account.user)[1]
    ask = f"GET /api/account HTTP/1.1\r\nHost: portal\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
    for _ in range(5):
        with open_clients(portal, CLIENTS, ask):
            pass
    assert browser.get("/api/account").status_code == 200
