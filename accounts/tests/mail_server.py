"""A mail server that is there and of no use: it takes the connection and says nothing, or stops half-way."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

GREETING = b"220 mail.example.com ESMTP\r\n"


@contextmanager
def stalled(*, after: int = 0) -> Iterator[int]:
    """Listen on a free port; answer so many lines of a client, greeting included, and never again."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        held: list[socket.socket] = []
        threading.Thread(target=_serve, args=(listener, after, held), daemon=True).start()
        try:
            yield int(listener.getsockname()[1])
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            for one in held:
                one.close()


def _serve(listener: socket.socket, after: int, held: list[socket.socket]) -> None:
    with suppress(OSError):
        while True:
            connection, _ = listener.accept()
            held.append(connection)
            for line in range(after):
                if line:
                    connection.recv(4096)
                connection.sendall(GREETING if line == 0 else b"250 ok\r\n")
