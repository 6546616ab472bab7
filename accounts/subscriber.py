"""Who is asking, for every application's endpoints."""

from __future__ import annotations

from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from accounts.models import Account, User


def account_of(request: Request) -> Account:
    """Return the account that is signed in; no query, since authentication loaded it. Raises NotAuthenticated."""
    account = account_if_any(request)
    if account is None:
        raise NotAuthenticated
    return account


def account_if_any(request: Request) -> Account | None:
    """Return the account that is signed in, None when nobody is."""
    return request.user.account if isinstance(request.user, User) else None
