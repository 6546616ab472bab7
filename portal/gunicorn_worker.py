"""A gunicorn worker whose threads time out on slow clients.

Gunicorn's own threads wait forever for a client that has begun to send a request, so that a few slow clients can block
all threads. The proxy of `deploy/` prevents this; the worker protects installations without it.
"""

from __future__ import annotations

import errno
import socket
import time

from gunicorn.workers.gthread import TConn, ThreadWorker


class TimedSocket(socket.socket):
    """A client's socket with deadlines for receiving a request and for sending a response.

    A client that misses a deadline is treated as disconnected.
    """

    # In seconds, for a whole request: its head and its body of at most 256 KB.
    request_timeout = 10.0
    # For reading a request that waited for a free thread and may have arrived already.
    read_timeout = 1.0
    # For sending one chunk of data, at most a file.
    send_timeout = 30.0

    def expect_request(self) -> None:
        """Start the deadline for the next request."""
        self._deadline = time.monotonic() + self.request_timeout

    def extend_deadline(self) -> None:
        """Allow at least `read_timeout` for a request that waited for a thread."""
        self._deadline = max(self._deadline, time.monotonic() + self.read_timeout)

    def recv(self, bufsize: int, flags: int = 0) -> bytes:
        """Return received data, or nothing after the deadline. Raises `TimeoutError` after the socket's own timeout."""
        own_timeout = self.gettimeout()
        if own_timeout == 0:
            return super().recv(bufsize, flags)
        remaining = self._deadline - time.monotonic()
        if remaining <= 0:
            return b""
        self.settimeout(remaining if own_timeout is None else min(own_timeout, remaining))
        try:
            return super().recv(bufsize, flags)
        except TimeoutError:
            if own_timeout is not None and own_timeout < remaining:
                raise
            return b""
        finally:
            self.settimeout(own_timeout)

    def setblocking(self, flag: bool) -> None:
        """Block for at most `send_timeout`."""
        self.settimeout(self.send_timeout if flag else 0)

    def sendall(self, data: bytes, flags: int = 0) -> None:  # type: ignore[override]
        """Send all data. Raises `BrokenPipeError` if the client does not receive it in time."""
        try:
            super().sendall(data, flags)
        except TimeoutError as error:
            raise BrokenPipeError(errno.EPIPE, "it was not taken in time") from error


class TimedWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn ships no types
    """Gunicorn's thread worker with `TimedSocket`."""

    def enqueue_req(self, conn: TConn) -> None:
        """Queue a connection's next request for a thread."""
        if not isinstance(conn.sock, TimedSocket):
            conn.sock = TimedSocket(fileno=conn.sock.detach())
        conn.sock.expect_request()
        super().enqueue_req(conn)

    def handle(self, conn: TConn) -> object:
        """Handle a request in a thread."""
        conn.sock.extend_deadline()
        return super().handle(conn)
