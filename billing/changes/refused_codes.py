"""Remember the codes that subscribers could not redeem, so that support can tell them why."""

from __future__ import annotations

import re
from datetime import datetime

from accounts.models import Account
from billing.models import RefusedCode

# An account can be refused 30 codes an hour for as long as it likes.
KEPT_PER_ACCOUNT = 50
# As many digits as a card's number has.
_LONG_NUMBER = re.compile(r"(?:\d[ ._-]?){13,}")
_DIGIT_BEFORE_LAST_FOUR = re.compile(r"\d(?=(?:[ ._-]?\d){4})")


def record_refused_code(account: Account, code: str, reason: RefusedCode.Reason, *, now: datetime) -> None:
    """Record a refusal, and delete the account's oldest ones beyond `KEPT_PER_ACCOUNT`.

    Of a number as long as a card's, the last four digits are stored.
    """
    typed = "".join(character for character in code.strip() if character.isprintable())
    masked = _LONG_NUMBER.sub(lambda number: _DIGIT_BEFORE_LAST_FOUR.sub("*", number[0]), typed)
    RefusedCode.objects.create(account=account, code=masked, reason=reason, at=now)
    surplus = RefusedCode.objects.filter(account=account).order_by("-at", "-pk")[KEPT_PER_ACCOUNT:]
    RefusedCode.objects.filter(pk__in=list(surplus.values_list("pk", flat=True))).delete()
