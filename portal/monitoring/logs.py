"""Log formatters (JSON or plain text), request ids, and redaction.

Each line has the id of its request, also in the tasks that the request enqueued. Secrets of the installation, tokens
and email addresses are redacted from messages and tracebacks.
"""

from __future__ import annotations

import json
import logging
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from celery.signals import before_task_publish, task_postrun, task_prerun

NO_REQUEST = "-"
TASK_HEADER = "request_id"

# Also URL-encoded, as in the provider's queries, which a proxy's error page may repeat.
E_MAIL_ADDRESS = re.compile(r"[\w.+%-]+(?:@|%40)[\w-]+(?:\.[\w-]+)+")
# As in an Authorization header, which a library's message may contain.
CREDENTIALS = re.compile(r"(?i)\b(bearer|basic|token)(\s+)[\w.~+/=-]{16,}")
SHORTEST_CREDENTIALS = len("basic ") + 16
# A password in the URL of a database or a broker.
PASSWORD_IN_ADDRESS = re.compile(r"(?<=://)([^\s:/@]*):[^\s/@]+@")

# What each record has; the others of its attributes were logged with it, as `extra`.
RECORD_FIELDS = frozenset((*vars(logging.makeLogRecord({})), "request_id", "message", "asctime", "taskName"))

_request_id: ContextVar[str] = ContextVar("request_id", default=NO_REQUEST)


def current_request_id() -> str:
    """Return the id of the current request, a dash if there is none."""
    return _request_id.get()


@contextmanager
def bind_request_id(request_id: str) -> Iterator[None]:
    """Set the request id of log lines within the block."""
    token = _request_id.set(request_id)
    try:
        yield
    finally:
        _request_id.reset(token)


class RequestIdFilter(logging.Filter):
    """Adds the request's id to every log record."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Add the id and accept the record."""
        record.request_id = _request_id.get()
        return True


class TracebackFilter(logging.Filter):
    """Keeps only Django's log records of unexpected exceptions, not those of expected 5xx responses."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Accept a record with a traceback."""
        return bool(record.exc_info)


class Redaction:
    """Removes secrets, credentials and email addresses from texts; `secrets` are the installation's own."""

    def __init__(self, secrets: list[str]) -> None:
        # The longest first, because one may be a prefix of another.
        patterns = sorted((re.escape(secret) for secret in secrets if secret), key=len, reverse=True)
        self._secrets = re.compile("|".join(patterns)) if patterns else None

    def __call__(self, line: str) -> str:
        """Return the redacted line. The texts of each request are short and have no address: they are not searched."""
        if self._secrets:
            line = self._secrets.sub("[secret]", line)
        if len(line) >= SHORTEST_CREDENTIALS:
            line = CREDENTIALS.sub(r"\1\2[secret]", line)
        if "@" in line or "%40" in line:
            line = PASSWORD_IN_ADDRESS.sub(r"\1:[secret]@", line)
            line = E_MAIL_ADDRESS.sub("[address]", line)
        return line

    def redact_json(self, value: Any) -> Any:
        r"""Return data with all texts redacted, as JSON has them.

        This happens before serializing, because escapes such as `\n` would be taken for part of the next word.
        """
        if isinstance(value, str):
            return self(value)
        if isinstance(value, dict):
            return {self(str(key)): self.redact_json(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.redact_json(item) for item in value]
        if value is None or isinstance(value, int | float):
            return value
        if isinstance(value, BaseException):
            value = f"{type(value).__name__}: {value}"
        return self(str(value))


class PlainLines(logging.Formatter):
    """Formats a plain line: time, level, logger, request id, message, and the traceback below it."""

    def __init__(self, *, secrets: list[str]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s [%(request_id)s] %(message)s")
        self._redact = Redaction(secrets)

    def format(self, record: logging.LogRecord) -> str:
        """Return the redacted line."""
        return self._redact(super().format(record))


class JsonLines(logging.Formatter):
    """Formats a JSON object per line: time (ISO 8601, UTC), level, logger, request_id, message, exception, extras."""

    def __init__(self, *, secrets: list[str]) -> None:
        super().__init__()
        self._redaction = Redaction(secrets)

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, redacted before it is serialized."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "request_id": getattr(record, "request_id", None),
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        line |= {name: value for name, value in vars(record).items() if name not in RECORD_FIELDS}
        return json.dumps({name: self._redaction.redact_json(value) for name, value in line.items()})


@before_task_publish.connect
def _send_request_id(headers: dict[str, Any], **kwargs: Any) -> None:
    if (request_id := _request_id.get()) != NO_REQUEST:
        headers[TASK_HEADER] = request_id


@task_prerun.connect
def _restore_request_id(task: Any, **kwargs: Any) -> None:
    # A task that beat sent has no request; a new id still connects its lines.
    _request_id.set(getattr(task.request, TASK_HEADER, None) or uuid.uuid4().hex)


@task_postrun.connect
def _clear_request_id(**kwargs: Any) -> None:
    _request_id.set(NO_REQUEST)
