"""Commands: intent recorded, the provider asked, the answer applied (design/reliability.md, command protocol).

A command is one change of one account, of one or more steps at the provider. Its row is committed before the first
call, one is open per account, and each step's idempotency key is made of the row's id: a crash, a time-out or a second
worker cannot act twice. While the outcome of a step is unknown the command stays open; the sweep or the subscriber's
next request with the same key settles it: inside the provider's idempotency window by asking again with the same key,
later by reading what the provider holds.

Whoever works on a command holds it by its number of attempts. A holder that was away for longer than its lease finds
another number there, and neither applies its answer nor closes the command.
"""

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import Account
from billing.errors import (
    BillingError,
    BillingPartial,
    BillingUnavailable,
    BillingUnconfirmed,
    ChangeInProgress,
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
from billing.services import documents, mirror, schedules

logger = logging.getLogger(__name__)

State = Command.State

# How long one holder may work on a command before the sweep takes over: more than one call's connect and read time.
LEASE = timedelta(seconds=30)
# The provider forgets a key after 30 minutes; later than this we look before we ask again.
IDEMPOTENCY_WINDOW = timedelta(minutes=25)
RETRY_AFTER_SECONDS = 5
LONGEST_BACKOFF_SECONDS = 30
# A sweep ends before the next one begins: what is left is due then.
SETTLING_SECONDS = 45.0

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
# Who asks for what no person asked for.
SYSTEM = "system"
# How a step ends that a command does not end with: it was done, or there was no need.
DONE, SKIPPED = "done", "skipped"
ENDED = (DONE, SKIPPED)
# Commands that ended so may be taken up again by the same intent; the others' answers are final.
MAY_BE_REPEATED = (BillingPartial.code, BillingUnavailable.code)


@dataclass(frozen=True)
class Operation:
    """What one kind of step to a subscription does.

    `send` asks the provider, given a subscription's id, an idempotency key and the step's arguments. `holds` tells
    from the provider's present state, given the same arguments, whether the step was done. `applied` makes our own
    effects, in the transaction that applies the answer. `repeatable` is one that cannot charge twice and, asked
    again, ends in the same state: found not done after the idempotency window it is asked again, with a new key.
    """

    send: Callable[..., Sequence[Snapshot]]
    holds: Callable[..., bool]
    applied: Callable[[Subscription, datetime], None] | None = None
    repeatable: bool = False


@dataclass(frozen=True)
class AccountOperation:
    """What one kind of step to a customer's payment sources and invoices does.

    `send` and `repeatable` are as in `Operation`, without a subscription; `holds` looks at everything of the
    customer's. `made` is what later steps and the answer need to know of it, kept with the step. A step that is not
    `needed`, given the command and the step's arguments, is passed over; so is one whose refusal it `forgives`. One
    that `carries_on` is waited for while the provider cannot be reached, rather than given up half-way.
    """

    send: Callable[..., Sequence[Snapshot]]
    holds: Callable[..., bool]
    made: Callable[..., Any] | None = None
    needed: Callable[..., bool] | None = None
    repeatable: bool = True
    carries_on: bool = False
    forgives: bool = False


@dataclass(frozen=True)
class Kind:
    """A kind of command: what is told to the subscriber when all of its steps are done, in the last transaction."""

    finished: Callable[[Command, list[Subscription], datetime], None]


_operations: dict[str, Operation | AccountOperation] = {}
_kinds: dict[str, Kind] = {}


def register_operation(name: str, operation: Operation | AccountOperation) -> None:
    """Make known what a step of this name does."""
    _operations[name] = operation


def register_kind(name: str, finished: Callable[[Command, list[Subscription], datetime], None]) -> None:
    """Make known what follows when all steps of a command of this kind are done."""
    _kinds[name] = Kind(finished=finished)


def step(operation: str, subscription_id: str, **arguments: Any) -> dict[str, Any]:
    """Return a step that waits to be done; its arguments are kept as JSON."""
    return {"op": operation, "subscription": subscription_id, "args": arguments, "state": "waiting", "try": 0}


def account_step(operation: str, **arguments: Any) -> dict[str, Any]:
    """Return a step that concerns no subscription; an argument may be what an earlier one `made_by`."""
    return step(operation, "", **arguments)


def made_by(index: int) -> dict[str, int]:
    """Return what stands, among a step's arguments, for what the step at an index made."""
    return {"made_by": index}


def made(command: Command, operation: str) -> list[Any]:
    """Return what the command's steps of one kind made, in order; those passed over made nothing."""
    return [one["made"] for one in command.steps if one["op"] == operation and "made" in one]


def begun_at(command: Command, subscription_id: str) -> datetime:
    """Return since when a command may have changed a subscription: billing's time when it was first asked for."""
    begun = [
        one["begun_at"]
        for one in command.steps
        if one["subscription"] == subscription_id and "begun_at" in one
    ]
    first = datetime.fromtimestamp(min(begun), tz=UTC) if begun else None
    return first or command.first_sent_at or command.created_at


def arguments_of(command: Command, index: int) -> dict[str, Any]:
    """Return the arguments of a step as it is sent, with what earlier steps made in its place."""
    given = command.steps[index]["args"]
    return {
        name: command.steps[value["made_by"]]["made"]
        if isinstance(value, dict) and "made_by" in value
        else value
        for name, value in given.items()
    }


def perform(
    account: Account,
    *,
    kind: str,
    key: str,
    actor: str,
    now: datetime,
    plan: Callable[[], list[dict[str, Any]]],
    shown: Mapping[str, Any] | None = None,
) -> Command:
    """Do a change of an account, or take up the one that this key already stands for.

    `now` is billing's, in UTC. `shown` are the figures that were confirmed, kept with the command. `plan` reads the
    mirror inside the transaction that opens the command and returns its steps, or raises to refuse.
    Returns the command, done. Raises ChangeInProgress while another change of the account is open, and whatever the
    change ended with.
    """
    command, opened = _open(account, kind=kind, key=key, actor=actor, now=now, plan=plan, shown=shown or {})
    if opened or _take_up(command, now):
        _run(command, now)
    return command


def take_up(command: Command, *, now: datetime) -> None:
    """Finish a command that an earlier request left partly done. Raises as `perform` does."""
    if _take_up(command, now):
        _run(command, now)


def settle_due(*, now: datetime) -> dict[str, int]:
    """Take up the open commands whose lease has run out, for up to a minute; return how many are settled or wait.

    Whatever happens to one, the others are taken up.
    """
    counts = {"settled": 0, "waiting": 0}
    deadline = time.monotonic() + SETTLING_SECONDS
    due = Command.objects.filter(state__in=Command.OPEN, next_attempt_at__lte=timezone.now())
    for command in due.order_by("next_attempt_at"):
        if time.monotonic() > deadline:
            break
        _settle(command, now)
        counts["waiting" if command.state in Command.OPEN else "settled"] += 1
    return counts


def exists(account: Account, *, key: str) -> bool:
    """Return whether this key stands for a change already: what was confirmed then is not asked again."""
    return Command.objects.filter(account=account, key=key).exists()


def is_open(account: Account) -> bool:
    """Return whether a change of the account is under way: its mirror is about to change."""
    return Command.objects.filter(account=account, state__in=Command.OPEN).exists()


def unfinished(
    account: Account, *, kind: str, subscription_ids: Iterable[str] | None = None
) -> Command | None:
    """Return the account's newest command if it is one of this kind, done only in part.

    With `subscription_ids`, only one over exactly these subscriptions.
    """
    newest = Command.objects.filter(account=account).order_by("-created_at").first()
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
    plan: Callable[[], list[dict[str, Any]]],
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
                next_attempt_at=timezone.now() + LEASE,
            )
            # Only now is the account ours: what `plan` sees cannot be changed by another command.
            command.steps = plan()
            if not command.steps:
                # What was to be done is done: a command without a step would stay open, and keep all others out.
                raise InvalidState
            command.save(update_fields=["steps"])
            return command, True
    except IntegrityError:
        existing = Command.objects.filter(account=account, key=key).first()
        if existing is None:
            raise ChangeInProgress(retry_after=RETRY_AFTER_SECONDS) from None
        return existing, False


