"""Commands: intent recorded, the provider asked, the answer applied (docs/architecture.md, "The path of a command").

A command is one change of one account, of one or more steps at the provider. Its row is committed before the first
call, one is open per account, and each step's idempotency key is made of the row's id: a crash, a time-out or a second
worker cannot act twice. While the outcome of a step is unknown the command stays open; the sweep or the subscriber's
next request with the same key settles it: inside the provider's idempotency window by asking again with the same key,
later by reading what the provider holds.
"""

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from accounts.models import Account
from billing import stopping
from billing.errors import (
    BillingError,
    BillingPartial,
    BillingUnavailable,
    BillingUnconfirmed,
    ChangeInProgress,
    InvalidState,
)
from billing.models import Command
from billing.services import carrying_out, leases
from billing.services.carrying_out import LEASE, SYSTEM
from billing.services.operations import ENDED
from portal import kill_points

logger = logging.getLogger(__name__)

State = Command.State
Plan = Callable[[], list[dict[str, Any]]]

# A sweep ends before the next one begins: what is left is due then.
SETTLING_SECONDS = 45.0
# Commands that ended so may be taken up again by the same intent; the others' answers are final.
MAY_BE_REPEATED = (BillingPartial.code, BillingUnavailable.code)
# The kind of what `alignment`, which builds on this module, does by itself.
ALIGN = "align_bundle"


def perform(
    account: Account,
    *,
    kind: str,
    key: str,
    actor: str,
    now: datetime,
    plan: Plan,
    shown: Mapping[str, Any] | None = None,
) -> Command:
    """Do a change of an account, or take up the one that this key already stands for.

    `now` is billing's, in UTC. `shown` are the figures that were confirmed, kept with the command. `plan` reads the
    mirror inside the transaction that opens the command and returns its steps, or raises to refuse; it is asked again
    where the key's command failed before it was begun.
    Returns the command, done. Raises ChangeInProgress while another change of the account is open, and whatever the
    change ended with.
    """
    command, opened = _open(account, kind=kind, key=key, actor=actor, now=now, plan=plan, shown=shown or {})
    if opened or _take_up(command, now, plan=plan, shown=shown):
        carrying_out.run(command, now, just_opened=opened)
    return command


def take_up(command: Command, *, now: datetime) -> None:
    """Finish a command that an earlier request left partly done. Raises as `perform` does."""
    if _take_up(command, now):
        carrying_out.run(command, now)


def settle_due(*, now: datetime) -> dict[str, int]:
    """Take up the open commands whose lease has run out, for up to a minute; return how many are settled or wait.

    Whatever happens to one, the others are taken up.
    """
    counts = {"settled": 0, "waiting": 0}
    deadline = time.monotonic() + SETTLING_SECONDS
    due = Command.objects.filter(state__in=Command.OPEN, next_attempt_at__lte=leases.now())
    for command in due.order_by("next_attempt_at"):
        if stopping.is_time_up(deadline):
            break
        _settle(command, now)
        counts["waiting" if command.state in Command.OPEN else "settled"] += 1
    return counts


def exists(account: Account, *, key: str) -> bool:
    """Return whether this key stands for a change that was begun: what was confirmed then is not asked again."""
    command = Command.objects.filter(account=account, key=key).first()
    return command is not None and not _was_never_begun(command)


def is_open(account: Account) -> bool:
    """Return whether a change of the account is under way: its mirror is about to change."""
    return Command.objects.filter(account=account, state__in=Command.OPEN).exists()


def unfinished(
    account: Account, *, kind: str, subscription_ids: Iterable[str] | None = None
) -> Command | None:
    """Return the account's newest command if it is one of this kind, done only in part.

    With `subscription_ids`, only one over exactly these subscriptions. Coupons that the portal puts right by itself
    come of what was done, and overtake nothing; a resume of the night's does.
    """
    own = Command.objects.filter(account=account).exclude(actor=SYSTEM, kind=ALIGN)
    newest = own.order_by("-created_at").first()
    if newest is None or newest.kind != kind or newest.error_code != BillingPartial.code:
        return None
    concerned = {one["subscription"] for one in newest.steps}
    return newest if subscription_ids is None or concerned == set(subscription_ids) else None


