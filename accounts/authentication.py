"""Who is asking: the bearer token of a signed-in subscriber."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import NoReturn

from django.utils import timezone
from knox.auth import TokenAuthentication
from knox.crypto import hash_token
from knox.settings import knox_settings
from rest_framework.authentication import get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accounts.models import SessionToken, User
from accounts.open_sessions import open_session

# Anything else never reaches the hash: knox answers bytes that are not UTF-8, and PostgreSQL a NUL, with a
# 500.
_TOKEN = re.compile(rb"\A[A-Za-z0-9_]{20,90}\Z")
_DAILY = timedelta(days=1)


class BearerAuthentication(TokenAuthentication):  # type: ignore[misc]  # knox has no types
    """`Authorization: Bearer ssp_…`, answered in one query that also loads the user and the account.

    A token lives for 14 days from its last renewal, is renewed at most daily and never past 90 days
    (contract, rule 13). It is dead at once when it is revoked or its user is switched off. Expired rows are
    swept by the tick, so a read stays a read.
    """

    def authenticate(self, request: Request) -> tuple[User, SessionToken] | None:
        """Give the user and their session; None without a bearer header. Raises `AuthenticationFailed`."""
        try:
            parts = get_authorization_header(request).split()
        except UnicodeEncodeError:
            _refuse()
        if not parts or parts[0].lower() != b"bearer":
            return None
        if len(parts) != 2 or not _TOKEN.match(parts[1]):
            _refuse()
        return self.authenticate_credentials(parts[1])

    def authenticate_credentials(self, token: bytes) -> tuple[User, SessionToken]:
        """Give the user and the session of a well-formed token. Raises `AuthenticationFailed`."""
        now = timezone.now()
        session = open_session(hash_token(token.decode("ascii")), now=now)
        if session is None:
            _refuse()
        if now - session.last_used_at >= _DAILY:
            _renew(session, now)
        return session.user, session


def _renew(session: SessionToken, now: datetime) -> None:
    """Note the use and slide the expiry, by an UPDATE that cannot bring a revoked session back."""
    session.last_used_at = now
    session.expiry = min(now + knox_settings.TOKEN_TTL, session.created + knox_settings.AUTO_REFRESH_MAX_TTL)
    SessionToken.objects.filter(pk=session.pk).update(last_used_at=now, expiry=session.expiry)


def _refuse() -> NoReturn:
    raise AuthenticationFailed("Please sign in again.")
