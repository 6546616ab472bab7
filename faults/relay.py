"""A bad network: a TCP relay in front of a server of this machine that is slow, cuts, falls silent or hangs up.

Threads rather than one event loop: what somebody does in the middle of one connection must not hold up the others.
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
# Ends a connection by a reset: whatever was under way is thrown away, as when a host crashes.
AT_ONCE = struct.pack("ii", 1, 0)

Mood = Literal["good", "slow", "silent", "hung up"]


class CutShort(Exception):
    """The connection ends here."""


@dataclass(eq=False)
class Line:
    """One connection: the client's end, the server's end, and how many bytes the server has heard on it."""

    near: socket.socket
    far: socket.socket
    heard: int = 0

    def end(self, *, reset: bool = False) -> None:
        """Close both ends; the client's by a reset if asked to."""
        with suppress(OSError):
            if reset:
                self.near.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
            else:
                self.near.shutdown(socket.SHUT_RDWR)
        with suppress(OSError):
            self.far.shutdown(socket.SHUT_RDWR)
        self.near.close()
        self.far.close()


Carried = Callable[[Line, bytes], bytes]


class Relay:
    """Carries connections to a port of this machine, as well as its mood lets it."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.connections = 0
        self._mood: Mood = "good"
        self._delay = 0.0
        self._cut_after: int | None = None
        self._lines: set[Line] = set()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def slow_down(self, seconds: float) -> None:
        """Hold back each answer for so long."""
        self._mood, self._delay = "slow", seconds

    def fall_silent(self) -> None:
        """Accept everything and answer nothing, on open connections and on new ones."""
        self._mood = "silent"

    def hang_up(self) -> None:
        """Reset every open connection, and each new one at once."""
        self._mood = "hung up"
        self._reset_all()

    def cut_next(self, after: int) -> None:
        """End the next connection when the server has heard so many bytes, and has not been let answer to the last."""
        self._cut_after = after

    def mend(self) -> None:
        """Carry everything again; a connection on which something was lost is ended."""
        was, self._mood, self._delay, self._cut_after = self._mood, "good", 0.0, None
        if was == "silent":
            self._reset_all()

    def close(self) -> None:
        """Refuse new connections and end the open ones."""
        with suppress(OSError):
            # Closing alone leaves the thread waiting on a number that the next socket may get.
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for line in [*self._lines]:
            line.end()

    def to_server(self, line: Line, data: bytes) -> bytes:
        """Return what the server is to hear. Raises `CutShort`."""
        line.heard += len(data)
        return b"" if self._mood == "silent" else data

    def to_client(self, line: Line, data: bytes) -> bytes:
        """Return what the client is to hear. Raises `CutShort`."""
        if self._cut_after is not None and line.heard > self._cut_after:
            self._cut_after = None
            raise CutShort
        if self._mood == "slow":
            time.sleep(self._delay)
        return b"" if self._mood == "silent" else data

    def _reset_all(self) -> None:
        for line in [*self._lines]:
            line.end(reset=True)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                self.connections += 1
                self._connect(near)

    def _connect(self, near: socket.socket) -> None:
        try:
            far = socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            near.close()  # nobody is behind: the client sees its connection end
            return
        line = Line(near, far)
        if self._mood == "hung up":
            line.end(reset=True)
            return
        self._lines.add(line)
        for source, sink, carried in ((near, far, self.to_server), (far, near, self.to_client)):
            threading.Thread(target=self._carry, args=(line, source, sink, carried), daemon=True).start()

    def _carry(self, line: Line, source: socket.socket, sink: socket.socket, carried: Carried) -> None:
        with suppress(OSError, CutShort):
            while data := source.recv(BUFFER):
                if passed := carried(line, data):
                    sink.sendall(passed)
        self._lines.discard(line)
        line.end()
