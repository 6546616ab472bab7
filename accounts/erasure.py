"""Erasing an account: everything the portal holds on a subscriber goes (contract, rule 17)."""

from __future__ import annotations

import logging

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import Q

from accounts import hooks
from accounts.models import Account, LimitCounter, LoginChallenge, OutgoingMail, SignInEvent

logger = logging.getLogger(__name__)

ERASED = "an erased account"


def erase(account: Account, *, actor: str) -> None:
    """Delete an account and all that refers to it; call it when the other applications agree.

    The instance says nothing afterwards of whom it was, so that whoever notes the erasure notes nobody. Raises what a
    receiver of `erasing` raises; nothing is deleted then.
    """
    with transaction.atomic():
        locked = Account.objects.select_for_update().select_related("user").get(pk=account.pk)
        hooks.erasing.send(sender=Account, account=locked)
        _forget_address(locked)
        _forget_in_log(locked)
        locked.user.delete()
    account.email, account.first_name, account.last_name = ERASED, "", ""
    logger.info("Account %s was erased by %s", account.pk, actor)


def _forget_address(account: Account) -> None:
    """Delete what names the address without naming the account."""
    OutgoingMail.objects.filter(to=account.email).delete()
    LoginChallenge.objects.filter(email=account.email).delete()
    SignInEvent.objects.filter(Q(account=account) | Q(email=account.email)).delete()
    LimitCounter.objects.filter(key__endswith=f":{account.email}").delete()


def _forget_in_log(account: Account) -> None:
    """Keep that operators did something about the account, and not whose it was."""
    about_accounts = ContentType.objects.get_for_model(Account)
    LogEntry.objects.filter(content_type=about_accounts, object_id=str(account.pk)).update(object_repr=ERASED)
