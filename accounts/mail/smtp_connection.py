"""The connection to the mail server, which each thread of a worker keeps for the next mail.

Opening one costs six round trips and a TLS handshake, sending a mail on an open one costs four round trips.
"""

from __future__ import annotations

import smtplib
import threading
import time
from dataclasses import dataclass
from typing import cast

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.smtp import EmailBackend

# Servers close idle connections after a minute at the earliest, some after a hundred mails.
LONGEST_IDLE_SECONDS = 50.0
MAX_MAILS = 100
SMTP_OK = 250
# After so long without a mail the server is asked whether it is still there, and has so long to answer.
PROBE_AFTER_SECONDS, PROBE_SECONDS = 2.0, 3.0


@dataclass
class _KeptConnection:
    backend: EmailBackend
    used_at: float
    mails: int = 0


_thread = threading.local()


def send_message(message: EmailMessage) -> None:
    """Send a message, by SMTP on the thread's open connection. Raises what the mail server or the network raises."""
    if f"{EmailBackend.__module__}.{EmailBackend.__qualname__}" != settings.EMAIL_BACKEND:
        message.send()
        return
    kept = _usable_connection()
    message.connection = kept.backend
    try:
        message.send()
    except BaseException:
        _drop_connection(kept)
        raise
    kept.used_at, kept.mails = time.monotonic(), kept.mails + 1


def _usable_connection() -> _KeptConnection:
    """Return the thread's connection if it can take one more mail, else a new one."""
    kept: _KeptConnection | None = getattr(_thread, "kept", None)
    if kept is not None:
        if _is_usable(kept):
            return kept
        _drop_connection(kept)
    backend = cast("EmailBackend", get_connection())
    backend.open()
    _thread.kept = _KeptConnection(backend, used_at=time.monotonic())
    return cast("_KeptConnection", _thread.kept)


def _is_usable(kept: _KeptConnection) -> bool:
    idle = time.monotonic() - kept.used_at
    is_same_server = (kept.backend.host, kept.backend.port) == (settings.EMAIL_HOST, settings.EMAIL_PORT)
    if not is_same_server or kept.mails >= MAX_MAILS or idle > LONGEST_IDLE_SECONDS:
        return False
    return idle < PROBE_AFTER_SECONDS or _does_answer(cast("smtplib.SMTP", kept.backend.connection))


def _does_answer(smtp: smtplib.SMTP) -> bool:
    if smtp.sock is None:
        return False
    timeout = smtp.sock.gettimeout()
    smtp.sock.settimeout(PROBE_SECONDS)
    try:
        code, _ = smtp.noop()
    except (OSError, smtplib.SMTPException):
        return False
    smtp.sock.settimeout(timeout)
    return code == SMTP_OK


def _drop_connection(kept: _KeptConnection) -> None:
    """Close the connection without a word: the server may not answer any more."""
    _thread.kept = None
    if kept.backend.connection is not None:
        kept.backend.connection.close()
        kept.backend.connection = None
