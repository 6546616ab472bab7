"""Written codes: recovery codes, and the first code with which an operator enrolls.

Each has 80 random bits. The table holds their HMAC under the pepper. A slow hash is not needed, because the codes
cannot be guessed, and an HMAC can be looked up (ASVS 6.5.2).
"""

from __future__ import annotations

import base64
import secrets

from operators.models import pepper_digest

CODE_BYTES = 10
GROUP_LENGTH = 4


def new_written_code() -> str:
    """Return a new code: four groups of four letters and digits."""
    letters = base64.b32encode(secrets.token_bytes(CODE_BYTES)).decode().lower()
    return "-".join(letters[start : start + GROUP_LENGTH] for start in range(0, len(letters), GROUP_LENGTH))


def code_digest(code: str, *, user_id: int) -> str:
    """Return the stored digest of a code in any spelling, which is valid for this user only."""
    digest = pepper_digest(f"code:{user_id}:{normalize_code(code)}")
    return base64.b32encode(digest[:CODE_BYTES]).decode().lower()


def normalize_code(code: str) -> str:
    """Return a code in lower case without separators."""
    return "".join(character for character in code.lower() if character.isalnum())
