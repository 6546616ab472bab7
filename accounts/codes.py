"""The six digits: made, hashed and compared."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets

from django.conf import settings
from django.contrib.auth.hashers import ScryptPasswordHasher

DIGITS = 6


class _CodeHasher(ScryptPasswordHasher):
    """Scrypt at 16 MiB and one lane, some tens of milliseconds.

    Six digits fall to any patient search of a stolen table; what stops it is the pepper, which is not in the
    database. The cost only has to be more than nothing.
    """

    work_factor = 2**14
    parallelism = 1


_hasher = _CodeHasher()
# Compared against when there is no code, so that the answer takes as long as when there is one. It is drawn and not
# worked out, which every process would spend some tens of milliseconds on as it starts.
_NOBODYS_HASH = "$".join(
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
    """Give six random digits, leading zeros kept (ASVS 6.5.3, 6.5.4)."""
    return f"{secrets.randbelow(10**DIGITS):0{DIGITS}d}"


def hash_code(code: str, *, challenge: str) -> str:
    """Give the salted hash of the peppered code. It holds for this challenge and for no other."""
    return _hasher.encode(_peppered(code, challenge), _hasher.salt())


def matches(code: str, *, challenge: str, code_hash: str) -> bool:
    """Whether it is the code that was hashed for the challenge; an empty hash matches nothing, as slowly."""
    right = _hasher.verify(_peppered(code, challenge), code_hash or _NOBODYS_HASH)
    return right and bool(code_hash)


def _peppered(code: str, challenge: str) -> str:
    return hmac.new(settings.OTP_PEPPER.encode(), f"{challenge}:{code}".encode(), hashlib.sha256).hexdigest()
