"""Carrying out a command: a step is asked for, and its answer applied, or the command closed or left to the sweep.

Whoever works on a command holds it by its number of attempts. A holder that was away for longer than its lease finds
another number there, and neither applies its answer nor closes the command.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from billing.errors import (
    BillingError,
    BillingPartial,
    BillingUnavailable,
    BillingUnconfirmed,
    InvalidState,
    PaymentMethodGone,
    PaymentMethodInvalid,
    PaymentMethodRequired,
    PaymentProcessingFailed,
)
from billing.gateway import records
from billing.gateway.errors import Missing, NotSent, PaymentRefused, Refused, Unconfirmed
from billing.gateway.snapshots import Snapshot, SubscriptionSnapshot
from billing.models import Command, Subscription
from billing.models.mirrored import Mirrored
from billing.services import documents, leases, mirror, schedules
from billing.services.operations import (
    DONE,
    ENDED,
    SENT,
    SKIPPED,
    AccountOperation,
    Operation,
    arguments_of,
    operation_of,
)
from portal import kill_points

logger = logging.getLogger(__name__)

State = Command.State

# How long one holder may work on a command before the sweep takes over: more than one call's connect and read time.
LEASE = timedelta(seconds=30)
# The provider forgets a key after 30 minutes; later than this we look before we ask again.
IDEMPOTENCY_WINDOW = timedelta(minutes=25)
# How often a step is asked for with a new key. Each may be a charge that is tried once more, and while the change waits
# the account can make no other; whoever wants it still asks for it anew.
NEW_KEYS_AT_MOST = 2
# Who asks for what no person asked for.
SYSTEM = "system"
FIRST_BACKOFF_SECONDS, LONGEST_BACKOFF_SECONDS = 5, 30

ERRORS: dict[str, type[BillingError]] = {
    error.code: error
    for error in (
        BillingPartial,
        BillingUnavailable,
        InvalidState,
        PaymentMethodGone,
        PaymentMethodInvalid,
        PaymentMethodRequired,
        PaymentProcessingFailed,
    )
}
# What the provider says of a token or an intent that cannot be used: spent, expired, not authorised, not ours.
UNUSABLE_INTENT = "payment_intent_invalid"
UNUSABLE_PARAMS = ("token_id", "payment_intent[id]")


@dataclass(frozen=True)
class Kind:
    """A kind of command: what is told to the subscriber when all of its steps are done, in the last transaction."""

    finished: Callable[[Command, list[Subscription], datetime], None]


_kinds: dict[str, Kind] = {}


def register_kind(name: str, finished: Callable[[Command, list[Subscription], datetime], None]) -> None:
    """Make known what follows when all steps of a command of this kind are done."""
    _kinds[name] = Kind(finished=finished)


class _TakenOver(Exception):
    """The lease ran out while the provider was asked, and somebody else took the command up."""


def begin(steps: Sequence[dict[str, Any]], index: int, now: datetime) -> None:
    """Note that a step is asked for from here on; whoever finds it so, and not ended, does not know how it went."""
    steps[index]["state"] = SENT
    steps[index].setdefault("begun_at", int(now.timestamp()))


def run(command: Command, now: datetime, *, just_opened: bool = False) -> None:
    """Do the steps of a command that we hold, one after the other. Raises what it ends with.

    With `just_opened` its first step was begun in the transaction that opened it, and nobody was asked yet.
    """
    try:
        for index, one in enumerate(command.steps):
            if one["state"] not in ENDED:
                _do_step(command, index, now, just_begun=just_opened and index == 0)
    except _TakenOver as lost:
        command.refresh_from_db()
        if command.state == State.FAILED:
            raise error_of(command) from lost
        if command.state != State.SUCCEEDED:
            raise BillingUnconfirmed from lost


def _ours(command: Command) -> QuerySet[Command]:
    """Return the command's row as long as we hold it."""
    return Command.objects.filter(pk=command.pk, attempts=command.attempts, state__in=Command.OPEN)


def _do_step(command: Command, index: int, now: datetime, *, just_begun: bool) -> None:
    if not _is_needed(command, index):
        _apply(command, index, now, (), state=SKIPPED)
        return
    begun_before = not just_begun and _begin_now(command, index, now)
    kill_points.reached("step begun")
    try:
        snapshots = _outcome(command, index, now, begun_before=begun_before)
    except NotSent as error:
        if begun_before or _carries_on(command, index):
            raise leave_unknown(command) from error
        raise _fail(command, index, now, BillingUnavailable.code, retry_after=error.retry_after) from error
    except Unconfirmed as error:
        raise leave_unknown(command) from error
    except Refused as error:
        kill_points.reached("step refused")
        if not _forgives(command, index):
            raise _refused(command, index, now, error) from error
        logger.warning("Step %s of command %s was refused: %s", index, command.pk, error.code)
        _apply(command, index, now, (), state=SKIPPED)
    else:
        kill_points.reached("step answered")
        _apply(command, index, now, snapshots)
        kill_points.reached("step applied")


