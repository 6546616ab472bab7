"""E-mail addresses, in the one spelling that the portal stores and compares."""

from __future__ import annotations

import re

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

MAX_LENGTH = 254  # RFC 5321, section 4.5.3.1.3, less the angle brackets

_SPACE_OR_CONTROL = re.compile(r"[\s\x00-\x1f\x7f]")


class InvalidAddress(ValueError):
    """The text is not an e-mail address that the portal accepts."""


def normalise_email(text: str) -> str:
    """Give the address in lower case, without the spaces around it.

    Only ASCII is accepted: a letter that merely looks like another one would make two people of one address
    or, worse, one of two. A line break or any other control character is refused wherever it stands, since
    the text ends up in a mail's header.

    Raises `InvalidAddress`.
    """
    address = text.strip(" ")
    if not address.isascii() or _SPACE_OR_CONTROL.search(address) or len(address) > MAX_LENGTH:
        raise InvalidAddress("Enter a valid email address.")
    try:
        validate_email(address)
    except ValidationError as error:
        raise InvalidAddress("Enter a valid email address.") from error
    return address.lower()
