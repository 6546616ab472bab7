"""Finding an operator."""

from __future__ import annotations

from accounts.models import User


class UnknownOperator(LookupError):
    """No operator has this name."""


def operator_named(username: str) -> User:
    """Give the operator of this user name. Raises UnknownOperator."""
    user = User.objects.filter(username=username, is_staff=True).first()
    if user is None:
        raise UnknownOperator(f"There is no operator named {username}.")
    return user
