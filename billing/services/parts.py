"""Receipts of commands: each step is told once, those of a command too that was left done only in part (rule 2)."""

import logging
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from accounts.models import Account
from billing.errors import BillingPartial
from billing.models import Command, Subscription
from billing.services import carrying_out, commands, leases, operations, receipts
from billing.services.alignment import SWAP_COUPONS
from billing.services.receipts import Receipt

logger = logging.getLogger(__name__)

# Who finds a change half done mostly repeats it at once: the receipt of the whole comes then.
LEFT_AFTER = timedelta(minutes=10)
# What nobody worked on for so long was told, or is told by the account's own screens.
FORGOTTEN_AFTER = timedelta(days=7)
NOT_ALL = "The rest of what you asked for could not be done and is as it was before. You can try it again."


@dataclass(frozen=True)
class Told:
    """A receipt, and what kind of activity it is."""

    kind: str
    receipt: Receipt


Teller = Callable[[Command, list[Subscription]], Told | None]
_tellers: dict[str, Teller] = {}


def register(kind: str, teller: Teller) -> None:
    """Have commands of a kind told when they are done, and those left half done told of as far as they got.

    `teller` is given a command with only the steps that are to be told, and their subscriptions; None where there is
    nothing to tell of them.
    """
    _tellers[kind] = teller
    carrying_out.register_kind(kind, tell)


def tell(command: Command, subscriptions: list[Subscription], now: datetime) -> None:
    """Send the receipt of a command that is done, of those of its steps that were not told before."""
    told = _told(command, _untold(command), subscriptions)
    if told is not None:
        receipts.send(command, told.receipt, kind=told.kind, now=now)


def tell_what_is_left(*, now: datetime) -> dict[str, int]:
    """Send the receipts of what was done by commands that ended in part and that nobody finished; return how many.

    One that cannot be told keeps none of the others back.
    """
    at = leases.now()
    left = Command.objects.filter(
        kind__in=_tellers,
        state=Command.State.FAILED,
        error_code=BillingPartial.code,
        finished_at__range=(at - FORGOTTEN_AFTER, at - LEFT_AFTER),
    )
    return {"told_in_part": sum(_tell_if_possible(one, now) for one in left.iterator())}


def _tell_if_possible(command: Command, now: datetime) -> bool:
    try:
        return _tell_part(command, now)
    except Exception:
        logger.exception("What command %s has done could not be told", command.pk)
        return False


@transaction.atomic
def _tell_part(command: Command, now: datetime) -> bool:
    steps = _untold(command)
    told = _told(command, _without_changed_since(command, steps), carrying_out.subscriptions_of(command))
    if not steps or not _mark(command, steps) or told is None:
        return False
    receipt = (
        replace(told.receipt, lines=[*told.receipt.lines, NOT_ALL]) if _is_missing(command) else told.receipt
    )
    receipts.send(command, receipt, kind=told.kind, now=now)
    return True


def _mark(command: Command, steps: Sequence[dict[str, Any]]) -> bool:
    """Note with the steps that they are told; false where somebody has taken the command up meanwhile."""
    for one in steps:
        one["told"] = True
    command.attempts += 1
    noted = Command.objects.filter(
        pk=command.pk, state=Command.State.FAILED, attempts=command.attempts - 1
    ).update(steps=command.steps, attempts=command.attempts)
    return noted == 1


def _untold(command: Command) -> list[dict[str, Any]]:
    return [one for one in command.steps if one["state"] == operations.DONE and not one.get("told")]


def _without_changed_since(command: Command, steps: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out what another change concerned since: its receipt says how things stand."""
    later = changed_since(command)
    return [one for one in steps if one["subscription"] not in later]


def changed_since(command: Command) -> set[str]:
    """Return the provider's ids of the account's subscriptions that later commands have changed."""
    since = Command.objects.filter(account=command.account, created_at__gt=command.created_at)
    return {one for other in since for one in changed_by(other)}


def changed_by(command: Command) -> set[str]:
    """Return the provider's ids of what a command has changed so far; coupons are the bundle's affair."""
    own = (one for one in command.steps if one["op"] != SWAP_COUPONS and one["subscription"])
    return {one["subscription"] for one in own if one["state"] == operations.DONE}


def _told(
    command: Command, steps: list[dict[str, Any]], subscriptions: Iterable[Subscription]
) -> Told | None:
    if not steps:
        return None
    part = copy(command)
    part.steps = steps
    named = {one["subscription"] for one in steps}
    return _tellers[command.kind](part, [one for one in subscriptions if one.provider_id in named])


def _is_missing(command: Command) -> bool:
    """Whether something of the subscriber's own is not done: coupons are put right by the night."""
    return any(one["state"] not in operations.ENDED and one["op"] != SWAP_COUPONS for one in command.steps)


def confirmed_before(account: Account, *, kind: str, quote: str | None) -> dict[str, Any] | None:
    """Return the figures of an account's newest change if it is of this kind, was done in part, and is done by now.

    Coupons alone were left, and they are right: its quote confirmed again is answered alike (contract, rule 2).
    """
    earlier = commands.unfinished(account, kind=kind)
    if earlier is None or _is_missing(earlier) or quote != earlier.shown["quote"]:
        return None
    return dict(earlier.shown)


def concerned(command: Command, subscriptions: Sequence[Subscription], *names: str) -> list[Subscription]:
    """Return those of the subscriptions that a command has a step for of one of these operations."""
    named = {one["subscription"] for one in command.steps if one["op"] in names}
    return [one for one in subscriptions if one.provider_id in named]
