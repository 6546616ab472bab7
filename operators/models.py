"""The second factor of an operator. Its rows are django-otp's; only what a stolen table would give away is ours."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING

from django.conf import settings
from django_otp.plugins.otp_totp.models import TOTPDevice

KEY_BYTES = 20  # what authenticator apps expect (RFC 4226, section 4)


class Authenticator(TOTPDevice):  # type: ignore[misc]  # django-otp has no types
    """An app that shows six digits.

    django-otp keeps the shared key in clear, so that a copy of the table would make everybody's codes. Here the
    row holds only half of it: the key is made of the row's and of the pepper, which is not in the database.
    """

    class Meta:
        proxy = True
        verbose_name = "second factor"

    @property
    def bin_key(self) -> bytes:
        """The key that the app holds."""
        return peppered(f"authenticator:{self.key}")[:KEY_BYTES]

    if TYPE_CHECKING:
        user_id: int


def peppered(text: str) -> bytes:
    """Give what nobody can give who has the database alone."""
    return hmac.digest(settings.OTP_PEPPER.encode(), text.encode(), hashlib.sha256)
