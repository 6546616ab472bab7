"""Who is asking."""

from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from accounts.models import Account, User


def account_of(request: Request) -> Account:
    """Return the account that is signed in; no query, since authentication loaded it. Raises NotAuthenticated."""
    user = request.user
    if not isinstance(user, User):
        raise NotAuthenticated
    return user.account
