"""How often an account may do what only a thief does often; counted in the database, so that it holds without Redis."""

from __future__ import annotations

from datetime import timedelta

from accounts import limits
from accounts.limits import Limit
from accounts.models import Account

# Whoever types so many codes in an hour is guessing other people's.
CODES = Limit("codes", 30, timedelta(hours=1), grows_on_demo=False)
# Whoever changes payment methods so often in an hour is trying out stolen cards.
PAYMENTS = Limit("payments", 40, timedelta(hours=1), grows_on_demo=False)


def take(limit: Limit, account: Account) -> None:
    """Count one use of a limit by an account. Raises `limits.Throttled` when it is one too many."""
    limits.take((limit, str(account.pk)))
