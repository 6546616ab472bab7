"""A mail server that stores mail in memory and can refuse commands."""

from __future__ import annotations

import email
import socketserver
import threading
import time
from email.message import EmailMessage
from email.policy import default as modern_policy
from typing import cast

WAIT_SECONDS = 60.0


class _SmtpHandler(socketserver.StreamRequestHandler):
    """Answers one client's commands."""

    def handle(self) -> None:
        """Answer commands until the client disconnects."""
        server = cast("MailServer", self.server)
        self._send_line("220 mail.example.com ESMTP")
        for line in self.rfile:
            verb = line.split(maxsplit=1)[0].decode().upper() if line.strip() else ""
            refusal = server.refusals.get(verb)
            if refusal:
                self._send_line(refusal)
            elif verb == "DATA":
                self._send_line("354 go on")
                content = self._receive_mail()
                time.sleep(server.seconds_per_mail)
                server.store_mail(content)
                self._send_line("250 taken")
            elif verb == "QUIT":
                self._send_line("221 bye")
                return
            else:
                self._send_line("250 ok")

    def _receive_mail(self) -> bytes:
        lines = []
        for line in self.rfile:
            if line == b".\r\n":
                break
            lines.append(line.removeprefix(b"."))
        return b"".join(lines)

    def _send_line(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


class MailServer(socketserver.ThreadingTCPServer):
    """A mail server on a local port.

    `refusals` maps commands to the lines that refuse them; `seconds_per_mail` is how long it takes to accept a mail.
    """

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _SmtpHandler)
        self.refusals: dict[str, str] = {}
        self.seconds_per_mail = 0.0
        self.messages: list[EmailMessage] = []
        self.port: int = self.server_address[1]
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def store_mail(self, content: bytes) -> None:
        """Store a message."""
        self.messages.append(email.message_from_bytes(content, policy=modern_policy))

    def mails_to(self, address: str) -> list[EmailMessage]:
        """Return the messages to an address, oldest first."""
        return [message for message in self.messages if address in str(message["To"])]

    def wait_for_mails(self, address: str, count: int = 1) -> list[EmailMessage]:
        """Wait until an address has `count` messages, and return them. Raises TimeoutError."""
        deadline = time.monotonic() + WAIT_SECONDS
        while len(self.mails_to(address)) < count:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{len(self.mails_to(address))} of {count} letters came for {address}")
            time.sleep(0.05)
        return self.mails_to(address)
