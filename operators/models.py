"""The second factor of an operator, which is django-otp's model with a peppered key; and views of accounts."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django_otp.plugins.otp_totp.models import TOTPDevice

from accounts.models import Account, User

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


class AccountView(models.Model):
    """An operator sees the screens of an account, read-only, until it ends (decision 34).

    `digest` is that of the token in the operator's cookie; it is empty until the screens are opened. What was seen why
    is in the account's activity and in the operators' log, which outlive this row.
    """

    operator = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+")
    digest = models.CharField(max_length=64, blank=True, db_index=True)
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        default_permissions = ()
        permissions = [("open_accountview", "Can see the screens of a subscriber")]

    def __str__(self) -> str:
        return f"view of account {self.account_id} until {self.expires_at:%Y-%m-%d %H:%M}"


def pepper_digest(text: str) -> bytes:
    """Return the HMAC of a text under the pepper."""
    return hmac.digest(settings.OTP_PEPPER.encode(), text.encode(), hashlib.sha256)
