"""Erasing an account: deletes everything the portal holds on a subscriber (docs/rules.md, rule 17)."""

from __future__ import annotations

import logging
from collections.abc import Collection

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction

from accounts import signals
from accounts.models import Account, LoginChallenge, OutgoingMail, SignInEvent
from core.models import LimitCounter

logger = logging.getLogger(__name__)

ERASED_NAME = "an erased account"
# What stands in the operators' log between what was done to an account and why, which is free text.
LOGGED_REASON = " Reason: "


def erase_account(account: Account, *, actor: str) -> None:
    """Delete an account and all rows that refer to it.

    The instance is anonymized, so that the caller can log the erasure without personal data. If a receiver of
    `account_erasing` raises, the exception is passed on and nothing is deleted.
    """
    with transaction.atomic():
        locked = Account.objects.select_for_update().select_related("user").get(pk=account.pk)
        signals.account_erasing.send(sender=Account, account=locked)
        addresses = _addresses_of(locked)
        _delete_by_address(locked, addresses)
        _anonymize_operator_log(locked, addresses)
        locked.user.delete()
    account.email, account.first_name, account.last_name = ERASED_NAME, "", ""
    logger.info("Account %s was erased by %s", account.pk, actor)


def previous_address_prefix(account: Account) -> str:
    """Return how the keys of mails to the addresses that an account had before begin."""
    return f"address-left:{account.pk}:"


def _addresses_of(account: Account) -> set[str]:
    """Return the address of an account, and those that it had before, except those that another account has by now."""
    mails = OutgoingMail.objects.filter(dedupe_key__startswith=previous_address_prefix(account))
    previous = set(mails.values_list("to", flat=True))
    taken = Account.objects.filter(email__in=previous).exclude(pk=account.pk).values_list("email", flat=True)
    return (previous - set(taken)) | ({account.email} - {""})


def _delete_by_address(account: Account, addresses: Collection[str]) -> None:
    """Delete the rows that contain one of the addresses, except those of other accounts with the same one."""
    SignInEvent.objects.filter(account=account).delete()
    OutgoingMail.objects.filter(dedupe_key__startswith=previous_address_prefix(account)).delete()
    OutgoingMail.objects.filter(to__in=addresses, account=None).delete()
    LoginChallenge.objects.filter(email__in=addresses, account=None).delete()
    SignInEvent.objects.filter(email__in=addresses, account=None).delete()
    for address in addresses:
        LimitCounter.objects.filter(key__endswith=f":{address}").delete()


def _anonymize_operator_log(account: Account, addresses: Collection[str]) -> None:
    """Remove the addresses and the operators' reasons from their log, whose entries are kept."""
    account_type = ContentType.objects.get_for_model(Account)
    entries = LogEntry.objects.filter(content_type=account_type, object_id=str(account.pk))
    entries.update(object_repr=ERASED_NAME)
    with_reason = list(entries.filter(change_message__contains=LOGGED_REASON))
    for entry in with_reason:
        entry.change_message = entry.change_message.partition(LOGGED_REASON)[0]
    LogEntry.objects.bulk_update(with_reason, ["change_message"])
    for address in addresses:
        _anonymize_lifted_limits(address)


def _anonymize_lifted_limits(address: str) -> None:
    """Leave of the entries about counters that were deleted, whose keys end in the address, which limit it was."""
    counter_type = ContentType.objects.get_for_model(LimitCounter)
    entries = list(LogEntry.objects.filter(content_type=counter_type, object_repr__endswith=f":{address}"))
    for entry in entries:
        entry.object_id, entry.object_repr = None, f"{entry.object_repr.partition(':')[0]}:{ERASED_NAME}"
    LogEntry.objects.bulk_update(entries, ["object_id", "object_repr"])
