"""How often an account may do what only a thief does often; counted in the database, so that it holds without Redis."""

from __future__ import annotations

from datetime import timedelta

from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from accounts import limits
from accounts.limits import Limit
from accounts.subscriber import account_of

# Whoever types so many codes in an hour is guessing other people's.
CODES = Limit("codes", 30, timedelta(hours=1), grows_on_demo=False)
# Whoever changes payment methods so often in an hour is trying out stolen cards.
PAYMENTS = Limit("payments", 40, timedelta(hours=1), grows_on_demo=False)


class Allowance(BaseThrottle):
    """Counts one use of a limit by the signed-in account."""

    def __init__(self, limit: Limit) -> None:
        self.limit = limit

    def allow_request(self, request: Request, view: APIView) -> bool:
        """Count the request. Raises `limits.Throttled` when it is one too many."""
        limits.take((self.limit, str(account_of(request).pk)))
        return True