def _take_up(command: Command, now: datetime) -> bool:
    """Claim a command that ended in part or is open; return whether there is anything left to do.

    Raises what a finally failed one ended with, and BillingUnconfirmed while somebody else works on it.
    """
    if command.state == State.SUCCEEDED:
        return False
    if command.state == State.FAILED:
        if command.error_code not in MAY_BE_REPEATED:
            raise _error(command)
        _reopen(command, now)
        return True
    if not _claim(command):
        raise BillingUnconfirmed(retry_after=RETRY_AFTER_SECONDS)
    return True


def _claim(command: Command) -> bool:
    """Take the lease of an open command whose holder is gone; one claimant wins."""
    now = timezone.now()
    won = Command.objects.filter(
        pk=command.pk, state__in=Command.OPEN, next_attempt_at__lte=now, attempts=command.attempts
    ).update(attempts=command.attempts + 1, next_attempt_at=now + LEASE)
    command.refresh_from_db()
    return won == 1


def _reopen(command: Command, now: datetime) -> None:
    """Take up a failed command again. Raises InvalidState when the subscriber made another change since.

    Its steps were planned on what was there before that change: a service it started would be started twice.
    """
    since = Command.objects.filter(account=command.account, finished_at__gt=command.finished_at)
    if since.filter(state=State.SUCCEEDED).exclude(actor=SYSTEM).exists():
        raise InvalidState
    for one in command.steps:
        if one["state"] not in ENDED:
            # The provider replays the answer it gave to a key, refusals included: a new try needs a new one.
            one.update({"state": "waiting", "try": one["try"] + 1})
            one.pop("begun_at", None)
    try:
        with transaction.atomic():
            won = Command.objects.filter(pk=command.pk, state=State.FAILED, attempts=command.attempts).update(
                state=State.PENDING,
                error_code="",
                steps=command.steps,
                attempts=command.attempts + 1,
                first_sent_at=now,
                next_attempt_at=timezone.now() + LEASE,
                finished_at=None,
            )
    except IntegrityError:
        raise ChangeInProgress(retry_after=RETRY_AFTER_SECONDS) from None
    command.refresh_from_db()
    if won != 1:
        raise BillingUnconfirmed(retry_after=RETRY_AFTER_SECONDS)


