"""Optional mail: it goes only to subscribers who want its category and carries an unsubscribe link (RFC 8058).

A mail without a category is required and is always sent. The application that stores the preferences registers here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from accounts.models import Account, OutgoingMail


@dataclass(frozen=True, slots=True)
class _PreferenceSource:
    is_wanted: Callable[[Account, str], bool]
    unsubscribe_url: Callable[[Account, str], str]


_preference_sources: list[_PreferenceSource] = []


def register_preferences(
    *, is_wanted: Callable[[Account, str], bool], unsubscribe_url: Callable[[Account, str], str]
) -> None:
    """Set who decides whether an account wants a category of mail, and who makes its unsubscribe link."""
    _preference_sources[:] = [_PreferenceSource(is_wanted, unsubscribe_url)]


def is_unwanted(mail: OutgoingMail) -> bool:
    """Return whether the mail is optional and its account does not want the category now."""
    if not mail.category:
        return False
    return mail.account is None or not any(
        source.is_wanted(mail.account, mail.category) for source in _preference_sources
    )


def unsubscribe_url(mail: OutgoingMail) -> str:
    """Return the link that unsubscribes the account from the mail's category; empty for required mail."""
    if not mail.category or mail.account is None:
        return ""
    return next((source.unsubscribe_url(mail.account, mail.category) for source in _preference_sources), "")


def unsubscribe_headers(address: str) -> dict[str, str]:
    """Return the headers with which mail programs offer one-click unsubscribe."""
    if not address:
        return {}
    return {"List-Unsubscribe": f"<{address}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
