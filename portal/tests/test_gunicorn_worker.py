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
    """The server's end, as gunicorn's threads use it, and the client's."""
    near, client = socket.socketpair()
    ours = ImpatientSocket(fileno=near.detach())
    ours.setblocking(True)
    ours.expect_request()
    with ours, client:
        yield ours, client


def test_it_reads_what_comes_in_time(ends: tuple[ImpatientSocket, socket.socket]) -> None:
    ours, client = ends
    client.sendall(b"GET")
    assert ours.recv(10) == b"GET"
    client.close()
    assert ours.recv(10) == b""


@pytest.mark.shows("reliability-32")
def test_a_client_that_says_a_byte_at_a_time_has_gone_when_the_time_is_over(
    ends: tuple[ImpatientSocket, socket.socket],
) -> None:
    ours, client = ends
    began = time.monotonic()
    ours.expect_request()
    client.sendall(b"X")
    while ours.recv(10):
        time.sleep(0.05)
        client.sendall(b"X")
    assert time.monotonic() - began >= ImpatientSocket.request_timeout


def test_what_waited_for_a_thread_is_still_read(ends: tuple[ImpatientSocket, socket.socket]) -> None:
    ours, client = ends
    client.sendall(b"GET")
    time.sleep(1.1 * ImpatientSocket.request_timeout)
    ours.extend_deadline()
    assert ours.recv(10) == b"GET"
    assert ours.recv(10) == b""


def test_the_time_begins_anew_with_each_request(ends: tuple[ImpatientSocket, socket.socket]) -> None:
    ours, client = ends
    time.sleep(1.1 * ImpatientSocket.request_timeout)
    ours.expect_request()
    client.sendall(b"GET")
    assert ours.recv(10) == b"GET"


def test_a_shorter_limit_of_gunicorns_own_stays_what_it_is(
    ends: tuple[ImpatientSocket, socket.socket],
) -> None:
    ours, _ = ends
    ours.settimeout(0.01)
    with pytest.raises(TimeoutError):
        ours.recv(10)
    ours.settimeout(0)
    with pytest.raises(BlockingIOError):
        ours.recv(10)


@pytest.mark.shows("reliability-32")
def test_a_client_that_takes_no_answer_is_left(ends: tuple[ImpatientSocket, socket.socket]) -> None:
    ours, _ = ends
    with pytest.raises(BrokenPipeError):
        ours.sendall(b"x" * 10_000_000)
