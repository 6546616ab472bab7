"""Limits per account for requests that only an attacker makes often."""

from __future__ import annotations

from datetime import timedelta

from core.limits import Limit

# More coupon codes in an hour than this are guesses at other people's codes.
CODE_LIMIT = Limit("codes", 30, timedelta(hours=1), grows_on_demo=False)
# More changes of payment methods in an hour than this are tests of stolen cards.
PAYMENT_LIMIT = Limit("payments", 40, timedelta(hours=1), grows_on_demo=False)
