"""Authentication of API requests by bearer token."""

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
from accounts.sign_in.session_lookup import find_open_session

# Other tokens are refused before hashing: knox raises on bytes that are not UTF-8, and PostgreSQL on a NUL.
_TOKEN_PATTERN = re.compile(rb"\A[A-Za-z0-9_]{20,90}\Z")
RENEWAL_INTERVAL = timedelta(days=1)


class BearerAuthentication(TokenAuthentication):  # type: ignore[misc]  # knox has no types
    """Authenticates `Authorization: Bearer ssp_…` with one query, which also loads the user and the account.

    A token expires 14 days after its last renewal, is renewed at most daily and never beyond 90 days (docs/rules.md,
    rule 13). Revoking it or deactivating its user takes effect at once. A periodic task deletes expired rows, so that
    a read does not write.
    """

    def authenticate(self, request: Request) -> tuple[User, SessionToken] | None:
        """Return the user and the session, or None without a bearer header. Raises `AuthenticationFailed`."""
        try:
            parts = get_authorization_header(request).split()
        except UnicodeEncodeError:
            _refuse_token()
        if not parts or parts[0].lower() != b"bearer":
            return None
        if len(parts) != 2 or not _TOKEN_PATTERN.match(parts[1]):
            _refuse_token()
        return self.authenticate_credentials(parts[1])

    def authenticate_credentials(self, token: bytes) -> tuple[User, SessionToken]:
        """Return the user and the session of a well-formed token. Raises `AuthenticationFailed`."""
        now = timezone.now()
        session = find_open_session(hash_token(token.decode("ascii")), now=now)
        if session is None:
            _refuse_token()
        if now - session.last_used_at >= RENEWAL_INTERVAL:
            _renew_session(session, now)
        return session.user, session


def _renew_session(session: SessionToken, now: datetime) -> None:
    """Extend the expiry with an UPDATE, which cannot restore a session that was revoked meanwhile."""
    session.last_used_at = now
    session.expiry = min(now + knox_settings.TOKEN_TTL, session.created + knox_settings.AUTO_REFRESH_MAX_TTL)
    SessionToken.objects.filter(pk=session.pk).update(last_used_at=now, expiry=session.expiry)


def _refuse_token() -> NoReturn:
    raise AuthenticationFailed("Please sign in again.")
