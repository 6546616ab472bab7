"""Opaque public ids, in the provider's manner: a prefix and random letters and digits."""

import secrets
import string

_ALPHABET = string.ascii_letters + string.digits


def new(prefix: str = "") -> str:
    """An id nobody can guess or order."""
    return prefix + "".join(secrets.choice(_ALPHABET) for _ in range(16))