def _open(
    account: Account,
    *,
    kind: str,
    key: str,
    actor: str,
    now: datetime,
    plan: Plan,
    shown: Mapping[str, Any],
) -> tuple[Command, bool]:
    try:
        with transaction.atomic():
            command = Command.objects.create(
                account=account,
                kind=kind,
                key=key,
                actor=actor,
                steps=[],
                shown=dict(shown),
                attempts=1,
                first_sent_at=now,
                next_attempt_at=leases.now() + LEASE,
            )
            # Only now is the account ours: what `plan` sees cannot be changed by another command.
            command.steps = _planned(plan)
            carrying_out.begin(command.steps, 0, now)
            command.save(update_fields=["steps"])
    except IntegrityError:
        existing = Command.objects.filter(account=account, key=key).first()
        if existing is None:
            raise ChangeInProgress from None
        return existing, False
    kill_points.reached("command intended")
    return command, True


def _take_up(
    command: Command, now: datetime, *, plan: Plan | None = None, shown: Mapping[str, Any] | None = None
) -> bool:
    """Claim a command that ended in part or is open; return whether there is anything left to do.

    Raises what a finally failed one ended with, and BillingUnconfirmed while somebody else works on it.
    """
    if command.state == State.SUCCEEDED:
        return False
    if command.state == State.FAILED:
        if command.error_code not in MAY_BE_REPEATED:
            raise carrying_out.error_of(command)
        _reopen(command, now, plan=plan, shown=shown or {})
        return True
    if not _claim(command):
        raise BillingUnconfirmed
    return True


def _claim(command: Command) -> bool:
    """Take the lease of an open command whose holder is gone; one claimant wins."""
    now = leases.now()
    won = Command.objects.filter(
        pk=command.pk, state__in=Command.OPEN, next_attempt_at__lte=now, attempts=command.attempts
    ).update(attempts=command.attempts + 1, next_attempt_at=now + LEASE)
    command.refresh_from_db()
    return won == 1


def _planned(plan: Plan) -> list[dict[str, Any]]:
    """Return the steps of a plan. Raises InvalidState where there are none: what was to be done is done.

    A command without a step would stay open, and keep all others out.
    """
    steps = plan()
    if not steps:
        raise InvalidState
    return steps


def _was_never_begun(command: Command) -> bool:
    """Whether a command failed before the provider took anything of it, and may be planned anew.

    What the provider may have heard is asked for again as it was: a service is started under the same id, not twice.
    """
    if command.state != State.FAILED or command.error_code != BillingUnavailable.code:
        return False
    return not any(one["state"] in ENDED or one.get("in_doubt") for one in command.steps)


def _reopen(command: Command, now: datetime, *, plan: Plan | None, shown: Mapping[str, Any]) -> None:
    """Take up a failed command again. Raises InvalidState when the subscriber made another change since.

    Its steps were planned on what was there before that change: a service it started would be started twice. One that
    was never begun is planned anew, where that can be: what was confirmed may not hold any more. Raises what `plan`
    raises.
    """
    since = Command.objects.filter(account=command.account, finished_at__gt=command.finished_at)
    if since.filter(state=State.SUCCEEDED).exclude(actor=SYSTEM).exists():
        raise InvalidState
    for one in command.steps:
        if one["state"] not in ENDED:
            # The provider replays the answer it gave to a key, refusals included: a new try needs a new one.
            one.update({"state": "waiting", "try": one["try"] + 1})
            one.pop("begun_at", None)
    anew = plan if _was_never_begun(command) else None
    try:
        with transaction.atomic():
            won = Command.objects.filter(pk=command.pk, state=State.FAILED, attempts=command.attempts).update(
                state=State.PENDING,
                error_code="",
                steps=command.steps,
                attempts=command.attempts + 1,
                first_sent_at=now,
                next_attempt_at=leases.now() + LEASE,
                finished_at=None,
            )
            if won and anew is not None:
                tries = max(one["try"] for one in command.steps)
                steps = [{**one, "try": tries} for one in _planned(anew)]
                Command.objects.filter(pk=command.pk).update(steps=steps, shown=dict(shown))
    except IntegrityError:
        raise ChangeInProgress from None
    command.refresh_from_db()
    if won != 1:
        raise BillingUnconfirmed


def _settle(command: Command, now: datetime) -> None:
    try:
        if _claim(command):
            carrying_out.run(command, now)
    except BillingError:
        pass  # it is how the command ended, or that it is still open; its row says which
    except Exception:
        logger.exception("Command %s could not be settled", command.pk)
        carrying_out.leave_unknown(command)
    command.refresh_from_db()
