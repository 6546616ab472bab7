"""The second factor of an operator: django-otp's model with a peppered key."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING

from django.conf import settings
from django_otp.plugins.otp_totp.models import TOTPDevice

KEY_BYTES = 20  # what authenticator apps expect (RFC 4226, section 4)


class Authenticator(TOTPDevice):  # type: ignore[misc]  # django-otp has no types
    """An authenticator app with six-digit codes.

    django-otp stores the shared key in plain text, so that a copy of the table would be enough to generate codes. Here
    the app's key is derived from the stored one and from the pepper, which is not in the database.
    """

    class Meta:
        proxy = True
        verbose_name = "second factor"

    @property
    def bin_key(self) -> bytes:
        """The app's key."""
        return pepper_digest(f"authenticator:{self.key}")[:KEY_BYTES]

    if TYPE_CHECKING:
        user_id: int


def pepper_digest(text: str) -> bytes:
    """Return the HMAC of a text under the pepper."""
    return hmac.digest(settings.OTP_PEPPER.encode(), text.encode(), hashlib.sha256)
