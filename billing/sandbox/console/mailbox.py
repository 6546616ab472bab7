"""Reads the mail that Django's file-based e-mail backend left in a directory.

The backend writes one file per connection and ends each message in it with a line of 79 dashes, so a
message is named by its file and its place in that file.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import getaddresses, parsedate_to_datetime
from functools import lru_cache
from pathlib import Path

_SEPARATOR = re.compile(rb"^-{79}\r?\n", re.MULTILINE)
_FILE_NAME = re.compile(r"[A-Za-z0-9._-]+\.log")
# Only a mail about a code holds one; any invoice number of six digits would be taken for it.
_SPEAKS_OF_A_CODE = re.compile(r"\bcode\b", re.IGNORECASE)
_CODE = re.compile(r"(?<![\d#-])(\d{3})[ \u00a0]?(\d{3})(?![\d-])")


class MessageNotFound(LookupError):
    """No message of that name is in the mail directory."""


@dataclass(frozen=True, slots=True)
class Message:
    """One mail as a person reads it: `sent_at` in UTC, `key` for its URL, `code` to sign in or empty."""

    key: str
    sender: str
    recipients: tuple[str, ...]
    subject: str
    sent_at: datetime
    text: str
    html: str
    code: str

    def is_for(self, needle: str) -> bool:
        """Whether a recipient's address contains `needle`, compared without case."""
        return any(needle.casefold() in address.casefold() for address in self.recipients)


def messages(directory: Path, *, recipient: str = "", limit: int | None = None) -> list[Message]:
    """The mail in `directory`, newest first, narrowed to addresses containing `recipient`."""
    found = [message for message in _all(directory) if message.is_for(recipient)]
    found.sort(key=lambda message: (message.sent_at, message.key), reverse=True)
    return found[:limit]


def message(directory: Path, key: str) -> Message:
    """One mail by its key; raises MessageNotFound."""
    file_name, _, place = key.rpartition(":")
    path = directory / file_name
    if not _FILE_NAME.fullmatch(file_name) or not place.isdecimal() or not path.is_file():
        raise MessageNotFound(key)
    held = _messages_of(path)
    if int(place) >= len(held):
        raise MessageNotFound(key)
    return held[int(place)]


def _all(directory: Path) -> Iterator[Message]:
    for path in directory.glob("*.log"):
        if _FILE_NAME.fullmatch(path.name):
            yield from _messages_of(path)


def _messages_of(path: Path) -> tuple[Message, ...]:
    stat = path.stat()
    return _parsed(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=4096)
def _parsed(path: Path, mtime_ns: int, _size: int) -> tuple[Message, ...]:
    """Parsing is kept for as long as the file keeps its time and size: an inbox only ever grows."""
    parts = [part for part in _SEPARATOR.split(path.read_bytes()) if part.strip()]
    written_at = datetime.fromtimestamp(mtime_ns / 1e9, UTC)
    return tuple(_parse(f"{path.name}:{place}", part, written_at) for place, part in enumerate(parts))


def _parse(key: str, source: bytes, written_at: datetime) -> Message:
    mail = message_from_bytes(source, policy=policy.default)
    text, subject = _body(mail, "plain"), str(mail.get("subject", ""))
    return Message(
        key=key,
        sender=str(mail.get("from", "")),
        recipients=_addresses(mail),
        subject=subject,
        sent_at=_sent_at(mail, written_at),
        text=text,
        html=_body(mail, "html"),
        code=_sign_in_code(subject, text),
    )


def _addresses(mail: EmailMessage) -> tuple[str, ...]:
    headers = [str(value) for name in ("to", "cc", "bcc") for value in mail.get_all(name, [])]
    return tuple(address for _name, address in getaddresses(headers) if address)


def _sent_at(mail: EmailMessage, written_at: datetime) -> datetime:
    try:
        sent_at = parsedate_to_datetime(str(mail.get("date", "")))
    except ValueError:
        return written_at
    return sent_at.astimezone(UTC) if sent_at.tzinfo else sent_at.replace(tzinfo=UTC)


def _body(mail: EmailMessage, kind: str) -> str:
    part = mail.get_body(preferencelist=(kind,))
    if part is None:
        return ""
    try:
        return str(part.get_content())
    except (LookupError, KeyError):
        # An unknown charset or transfer encoding: show what is there rather than nothing.
        return str(part.get_payload())


def _sign_in_code(subject: str, text: str) -> str:
    if not _SPEAKS_OF_A_CODE.search(subject):
        return ""
    found = _CODE.search(subject) or _CODE.search(text)
    return "".join(found.groups()) if found else ""
