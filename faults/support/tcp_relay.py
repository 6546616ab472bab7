"""A TCP relay in front of a local server that can delay, cut, silence or refuse connections.

It uses threads, not an event loop, so that a blocking filter on one connection does not delay the others.
"""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

BUFFER = 65_536
# Closes a connection with a reset, which discards unsent data, as when a host crashes.
RESET_ON_CLOSE = struct.pack("ii", 1, 0)

RelayMode = Literal["good", "slow", "silent", "hung up"]


class ConnectionCut(Exception):
    """Raised by a filter to cut the connection."""


@dataclass(eq=False)
class RelayedConnection:
    """One connection: the two sockets, and how many bytes the server received since `cut_next`."""

    client: socket.socket
    server: socket.socket
    bytes_received: int = 0

    def close_ends(self, *, reset: bool = False) -> None:
        """Close both sockets; with `reset`, the client sees a connection reset."""
        with suppress(OSError):
            if reset:
                self.client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
            else:
                self.client.shutdown(socket.SHUT_RDWR)
        with suppress(OSError):
            self.server.shutdown(socket.SHUT_RDWR)
        self.client.close()
        self.server.close()


DataFilter = Callable[[RelayedConnection, bytes], bytes]


class TcpRelay:
    """Relays connections to a local port, in the way its mode says."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.connections = 0
        self._mode: RelayMode = "good"
        self._delay = 0.0
        self._cut_after: int | None = None
        self._lines: set[RelayedConnection] = set()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept_connections, daemon=True).start()

    def slow_down(self, seconds: float) -> None:
        """Delay each answer by this many seconds."""
        self._mode, self._delay = "slow", seconds

    def stop_answering(self) -> None:
        """Accept connections and data, but relay no answers."""
        self._mode = "silent"

    def hang_up(self) -> None:
        """Reset all open connections, and new ones as soon as they are accepted."""
        self._mode = "hung up"
        self._reset_all()

    def cut_next(self, after: int) -> None:
        """Cut the first connection that brings the server more than `after` bytes from now on, before the answer."""
        for line in [*self._lines]:
            line.bytes_received = 0
        self._cut_after = after

    def restore(self) -> None:
        """Relay everything again; reset connections on which data was dropped."""
        previous_mode, self._mode, self._delay, self._cut_after = self._mode, "good", 0.0, None
        if previous_mode == "silent":
            self._reset_all()

    def close(self) -> None:
        """Refuse new connections and close the open ones."""
        with suppress(OSError):
            # Closing alone would leave the thread waiting on a file descriptor that may be reused.
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for line in [*self._lines]:
            line.close_ends()

    def to_server(self, line: RelayedConnection, data: bytes) -> bytes:
        """Return what to relay to the server. Raises ConnectionCut."""
        line.bytes_received += len(data)
        return b"" if self._mode == "silent" else data

    def to_client(self, line: RelayedConnection, data: bytes) -> bytes:
        """Return what to relay to the client. Raises ConnectionCut."""
        if self._cut_after is not None and line.bytes_received > self._cut_after:
            self._cut_after = None
            raise ConnectionCut
        if self._mode == "slow":
            time.sleep(self._delay)
        return b"" if self._mode == "silent" else data

    def _reset_all(self) -> None:
        for line in [*self._lines]:
            line.close_ends(reset=True)

    def _accept_connections(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self.connections += 1
                self._connect_ends(client)

    def _connect_ends(self, client: socket.socket) -> None:
        try:
            server = socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            client.close()  # the server is down
            return
        line = RelayedConnection(client, server)
        if self._mode == "hung up":
            line.close_ends(reset=True)
            return
        self._lines.add(line)
        for source, sink, data_filter in ((client, server, self.to_server), (server, client, self.to_client)):
            threading.Thread(target=self._relay_data, args=(line, source, sink, data_filter), daemon=True).start()

    def _relay_data(
        self, line: RelayedConnection, source: socket.socket, sink: socket.socket, data_filter: DataFilter
    ) -> None:
        with suppress(OSError, ConnectionCut):
            while data := source.recv(BUFFER):
                if filtered := data_filter(line, data):
                    sink.sendall(filtered)
        self._lines.discard(line)
        line.close_ends()
