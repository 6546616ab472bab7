"""How log lines are written: one JSON object each where machines read them, plain lines on one's own machine.

Each line has the id of the request that it belongs to, also where a worker goes on with what a request began. No line
holds a secret of the installation, a token or somebody's address, whatever the message or the exception said.
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
from pythonjsonlogger.json import JsonFormatter

NO_REQUEST = "-"
HEADER = "request_id"

# Also as it stands in a query: what asks the provider for an address has it there, and a proxy's page may repeat that.
E_MAIL_ADDRESS = re.compile(r"[\w.+%-]+(?:@|%40)[\w-]+(?:\.[\w-]+)+")
# As in an Authorization header, in whatever a library says of a request.
CREDENTIALS = re.compile(r"(?i)\b(bearer|basic|token)(\s+)[\w.~+/=-]{16,}")
# A password in the address of a database or a broker.
PASSWORD_IN_ADDRESS = re.compile(r"(?<=://)([^\s:/@]*):[^\s/@]+@")

_current: ContextVar[str] = ContextVar("request_id", default=NO_REQUEST)


def current_request_id() -> str:
    """Return the id of the request that is being worked for, a dash when there is none."""
    return _current.get()


@contextmanager
def working_for(request_id: str) -> Iterator[None]:
    """Let the lines of a block carry this id."""
    token = _current.set(request_id)
    try:
        yield
    finally:
        _current.reset(token)


class RequestIdFilter(logging.Filter):
    """Gives every log line the id of the request it belongs to, or a dash."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every line pass, with its id."""
        record.request_id = _current.get()
        return True


class MistakesFilter(logging.Filter):
    """Keeps of what Django says of requests what is a mistake of ours: that one was answered with a 503 is no event."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let a line pass that has a traceback."""
        return bool(record.exc_info)


class Redaction:
    """Takes out of a line what may stand in no log; `secrets` are the values that this installation must not tell."""

    def __init__(self, secrets: list[str]) -> None:
        # The longest first: one may be the beginning of another.
        words = sorted((re.escape(secret) for secret in secrets if secret), key=len, reverse=True)
        self._secrets = re.compile("|".join(words)) if words else None

    def __call__(self, line: str) -> str:
        """Return the line without secrets, credentials and addresses."""
        if self._secrets:
            line = self._secrets.sub("[secret]", line)
        line = CREDENTIALS.sub(r"\1\2[secret]", line)
        line = PASSWORD_IN_ADDRESS.sub(r"\1:[secret]@", line)
        return E_MAIL_ADDRESS.sub("[address]", line)

    def within(self, told: Any) -> Any:
        """Return what JSON can hold with each of its texts redacted.

        Done before it is written as JSON: there a word begins with the last letter of the escape before it.
        """
        if isinstance(told, str):
            return self(told)
        if isinstance(told, dict):
            return {self(str(name)): self.within(value) for name, value in told.items()}
        if isinstance(told, list | tuple):
            return [self.within(value) for value in told]
        return told


class PlainLines(logging.Formatter):
    """A line for people: time, level, logger, request, message, and the traceback below it."""

    def __init__(self, *, secrets: list[str]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s [%(request_id)s] %(message)s")
        self._redacted = Redaction(secrets)

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, redacted."""
        return self._redacted(super().format(record))


class JsonLines(JsonFormatter):
    """A JSON object for each line: time (ISO 8601, UTC), level, logger, request_id, message, exception, and extras."""

    def __init__(self, *, secrets: list[str]) -> None:
        super().__init__(
            ["asctime", "levelname", "name", "request_id", "message"],
            rename_fields={
                "asctime": "time",
                "levelname": "level",
                "name": "logger",
                "exc_info": "exception",
            },
        )
        self._redacted = Redaction(secrets)

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802  (its name)
        """Return when the line was written, to the millisecond."""
        return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")

    def format(self, record: logging.LogRecord) -> str:
        """Return the object, redacted."""
        return json.dumps(self._redacted.within(json.loads(super().format(record))))


@before_task_publish.connect
def _hand_on(headers: dict[str, Any], **kwargs: Any) -> None:
    if (request_id := _current.get()) != NO_REQUEST:
        headers[HEADER] = request_id


@task_prerun.connect
def _take_up(task: Any, **kwargs: Any) -> None:
    # What beat sends belongs to no request; its lines still belong together.
    _current.set(getattr(task.request, HEADER, None) or uuid.uuid4().hex)


@task_postrun.connect
def _put_down(**kwargs: Any) -> None:
    _current.set(NO_REQUEST)
