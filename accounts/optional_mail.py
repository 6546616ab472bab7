"""Mail that subscribers may do without: it goes to those who want it, and each carries its way out (RFC 8058).

A mail with a category is such mail; one without is needed, and goes whatever is preferred. Accounts does not know who
wants what: whoever does registers here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from accounts.models import Account, OutgoingMail


@dataclass(frozen=True, slots=True)
class _Decider:
    wants: Callable[[Account, str], bool]
    way_out: Callable[[Account, str], str]


_deciders: list[_Decider] = []


def decide_with(*, wants: Callable[[Account, str], bool], way_out: Callable[[Account, str], str]) -> None:
    """Ask `wants` before mail of a category is sent, and put the address of `way_out` into it."""
    _deciders[:] = [_Decider(wants, way_out)]


def is_unwanted(mail: OutgoingMail) -> bool:
    """Whether the account does not want mail of this category, as things stand now."""
    if not mail.category:
        return False
    return mail.account is None or not any(one.wants(mail.account, mail.category) for one in _deciders)


def way_out(mail: OutgoingMail) -> str:
    """Give the address that ends mail of this category for the account; none for mail that is needed."""
    if not mail.category or mail.account is None:
        return ""
    return next((one.way_out(mail.account, mail.category) for one in _deciders), "")


def headers(address: str) -> dict[str, str]:
    """Give the headers by which a mail program offers to end mail of this kind at one click."""
    if not address:
        return {}
    return {"List-Unsubscribe": f"<{address}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
