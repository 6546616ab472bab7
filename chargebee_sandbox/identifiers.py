"""Opaque public ids as the provider has them: a prefix, then random letters and digits."""

import secrets
import string

_ALPHABET = string.ascii_letters + string.digits


def new_id(prefix: str = "") -> str:
    """Return an id that can be neither guessed nor ordered."""
    return prefix + "".join(secrets.choice(_ALPHABET) for _ in range(16))
