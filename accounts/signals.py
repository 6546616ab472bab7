"""Signals for other applications, so that accounts imports none of them.

`account_signed_in` (`account`): sent after a sign-in is committed. What a receiver raises is logged.

`profile_pre_save` (`account`, `first_name`, `last_name` and the idempotency `key`): sent outside any transaction before
a profile is stored. A receiver that raises prevents the save.

`profile_post_save` (`account`): sent in the transaction that stored the profile.

`account_erasing` (`account`): sent in the transaction that erases the account. A receiver that raises prevents it.

`account_missing` (`email`): sent outside any transaction when no account has the address. A receiver that finds the
customer elsewhere imports the account and returns it; one that cannot tell raises.
"""

from __future__ import annotations

import logging

from django.dispatch import Signal

from accounts.models import Account

logger = logging.getLogger(__name__)

account_signed_in = Signal()
profile_pre_save = Signal()
profile_post_save = Signal()
account_erasing = Signal()
account_missing = Signal()


def find_account(email: str) -> Account | None:
    """Return the account that a receiver of `account_missing` imports; raise what a receiver raises."""
    responses: list[tuple[object, object]] = [*account_missing.send(sender=Account, email=email)]
    for _receiver, account in responses:
        if isinstance(account, Account):
            return account
    return None


def propagate_names(account: Account, *, first_name: str, last_name: str, key: str) -> None:
    """Send `profile_pre_save`; raise what a receiver raises."""
    profile_pre_save.send(sender=Account, account=account, first_name=first_name, last_name=last_name, key=key)


def announce_sign_in(account: Account) -> None:
    """Send `account_signed_in`; log what a receiver raises, since the sign-in is committed."""
    for receiver, response in account_signed_in.send_robust(sender=Account, account=account):
        if isinstance(response, Exception):
            logger.error("A receiver of account_signed_in failed: %r", receiver, exc_info=response)