def _is_needed(command: Command, index: int) -> bool:
    operation = operation_of(command, index)
    if not isinstance(operation, AccountOperation) or operation.needed is None:
        return True
    return operation.needed(command, **arguments_of(command, index))


def _carries_on(command: Command, index: int) -> bool:
    operation = operation_of(command, index)
    begun = any(one["state"] == DONE for one in command.steps[:index])
    return begun and isinstance(operation, AccountOperation) and operation.carries_on


def _forgives(command: Command, index: int) -> bool:
    operation = operation_of(command, index)
    return isinstance(operation, AccountOperation) and operation.forgives


def _begin_now(command: Command, index: int, now: datetime) -> bool:
    """Begin a step; return whether that was done before.

    Then it may have been done too: until the provider answers, nothing may be called failed.
    """
    begun_before: bool = command.steps[index]["state"] == SENT
    begin(command.steps, index, now)
    _keep_begun(command)
    return begun_before


def _keep_begun(command: Command) -> None:
    if not _ours(command).update(steps=command.steps, next_attempt_at=leases.now() + LEASE):
        raise _TakenOver


def _outcome(command: Command, index: int, now: datetime, *, begun_before: bool) -> Sequence[Snapshot]:
    """Ask the provider for a step, or, too late for its idempotency key, read whether it was done.

    Raises Refused when it was not, NotSent and Unconfirmed when that is not known.
    """
    refusal = Refused("not_done")
    operation = operation_of(command, index)
    too_late = now - _key_sent_at(command.steps[index]) > IDEMPOTENCY_WINDOW
    if not (begun_before and too_late):
        try:
            return _send(command, index)
        except Refused as error:
            if not begun_before:
                raise
            refusal = error
    found = _read_back(operation, command, index)
    if found is not None:
        return found
    if not (too_late and operation.repeatable and len(_renewals(command.steps[index])) < NEW_KEYS_AT_MOST):
        raise refusal
    return _send_again(command, index, now)


def _send_again(command: Command, index: int, now: datetime) -> Sequence[Snapshot]:
    """Ask for a step with a new key: the provider forgot the old one, and may have done a part of it.

    From now on that one is asked again with itself, for as long as the provider knows it.
    """
    one = command.steps[index]
    one["try"] += 1
    one["renewed_at"] = [*_renewals(one), int(now.timestamp())]
    _keep_begun(command)
    return _send(command, index)


def _key_sent_at(one: dict[str, Any]) -> datetime:
    """Return when the present key of a step that was begun was first sent, or a little earlier: billing's time."""
    return datetime.fromtimestamp(max([one["begun_at"], *_renewals(one)]), tz=UTC)


def _renewals(one: dict[str, Any]) -> list[int]:
    """Return when a step got its new keys; those from before its command was taken up anew count no more."""
    return [at for at in one.get("renewed_at", ()) if at >= one["begun_at"]]


def _send(command: Command, index: int) -> Sequence[Snapshot]:
    one = command.steps[index]
    key = f"{command.pk}:{index}:{one['try']}"
    target = (one["subscription"],) if one["subscription"] else ()
    return operation_of(command, index).send(*target, key=key, **arguments_of(command, index))


def _read_back(
    operation: Operation | AccountOperation, command: Command, index: int
) -> list[Snapshot] | None:
    """Return what the provider holds for the account if it shows the step done; None if it was not done."""
    one, arguments = command.steps[index], arguments_of(command, index)
    found = records.of_customer(command.account.customer.provider_id)
    if isinstance(operation, AccountOperation):
        return found if operation.holds(found, **arguments) else None
    held = [
        each for each in found if isinstance(each, SubscriptionSnapshot) and each.id == one["subscription"]
    ]
    return found if any(operation.holds(each, **arguments) for each in held) else None


@transaction.atomic
def _apply(
    command: Command, index: int, now: datetime, snapshots: Sequence[Snapshot], *, state: str = DONE
) -> None:
    if not _ours(command).select_for_update(no_key=True).values_list("pk").first():
        raise _TakenOver
    one = command.steps[index]
    rows = mirror.write(snapshots, now=now)
    if state == DONE:
        _take_effect(command, index, snapshots, rows, now)
    one["state"] = state
    finished = all(each["state"] in ENDED for each in command.steps)
    if finished:
        command.state, command.finished_at, command.next_attempt_at = State.SUCCEEDED, leases.now(), None
    command.save(update_fields=["steps", "state", "finished_at", "next_attempt_at"])
    if finished:
        _kinds[command.kind].finished(command, subscriptions_of(command, written=rows), now)
        schedules.follow_all(command.account, now=now)
    if command.actor == SYSTEM:
        # Nobody is looking: the webhooks that follow, or the next visit, build them.
        documents.outdate(command.account)
    else:
        documents.rebuild(command.account)


