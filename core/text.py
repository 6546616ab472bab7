"""Text that people type: what may be in it, and how it is put on one line.

Characters that nobody sees can make a text look like another one: controls, and those that turn the direction of what
follows, such as U+202E. Joiners are allowed, which some languages and many emoji need.
"""

from __future__ import annotations

import unicodedata

from django.core.exceptions import ValidationError

ZERO_WIDTH_NON_JOINER, ZERO_WIDTH_JOINER = "\u200c", "\u200d"
JOINERS = frozenset((ZERO_WIDTH_NON_JOINER, ZERO_WIDTH_JOINER))
LINE_BREAKS = frozenset("\t\n\r")
# Controls, formats, line and paragraph separators, and half characters.
HIDDEN_CATEGORIES = frozenset(("Cc", "Cf", "Zl", "Zp", "Cs"))

HIDDEN_MESSAGE = "This can't have hidden characters, such as those that turn the direction of text. Type it anew."
LINE_MESSAGE = "This can't have line breaks or hidden characters, such as those that turn text. Type it anew."


def is_hidden(character: str) -> bool:
    """Return whether a character is not seen, or changes how others are shown. Fields refuse NUL by themselves."""
    if character == "\0":
        return False
    return unicodedata.category(character) in HIDDEN_CATEGORIES and character not in JOINERS


def validate_lines(text: str) -> None:
    """Raise ValidationError if a text of several lines has hidden characters."""
    if any(is_hidden(character) and character not in LINE_BREAKS for character in text):
        raise ValidationError(HIDDEN_MESSAGE, code="hidden_characters")


def validate_line(text: str) -> None:
    """Raise ValidationError if a text has line breaks or hidden characters."""
    if any(map(is_hidden, text)):
        raise ValidationError(LINE_MESSAGE, code="hidden_characters")


def on_one_line(text: str) -> str:
    """Return a text without hidden characters, on one line: for the header of a mail."""
    words = "".join(" " if character.isspace() else character for character in text)
    return " ".join("".join(character for character in words if not is_hidden(character)).split())
