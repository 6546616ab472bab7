"""Gunicorn's worker times out on slow clients."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest

from portal.gunicorn_worker import TimedSocket


class ImpatientSocket(TimedSocket):
    """A socket with timeouts that a test can wait for."""

    request_timeout = 1.0
    send_timeout = 1.0
    read_timeout = 1.0


@pytest.fixture
def ends() -> Iterator[tuple[ImpatientSocket, socket.socket]]:
    """The server's end of a connection, as gunicorn's threads use it, and the client's end."""
    server_end, client = socket.socketpair()
    server = ImpatientSocket(fileno=server_end.detach())
    server.setblocking(True)
    server.expect_request()
    with server, client:
        yield server, client


def test_it_reads_data_that_arrives_in_time(ends: tuple[ImpatientSocket, socket.socket]) -> None:
    server, client = ends
    client.sendall(b"GET")
    assert server.recv(10) == b"GET"
    client.close()
    assert server.recv(10) == b""


@pytest.mark.shows("reliability-32")
def test_a_client_that_sends_single_bytes_is_disconnected_after_the_timeout(
    ends: tuple[ImpatientSocket, socket.socket],
) -> None:
    server, client = ends
    start = time.monotonic()
    server.expect_request()
    client.sendall(b"X")
    while server.recv(10):
        time.sleep(0.05)
        client.sendall(b"X")
    assert time.monotonic() - start >= ImpatientSocket.request_timeout


def test_a_request_that_waited_for_a_thread_is_still_read(ends: tuple[ImpatientSocket, socket.socket]) -> None:
    server, client = ends
    client.sendall(b"GET")
    time.sleep(1.1 * ImpatientSocket.request_timeout)
    server.extend_deadline()
    assert server.recv(10) == b"GET"
    assert server.recv(10) == b""


def test_the_timeout_restarts_with_each_request(ends: tuple[ImpatientSocket, socket.socket]) -> None:
    server, client = ends
    time.sleep(1.1 * ImpatientSocket.request_timeout)
    server.expect_request()
    client.sendall(b"GET")
    assert server.recv(10) == b"GET"


def test_a_shorter_timeout_of_gunicorn_is_kept(
    ends: tuple[ImpatientSocket, socket.socket],
) -> None:
    server, _ = ends
    server.settimeout(0.01)
    with pytest.raises(TimeoutError):
        server.recv(10)
    server.settimeout(0)
    with pytest.raises(BlockingIOError):
        server.recv(10)


@pytest.mark.shows("reliability-32")
def test_a_client_that_does_not_read_the_response_is_disconnected(ends: tuple[ImpatientSocket, socket.socket]) -> None:
    server, _ = ends
    with pytest.raises(BrokenPipeError):
        server.sendall(b"x" * 10_000_000)
