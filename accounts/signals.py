"""Signals for other applications, so that accounts imports none of them.

`account_signed_in` (`account`): sent after a sign-in is committed. What a receiver raises is logged.

`profile_pre_save` (`account`, `first_name`, `last_name` and the idempotency `key`): sent outside any transaction before
a profile is stored. A receiver that raises prevents the save.

`profile_post_save` (`account`): sent in the transaction that stored the profile.

`account_erasing` (`account`): sent in the transaction that erases the account. A receiver that raises prevents it.

`address_entered` (`email`, normalized, and `typed_email`): sent outside any transaction before a code is mailed to the
address. A receiver returns the account that the address signs in to, or None; one that cannot tell raises.

`mails_settled` (`kind`, `outcome` of `MailOutcome`, `count`, and `waited`, the time since a single mail was queued,
None for several): sent when mails have left the outbox. What a receiver raises is logged by Django.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from enum import StrEnum

from django.dispatch import Signal

from accounts.models import Account

logger = logging.getLogger(__name__)

account_signed_in = Signal()
profile_pre_save = Signal()
profile_post_save = Signal()
account_erasing = Signal()
address_entered = Signal()
mails_settled = Signal()


class MailOutcome(StrEnum):
    """How a mail left the outbox."""

    SENT = "sent"
    TOO_LATE = "too_late"
    REFUSED = "refused"
    UNWANTED = "unwanted"


def find_account(email: str, *, typed_email: str) -> Account | None:
    """Return the account that the address signs in to, as a receiver of `address_entered` knows it.

    Without a receiver that is the newest account with the address. Raises what a receiver raises.
    """
    if not address_entered.has_listeners(Account):
        return Account.objects.select_related("user").filter(email=email).order_by("-pk").first()
    responses: list[tuple[object, object]] = [
        *address_entered.send(sender=Account, email=email, typed_email=typed_email)
    ]
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


def announce_settled_mails(kind: str, outcome: MailOutcome, *, count: int = 1, waited: timedelta | None = None) -> None:
    """Send `mails_settled`; the mails have left, whatever a receiver does."""
    mails_settled.send_robust(sender=MailOutcome, kind=kind, outcome=outcome, count=count, waited=waited)
