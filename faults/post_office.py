"""A mail server that keeps what it takes, and answers as it is told."""

from __future__ import annotations

import email
import socketserver
import threading
import time
from email.message import EmailMessage
from email.policy import default as modern_policy
from typing import cast

WAIT_SECONDS = 30.0


class _Conversation(socketserver.StreamRequestHandler):
    """One client's commands, each answered."""

    def handle(self) -> None:
        """Answer until the client goes."""
        office = cast("PostOffice", self.server)
        self._say("220 mail.example.com ESMTP")
        for line in self.rfile:
            verb = line.split(maxsplit=1)[0].decode().upper() if line.strip() else ""
            refusal = office.refusals.get(verb)
            if refusal:
                self._say(refusal)
            elif verb == "DATA":
                self._say("354 go on")
                office.keep(self._letter())
                self._say("250 taken")
            elif verb == "QUIT":
                self._say("221 bye")
                return
            else:
                self._say("250 ok")

    def _letter(self) -> bytes:
        lines = []
        for line in self.rfile:
            if line == b".\r\n":
                break
            lines.append(line.removeprefix(b"."))
        return b"".join(lines)

    def _say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


class PostOffice(socketserver.ThreadingTCPServer):
    """Takes mail on a port of this machine; `refusals` says what to answer to a command in place of taking it."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.refusals: dict[str, str] = {}
        self.letters: list[EmailMessage] = []
        self.port: int = self.server_address[1]
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def keep(self, letter: bytes) -> None:
        """Take a letter in."""
        self.letters.append(email.message_from_bytes(letter, policy=modern_policy))

    def to(self, address: str) -> list[EmailMessage]:
        """Return what came for an address, oldest first."""
        return [letter for letter in self.letters if address in str(letter["To"])]

    def wait_for(self, address: str, count: int = 1) -> list[EmailMessage]:
        """Wait until so many letters came for an address, and return them. Raises `TimeoutError`."""
        deadline = time.monotonic() + WAIT_SECONDS
        while len(self.to(address)) < count:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{len(self.to(address))} of {count} letters came for {address}")
            time.sleep(0.05)
        return self.to(address)
