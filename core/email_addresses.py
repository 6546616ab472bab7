"""Email addresses in the normalized spelling that the portal stores and compares."""

from __future__ import annotations

import re

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

MAX_LENGTH = 254  # RFC 5321, section 4.5.3.1.3, less the angle brackets

# A quoted name is another spelling of the same mailbox (RFC 5321, section 4.1.2).
_REFUSED_CHARACTER = re.compile(r"[\s\x00-\x1f\x7f\"]")


class InvalidAddress(ValueError):
    """The text is not an email address that the portal accepts."""


def normalize_email(text: str) -> str:
    """Return the address in lower case, without surrounding spaces.

    Raises InvalidAddress for anything else. That includes non-ASCII text, since look-alike letters would make two
    people's addresses look the same, control characters, since the address is put into mail headers, and quoted names.
    """
    address = text.strip(" ")
    if not address.isascii() or _REFUSED_CHARACTER.search(address) or len(address) > MAX_LENGTH:
        raise InvalidAddress("Enter a valid email address.")
    try:
        validate_email(address)
    except ValidationError as error:
        raise InvalidAddress("Enter a valid email address.") from error
    return address.lower()


def usable_address(text: str) -> str:
    """Return the normalized address, or an empty text for one that the portal does not accept."""
    try:
        return normalize_email(text)
    except InvalidAddress:
        return ""