def _settle(command: Command, now: datetime) -> None:
    try:
        if _claim(command):
            _run(command, now)
    except BillingError:
        pass  # it is how the command ended, or that it is still open; its row says which
    except Exception:
        logger.exception("Command %s could not be settled", command.pk)
        _leave_unknown(command)
    command.refresh_from_db()


class _TakenOver(Exception):
    """The lease ran out while the provider was asked, and somebody else took the command up."""


def _ours(command: Command) -> QuerySet[Command]:
    """Return the command's row as long as we hold it."""
    return Command.objects.filter(pk=command.pk, attempts=command.attempts, state__in=Command.OPEN)


def _run(command: Command, now: datetime) -> None:
    try:
        for index, one in enumerate(command.steps):
            if one["state"] not in ENDED:
                _do_step(command, index, now)
    except _TakenOver as lost:
        command.refresh_from_db()
        if command.state == State.FAILED:
            raise _error(command) from lost
        if command.state != State.SUCCEEDED:
            raise BillingUnconfirmed(retry_after=RETRY_AFTER_SECONDS) from lost


def _do_step(command: Command, index: int, now: datetime) -> None:
    one = command.steps[index]
    if not _is_needed(command, index):
        _apply(command, index, now, (), state=SKIPPED)
        return
    # A step that was begun before may have been done: until the provider answers, nothing may be called failed.
    begun_before = one["state"] == "sent"
    one.setdefault("begun_at", int(now.timestamp()))
    _mark_sent(command, index)
    try:
        snapshots = _outcome(command, index, now, begun_before=begun_before)
    except NotSent as error:
        if begun_before or _carries_on(command, index):
            raise _leave_unknown(command) from error
        raise _fail(command, index, now, BillingUnavailable.code, retry_after=error.retry_after) from error
    except Unconfirmed as error:
        raise _leave_unknown(command) from error
    except Refused as error:
        if not _forgives(command, index):
            raise _refused(command, index, now, error) from error
        logger.warning("Step %s of command %s was refused: %s", index, command.pk, error.code)
        _apply(command, index, now, (), state=SKIPPED)
    else:
        _apply(command, index, now, snapshots)


def _is_needed(command: Command, index: int) -> bool:
    operation = _operations[command.steps[index]["op"]]
    if not isinstance(operation, AccountOperation) or operation.needed is None:
        return True
    return operation.needed(command, **arguments_of(command, index))


def _carries_on(command: Command, index: int) -> bool:
    operation = _operations[command.steps[index]["op"]]
    begun = any(one["state"] == "done" for one in command.steps[:index])
    return begun and isinstance(operation, AccountOperation) and operation.carries_on


def _forgives(command: Command, index: int) -> bool:
    operation = _operations[command.steps[index]["op"]]
    return isinstance(operation, AccountOperation) and operation.forgives


def _mark_sent(command: Command, index: int) -> None:
    command.steps[index]["state"] = "sent"
    if not _ours(command).update(steps=command.steps, next_attempt_at=timezone.now() + LEASE):
        raise _TakenOver


def _outcome(command: Command, index: int, now: datetime, *, begun_before: bool) -> Sequence[Snapshot]:
    """Ask the provider for a step, or, too late for its idempotency key, read whether it was done.

    Raises Refused when it was not, NotSent and Unconfirmed when that is not known.
    """
    refusal = Refused("not_done")
    one = command.steps[index]
    operation = _operations[one["op"]]
    too_late = command.first_sent_at is not None and now - command.first_sent_at > IDEMPOTENCY_WINDOW
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
    if not (too_late and operation.repeatable):
        raise refusal
    return _send_again(command, index)


