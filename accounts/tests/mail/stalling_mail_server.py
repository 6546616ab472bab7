"""A mail server that accepts connections and then stops responding."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

GREETING = b"220 mail.example.com ESMTP\r\n"


@contextmanager
def run_stalling_server(*, after: int = 0) -> Iterator[int]:
    """Listen on a free port, and stop responding after this many lines, including the greeting."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        connections: list[socket.socket] = []
        threading.Thread(target=_serve_connections, args=(listener, after, connections), daemon=True).start()
        try:
            yield int(listener.getsockname()[1])
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            for connection in connections:
                connection.close()


def _serve_connections(listener: socket.socket, after: int, connections: list[socket.socket]) -> None:
    with suppress(OSError):
        while True:
            connection, _ = listener.accept()
            connections.append(connection)
            for line in range(after):
                if line:
                    connection.recv(4096)
                connection.sendall(GREETING if line == 0 else b"250 ok\r\n")
