"""Billing's receivers of the hooks that accounts publishes."""

from typing import Any

from accounts import hooks
from accounts.models import Account
from billing.services import sync
from billing.services.hints import hint


def connect() -> None:
    """Register the receivers; called once, when the app is ready."""
    hooks.finding_account.connect(find_account, dispatch_uid="billing.find_account")
    hooks.signed_in.connect(refresh_account, dispatch_uid="billing.refresh_account")


def find_account(email: str, **_: Any) -> Account | None:
    """Import the owner of an address that the provider knows; raises when the provider could not be asked."""
    return sync.import_account(email)


def refresh_account(account: Account, **_: Any) -> None:
    """Have the account read again after a sign-in, in the background."""
    hint("resync_account", account.pk)