def _send_again(command: Command, index: int) -> Sequence[Snapshot]:
    """Ask for a step with a new key: the provider forgot the old one, and may have done a part of it."""
    one = command.steps[index]
    one["try"] += 1
    _mark_sent(command, index)
    return _send(command, index)


def _send(command: Command, index: int) -> Sequence[Snapshot]:
    one = command.steps[index]
    key = f"{command.pk}:{index}:{one['try']}"
    target = (one["subscription"],) if one["subscription"] else ()
    return _operations[one["op"]].send(*target, key=key, **arguments_of(command, index))


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
    if _ours(command).select_for_update(no_key=True).first() is None:
        raise _TakenOver
    one = command.steps[index]
    rows = mirror.write(snapshots, now=now)
    if state == DONE:
        _take_effect(command, index, snapshots, rows, now)
    one["state"] = state
    finished = all(each["state"] in ENDED for each in command.steps)
    if finished:
        command.state, command.finished_at, command.next_attempt_at = State.SUCCEEDED, timezone.now(), None
    command.save(update_fields=["steps", "state", "finished_at", "next_attempt_at"])
    if finished:
        _kinds[command.kind].finished(command, _subscriptions(command), now)
        schedules.follow_all(command.account, now=now)
    documents.rebuild(command.account)


def _take_effect(
    command: Command, index: int, snapshots: Sequence[Snapshot], rows: Sequence[Mirrored], now: datetime
) -> None:
    """Make our own effects of a step that was done."""
    one, arguments = command.steps[index], arguments_of(command, index)
    operation = _operations[one["op"]]
    if isinstance(operation, AccountOperation):
        if operation.made is not None:
            one["made"] = operation.made(snapshots, **arguments)
    elif operation.applied is not None:
        changed = (row for row in rows if isinstance(row, Subscription))
        operation.applied(next(row for row in changed if row.provider_id == one["subscription"]), now)


def _subscriptions(command: Command) -> list[Subscription]:
    ids = list(dict.fromkeys(one["subscription"] for one in command.steps if one["subscription"]))
    found = {row.provider_id: row for row in Subscription.objects.filter(provider_id__in=ids)}
    return [found[provider_id] for provider_id in ids]


def _refused(command: Command, index: int, now: datetime, error: Refused) -> BillingError:
    if error.code == UNUSABLE_INTENT or error.param in UNUSABLE_PARAMS:
        return _fail(command, index, now, PaymentMethodInvalid.code)
    if isinstance(error, PaymentRefused):
        return _fail(command, index, now, PaymentProcessingFailed.code)
    if error.code == "payment_method_not_present":
        return _fail(command, index, now, PaymentMethodRequired.code)
    if error.code == "not_done":
        return _fail(command, index, now, BillingUnavailable.code)
    _refresh(command, now)
    gone = isinstance(error, Missing) and "source" in command.steps[index]["args"]
    return _fail(command, index, now, PaymentMethodGone.code if gone else InvalidState.code)


def _refresh(command: Command, now: datetime) -> None:
    """The provider disagrees with the mirror: read what it holds, so that the answer shows it (matrix, row 6)."""
    customer = command.account.customer
    try:
        found = records.of_customer(customer.provider_id)
    except (NotSent, Refused):
        return  # the webhook or the reconciler brings it
    mirror.write(found, now=now)
    mirror.forget_sources(customer, found, now=now)
    documents.rebuild(command.account)


def _leave_unknown(command: Command) -> BillingUnconfirmed:
    wait = min(RETRY_AFTER_SECONDS * command.attempts, LONGEST_BACKOFF_SECONDS)
    _ours(command).update(state=State.UNKNOWN, next_attempt_at=timezone.now() + timedelta(seconds=wait))
    command.refresh_from_db()
    return BillingUnconfirmed(retry_after=RETRY_AFTER_SECONDS)


def _fail(
    command: Command, index: int, now: datetime, code: str, *, retry_after: int | None = None
) -> BillingError:
    """Close a command whose step was not done, and return what to raise."""
    command.steps[index]["state"] = "failed"
    command.steps[index]["error"] = code
    some_done = any(one["state"] == "done" for one in command.steps)
    command.error_code = BillingPartial.code if some_done else code
    command.state, command.finished_at, command.next_attempt_at = State.FAILED, timezone.now(), None
    names = ("steps", "error_code", "state", "finished_at", "next_attempt_at")
    with transaction.atomic():
        if not _ours(command).update(**{name: getattr(command, name) for name in names}):
            raise _TakenOver
        schedules.follow_all(command.account, now=now)
        documents.rebuild(command.account)
    return _error(command, retry_after=retry_after)


def _error(command: Command, *, retry_after: int | None = None) -> BillingError:
    error = ERRORS[command.error_code]
    if error is BillingUnavailable:
        return error(retry_after=retry_after or RETRY_AFTER_SECONDS)
    return error()
