"""The account that is signed in to a request."""

from __future__ import annotations

from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from accounts.models import Account, User


def signed_in_account(request: Request) -> Account:
    """Return the signed-in account, which authentication has loaded already. Raises NotAuthenticated."""
    account = signed_in_account_or_none(request)
    if account is None:
        raise NotAuthenticated
    return account


def signed_in_account_or_none(request: Request) -> Account | None:
    """Return the signed-in account, or None."""
    return request.user.account if isinstance(request.user, User) else None
