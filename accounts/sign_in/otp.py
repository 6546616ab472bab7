"""One-time codes: six digits that are generated, hashed and verified."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets

from django.conf import settings
from django.contrib.auth.hashers import ScryptPasswordHasher

CODE_DIGITS = 6


class _CodeHasher(ScryptPasswordHasher):
    """Scrypt with one lane and, by `CODE_HASH_WORK_FACTOR`, 16 MiB, which takes some tens of milliseconds.

    Against a stolen table, no cost protects six digits from brute force. The pepper does, because it is not in the
    database.
    """

    work_factor = settings.CODE_HASH_WORK_FACTOR
    parallelism = 1


_hasher = _CodeHasher()
# Verified against if there is no code, so that the response takes equally long. It is random instead of computed,
# because hashing would slow down the start of every process.
_DUMMY_HASH = "$".join(
    (
        str(_hasher.algorithm),
        str(_hasher.work_factor),
        _hasher.salt(),
        str(_hasher.block_size),
        str(_hasher.parallelism),
        base64.b64encode(secrets.token_bytes(64)).decode(),
    )
)


def new_code() -> str:
    """Return six random digits (ASVS 6.5.3, 6.5.4)."""
    return f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}d}"


def hash_code(code: str, *, challenge: str) -> str:
    """Return the salted hash of the peppered code, which is valid for this challenge only."""
    return _hasher.encode(_pepper_code(code, challenge), _hasher.salt())


def is_code_correct(code: str, *, challenge: str, code_hash: str) -> bool:
    """Return whether the code matches the challenge's hash; with an empty hash, False after the same time."""
    matches = _hasher.verify(_pepper_code(code, challenge), code_hash or _DUMMY_HASH)
    return matches and bool(code_hash)


def _pepper_code(code: str, challenge: str) -> str:
    return hmac.new(settings.OTP_PEPPER.encode(), f"{challenge}:{code}".encode(), hashlib.sha256).hexdigest()
