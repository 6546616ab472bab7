"""Billing's receivers of the hooks that accounts publishes."""

from typing import Any

from accounts import export, hooks, mail, once, site
from accounts.models import Account
from billing import clock, stopping
from billing.api import idempotency
from billing.queries.export import export_part
from billing.services import documents, erasure, late_receipts, names, notices, receipts, sync, traffic
from billing.services.hints import hint


def connect() -> None:
    """Register the receivers; called once, when the app is ready."""
    hooks.finding_account.connect(find_account, dispatch_uid="billing.find_account")
    hooks.signed_in.connect(refresh_account, dispatch_uid="billing.refresh_account")
    hooks.profile_saving.connect(rename_customer, dispatch_uid="billing.rename_customer")
    hooks.profile_saved.connect(show_profile, dispatch_uid="billing.show_profile")
    hooks.erasing.connect(erase_account, dispatch_uid="billing.erase_account")
    export.contribute("billing", export_part)
    traffic.connect()
    stopping.listen()
    site.follow_clock(clock.offset)
    once.keep_with(idempotency.acts_once)
    mail.prepare_with(notices.KIND, notices.prepare)
    mail.prepare_with(receipts.KIND, late_receipts.prepare)


def find_account(email: str, **_: Any) -> Account | None:
    """Import the owner of an address that the provider knows; raises when the provider could not be asked."""
    return sync.import_account(email)


def refresh_account(account: Account, **_: Any) -> None:
    """Have the account read again after a sign-in, in the background."""
    hint("resync_account", account.pk)


def rename_customer(account: Account, first_name: str, last_name: str, key: str, **_: Any) -> None:
    """Give the provider's customer the names before the profile has them; what it raises refuses the save."""
    names.rename(account, first_name=first_name, last_name=last_name, key=key)


def show_profile(account: Account, **_: Any) -> None:
    """Have every read show the names that were stored."""
    documents.rebuild(account)


def erase_account(account: Account, **_: Any) -> None:
    """Delete what billing holds on an account; what it raises refuses the erasure."""
    erasure.erase(account)