def _take_effect(
    command: Command, index: int, snapshots: Sequence[Snapshot], rows: Sequence[Mirrored], now: datetime
) -> None:
    """Make our own effects of a step that was done."""
    one, arguments = command.steps[index], arguments_of(command, index)
    operation = operation_of(command, index)
    if isinstance(operation, AccountOperation):
        if operation.made is not None:
            one["made"] = operation.made(snapshots, **arguments)
    elif operation.applied is not None:
        changed = (row for row in rows if isinstance(row, Subscription))
        operation.applied(next(row for row in changed if row.provider_id == one["subscription"]), now)


def subscriptions_of(command: Command, *, written: Sequence[Mirrored] = ()) -> list[Subscription]:
    """Return the subscriptions that a command's steps concern, in their order, taking what was just `written`.

    Those of steps that have not ended are left out: one that was to be started may never have been.
    """
    ended = (one["subscription"] for one in command.steps if one["state"] in ENDED)
    ids = [one for one in dict.fromkeys(ended) if one]
    found = {row.provider_id: row for row in written if isinstance(row, Subscription)}
    if missing := [one for one in ids if one not in found]:
        found |= {row.provider_id: row for row in Subscription.objects.filter(provider_id__in=missing)}
    return [found[provider_id] for provider_id in ids]


def _refused(command: Command, index: int, now: datetime, error: Refused) -> BillingError:
    if error.code == UNUSABLE_INTENT or error.param in UNUSABLE_PARAMS:
        return _fail(command, index, now, PaymentMethodInvalid.code)
    if isinstance(error, PaymentRefused):
        return _fail(command, index, now, PaymentProcessingFailed.code)
    if error.code == "payment_method_not_present":
        return _fail(command, index, now, PaymentMethodRequired.code)
    if error.code == "not_done":
        # The provider may have heard of it all the same: it stays as it was planned (`commands`).
        command.steps[index]["in_doubt"] = True
        return _fail(command, index, now, BillingUnavailable.code)
    _refresh(command, now)
    gone = isinstance(error, Missing) and "source" in command.steps[index]["args"]
    return _fail(command, index, now, PaymentMethodGone.code if gone else InvalidState.code)


def _refresh(command: Command, now: datetime) -> None:
    """The provider disagrees with the mirror: read what it holds, so that the answer shows it (reliability, row 6)."""
    customer = command.account.customer
    try:
        found = records.of_customer(customer.provider_id)
    except (NotSent, Refused):
        return  # the webhook or the reconciler brings it
    # Whoever dies in between would leave documents that nothing calls stale: the mirror has what the provider holds.
    with transaction.atomic():
        mirror.write(found, now=now)
        mirror.forget_sources(customer, found, now=now)
        documents.rebuild(command.account)


def leave_unknown(command: Command) -> BillingUnconfirmed:
    """Leave a command open for the sweep, and return what to raise."""
    wait = min(FIRST_BACKOFF_SECONDS * command.attempts, LONGEST_BACKOFF_SECONDS)
    _ours(command).update(state=State.UNKNOWN, next_attempt_at=leases.now() + timedelta(seconds=wait))
    command.refresh_from_db()
    return BillingUnconfirmed()


def _fail(
    command: Command, index: int, now: datetime, code: str, *, retry_after: int | None = None
) -> BillingError:
    """Close a command whose step was not done, and return what to raise."""
    command.steps[index]["state"] = "failed"
    command.steps[index]["error"] = code
    some_done = any(one["state"] == DONE for one in command.steps)
    command.error_code = BillingPartial.code if some_done else code
    command.state, command.finished_at, command.next_attempt_at = State.FAILED, leases.now(), None
    names = ("steps", "error_code", "state", "finished_at", "next_attempt_at")
    with transaction.atomic():
        if not _ours(command).update(**{name: getattr(command, name) for name in names}):
            raise _TakenOver
        schedules.follow_all(command.account, now=now)
        documents.rebuild(command.account)
    return error_of(command, retry_after=retry_after)


def error_of(command: Command, *, retry_after: int | None = None) -> BillingError:
    """Return what a failed command ended with."""
    error = ERRORS[command.error_code]
    return error(retry_after=retry_after) if error is BillingUnavailable else error()
