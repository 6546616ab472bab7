"""What other applications may hang on to. Accounts imports none of them.

`signed_in` is sent with `account` after a sign-in is committed; what a receiver raises is logged and hinders
nobody. `profile_saving` is sent with `account`, `first_name`, `last_name` and `key` (which stands for this one
intent), outside any transaction, before a profile is stored; a receiver that raises refuses the save.
`profile_saved` is sent with `account` in the transaction that stored it. `erasing` is sent with `account` in the
transaction that will erase it; a receiver that raises refuses that. `finding_account` is sent with `email`,
outside any transaction, when the portal does not know an address; a receiver that finds its owner elsewhere
imports them and returns the `Account`, and one that could not find out raises.
"""

from __future__ import annotations

import logging

from django.dispatch import Signal

from accounts.models import Account

logger = logging.getLogger(__name__)

signed_in = Signal()
profile_saving = Signal()
profile_saved = Signal()
erasing = Signal()
finding_account = Signal()


def find_account(email: str) -> Account | None:
    """Ask every receiver of `finding_account` for the owner of an address; raises what a receiver raises."""
    answers: list[tuple[object, object]] = [*finding_account.send(sender=Account, email=email)]
    for _receiver, found in answers:
        if isinstance(found, Account):
            return found
    return None


def save_names_elsewhere(account: Account, *, first_name: str, last_name: str, key: str) -> None:
    """Have every receiver of `profile_saving` take the names over; raises what a receiver raises."""
    profile_saving.send(sender=Account, account=account, first_name=first_name, last_name=last_name, key=key)


def announce_sign_in(account: Account) -> None:
    """Tell the receivers of `signed_in`; a receiver's failure is logged, since the sign-in stands."""
    for receiver, answer in signed_in.send_robust(sender=Account, account=account):
        if isinstance(answer, Exception):
            logger.error("A receiver of signed_in failed: %r", receiver, exc_info=answer)
