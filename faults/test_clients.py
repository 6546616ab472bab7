"""Clients that are slow, silent, gone, or never stop (reliability, row 32)."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from accounts.models import SessionToken
from billing.tests.live import FAITH
from faults.portal import Portal

SLOW_CLIENTS = 20
# A request has ten seconds to arrive; the rest is for a busy machine.
PATIENCE_SECONDS = 25.0
LIMIT = 256 * 1024
HEAD = b"POST /api/auth/send-otp HTTP/1.1\r\nHost: portal\r\nContent-Type: application/json\r\n"


@contextmanager
def clients(portal: Portal, count: int, said: bytes) -> Iterator[list[socket.socket]]:
    """Open so many connections, each of which has said something and is not done."""
    with ExitStack() as open_ones:
        yield [open_ones.enter_context(_connected(portal, said)) for _ in range(count)]


def _connected(portal: Portal, said: bytes) -> socket.socket:
    line = socket.create_connection(("127.0.0.1", portal.port), timeout=30)
    line.sendall(said)
    return line


def heard(line: socket.socket) -> bytes:
    """Return what comes until the server ends the connection; nothing is an end, too."""
    parts = []
    try:
        while part := line.recv(65_536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def test_heads_and_bodies_that_never_end_hold_no_thread_for_long(portal: Portal) -> None:
    _, browser = portal.subscriber("vera", FAITH)
    unfinished_body = HEAD + b"Content-Length: 5000\r\n\r\n{"
    began = time.monotonic()
    with (
        clients(portal, SLOW_CLIENTS // 2, HEAD) as heads,
        clients(portal, SLOW_CLIENTS // 2, unfinished_body) as bodies,
    ):
        # A byte now and then, so that no time limit on one read would end it.
        for line in heads + bodies:
            line.sendall(b"X")
        assert browser.get("/api/account").status_code == 200
        assert time.monotonic() - began < PATIENCE_SECONDS
        for line in heads + bodies:
            assert b" 200 " not in heard(line)
        assert time.monotonic() - began < 2 * PATIENCE_SECONDS
    assert browser.get("/api/account").status_code == 200


def test_a_body_without_end_is_refused_unread(portal: Portal) -> None:
    with clients(portal, 1, HEAD + b"Content-Length: 99999999999\r\n\r\n") as (measured,):
        assert heard(measured).startswith(b"HTTP/1.1 413")
    with clients(portal, 1, HEAD + b"Transfer-Encoding: chunked\r\n\r\n") as (chunked,):
        endless = b"10000\r\n" + b"x" * 65_536 + b"\r\n"
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            chunked.sendall(endless * (100 * LIMIT // 65_536))
        assert heard(chunked).startswith(b"HTTP/1.1 413")


def test_a_client_that_hangs_up_early_costs_nothing(portal: Portal) -> None:
    account, browser = portal.subscriber("xena", FAITH)
    token = SessionToken.objects.create(user=account.user)[1]
    ask = f"GET /api/account HTTP/1.1\r\nHost: portal\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
    for _ in range(5):
        with clients(portal, SLOW_CLIENTS, ask):
            pass
    assert browser.get("/api/account").status_code == 200
