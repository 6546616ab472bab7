"""Gunicorn's threads, each with a limit on how long a client may hold it.

Gunicorn's own wait for ever on a client that has begun to speak: as many slow clients as there are threads stop the
portal. The proxy of `deploy/` keeps such clients away; this holds where there is none, and behind one that fails.
"""

from __future__ import annotations

import errno
import socket
import time

from gunicorn.workers.gthread import TConn, ThreadWorker


class TimedSocket(socket.socket):
    """A client's socket on which a request must arrive in time, and an answer be taken in time.

    What is late counts as a client that has gone.
    """

    # All of a request: its head, and its body of at most a quarter of a megabyte.
    arrives_within = 10.0
    # What was here before a thread was free for it.
    read_within = 1.0
    # All of what is written at once, a file at most.
    taken_within = 30.0

    def expect_request(self) -> None:
        """Begin to count."""
        self._arrives_before = time.monotonic() + self.arrives_within

    def attend(self) -> None:
        """Grant a little time to a request that waited for a thread, which may have been here all the while."""
        self._arrives_before = max(self._arrives_before, time.monotonic() + self.read_within)

    def recv(self, bufsize: int, flags: int = 0) -> bytes:
        """Return what has come; nothing once the time is over. Raises `TimeoutError` at the socket's own limit."""
        own = self.gettimeout()
        if own == 0:
            return super().recv(bufsize, flags)
        left = self._arrives_before - time.monotonic()
        if left <= 0:
            return b""
        self.settimeout(left if own is None else min(own, left))
        try:
            return super().recv(bufsize, flags)
        except TimeoutError:
            if own is not None and own < left:
                raise
            return b""
        finally:
            self.settimeout(own)

    def setblocking(self, flag: bool) -> None:
        """Wait for the client's end, but not for ever."""
        self.settimeout(self.taken_within if flag else 0)

    def sendall(self, data: bytes, flags: int = 0) -> None:  # type: ignore[override]
        """Send all of it. Raises `BrokenPipeError` when the client does not take it in time."""
        try:
            super().sendall(data, flags)
        except TimeoutError as error:
            raise BrokenPipeError(errno.EPIPE, "it was not taken in time") from error


class TimedWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn ships no types
    """Gunicorn's worker of threads, on sockets that keep time."""

    def enqueue_req(self, conn: TConn) -> None:
        """Have a thread read and answer a connection's next request."""
        if not isinstance(conn.sock, TimedSocket):
            conn.sock = TimedSocket(fileno=conn.sock.detach())
        conn.sock.expect_request()
        super().enqueue_req(conn)

    def handle(self, conn: TConn) -> object:
        """Read and answer a request, in a thread of its own."""
        conn.sock.attend()
        return super().handle(conn)
