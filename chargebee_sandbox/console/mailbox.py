"""Reads the mail that Django's file-based email backend writes to a directory.

The backend writes one file per connection and ends each message with a line of 79 dashes, so a message's key is its
file and its position in that file.
"""

import base64
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
# Only mails about a code are searched: elsewhere a six-digit invoice number would be mistaken for one.
_CODE_SUBJECT = re.compile(r"\bcode\b", re.IGNORECASE)
_CODE_DIGITS = re.compile(r"(?<![\d#-])(\d{3})[ \u00a0]?(\d{3})(?![\d-])")


class MessageNotFound(LookupError):
    """The mail directory has no message with this key."""


@dataclass(frozen=True, slots=True)
class Message:
    """A parsed mail: `sent_at` in UTC, `key` for its URL, `code` the sign-in code or empty."""

    key: str
    sender: str
    recipients: tuple[str, ...]
    subject: str
    sent_at: datetime
    text: str
    html: str
    code: str

    def is_for(self, needle: str) -> bool:
        """Return whether a recipient's address contains `needle`, ignoring case."""
        return any(needle.casefold() in address.casefold() for address in self.recipients)


def list_messages(directory: Path, *, recipient: str = "", limit: int | None = None) -> list[Message]:
    """Return the mail in `directory` to addresses containing `recipient`, newest first."""
    messages = [message for message in _all_messages(directory) if message.is_for(recipient)]
    messages.sort(key=lambda message: (message.sent_at, message.key), reverse=True)
    return messages[:limit]


def read_message(directory: Path, key: str) -> Message:
    """Return a mail by its key. Raises: MessageNotFound."""
    file_name, _, position = key.rpartition(":")
    path = directory / file_name
    if not _FILE_NAME.fullmatch(file_name) or not position.isdecimal() or not path.is_file():
        raise MessageNotFound(key)
    messages = _messages_in_file(path)
    if int(position) >= len(messages):
        raise MessageNotFound(key)
    return messages[int(position)]


def _all_messages(directory: Path) -> Iterator[Message]:
    for path in directory.glob("*.log"):
        if _FILE_NAME.fullmatch(path.name):
            yield from _messages_in_file(path)


def _messages_in_file(path: Path) -> tuple[Message, ...]:
    stat = path.stat()
    return _parse_file(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=4096)
def _parse_file(path: Path, mtime_ns: int, _size: int) -> tuple[Message, ...]:
    """Parse a file; the result is cached until the file's time or size changes."""
    parts = [part for part in _SEPARATOR.split(path.read_bytes()) if part.strip()]
    written_at = datetime.fromtimestamp(mtime_ns / 1e9, UTC)
    return tuple(_parse_message(f"{path.name}:{position}", part, written_at) for position, part in enumerate(parts))


def _parse_message(key: str, source: bytes, written_at: datetime) -> Message:
    mail = message_from_bytes(source, policy=policy.default)
    text, subject = _message_part(mail, "plain"), str(mail.get("subject", ""))
    return Message(
        key=key,
        sender=str(mail.get("from", "")),
        recipients=_recipient_addresses(mail),
        subject=subject,
        sent_at=_sent_at(mail, written_at),
        text=text,
        html=_html_with_pictures(mail),
        code=_sign_in_code(subject, text),
    )


def _recipient_addresses(mail: EmailMessage) -> tuple[str, ...]:
    headers = [str(value) for name in ("to", "cc", "bcc") for value in mail.get_all(name, [])]
    return tuple(address for _name, address in getaddresses(headers) if address)


def _sent_at(mail: EmailMessage, written_at: datetime) -> datetime:
    try:
        sent_at = parsedate_to_datetime(str(mail.get("date", "")))
    except ValueError:
        return written_at
    return sent_at.astimezone(UTC) if sent_at.tzinfo else sent_at.replace(tzinfo=UTC)


def _message_part(mail: EmailMessage, kind: str) -> str:
    part = mail.get_body(preferencelist=(kind,))
    if part is None:
        return ""
    try:
        return str(part.get_content())
    except (LookupError, KeyError):
        # Unknown charset or transfer encoding: show the undecoded text.
        return str(part.get_payload())


def _html_with_pictures(mail: EmailMessage) -> str:
    """Return the HTML part with the pictures of the mail inside, where it names them by their content id."""
    html = _message_part(mail, "html")
    for part in mail.walk():
        content_id, content = str(part.get("content-id", "")).strip("<> "), part.get_payload(decode=True)
        if part.get_content_maintype() == "image" and content_id and isinstance(content, bytes):
            encoded = base64.b64encode(content).decode()
            html = html.replace(f"cid:{content_id}", f"data:{part.get_content_type()};base64,{encoded}")
    return html


def _sign_in_code(subject: str, text: str) -> str:
    if not _CODE_SUBJECT.search(subject):
        return ""
    match = _CODE_DIGITS.search(subject) or _CODE_DIGITS.search(text)
    return "".join(match.groups()) if match else ""
