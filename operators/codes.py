"""Codes that are written down: recovery codes, and the one that lets an operator in for the first time.

Eighty random bits each. The table holds their digest under the pepper, not a slow hash: what cannot be guessed
without the pepper needs no slowness, and one look-up finds the row (ASVS 6.5.2).
"""

from __future__ import annotations

import base64
import secrets

from operators.models import peppered

CODE_BYTES = 10
GROUP = 4


def new_code() -> str:
    """Give a code as it is shown: four groups of four letters and digits."""
    letters = base64.b32encode(secrets.token_bytes(CODE_BYTES)).decode().lower()
    return "-".join(letters[start : start + GROUP] for start in range(0, len(letters), GROUP))


def as_stored(code: str, *, user_id: int) -> str:
    """Give what the table holds for a code, however its owner spells it. It holds for this owner alone."""
    return base64.b32encode(peppered(f"code:{user_id}:{plain(code)}")[:CODE_BYTES]).decode().lower()


def plain(code: str) -> str:
    """Give a code without what people put between its characters."""
    return "".join(character for character in code.lower() if character.isalnum())
