"""Run the steps of a command: send each, apply its answer, and close the command or leave it to the sweep.

A worker holds a command by its number of attempts. If its lease expires and another worker claims the command, the
number changes: the first worker then neither applies its answer nor closes the command.
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from billing.commands import step_invoices
from billing.commands.command_kind import CommandKind
from billing.commands.operations import Operation, find_operation
from billing.commands.signals import announce_settled_command
from billing.errors import (
    AddressRefused,
    BillingError,
    BillingPartial,
    BillingUnavailable,
    BillingUnconfirmed,
    CardNotEditable,
    InvalidState,
    NoLongerExists,
    PaymentMethodGone,
    PaymentMethodInvalid,
    PaymentMethodRequired,
    PaymentProcessingFailed,
    RefundDeclined,
    RefundRefused,
)
from billing.gateway import records
from billing.gateway.errors import Missing, NotSent, PaymentRefused, Refused, Unconfirmed
from billing.gateway.snapshots import Snapshot
from billing.mirror import account_import, documents, pause_schedules, writer
from billing.models import Command, Customer, Subscription
from billing.models.commands import SYSTEM_ACTOR
from billing.models.mirror_row import MirroredResource
from billing.models.steps import Step, StepState, resolve_arguments
from billing.queries.commands import command_subscriptions
from billing.receipts import partial_receipts
from core.clock import database_now
from core.tracing import open_span
from core.workers.leases import LeaseLost

logger = logging.getLogger(__name__)

State = Command.State

# How long a worker may hold a command between renewals: longer than one call's connect and read time-outs.
LEASE_DURATION = timedelta(seconds=30)
# The provider forgets a key after 30 minutes; after this window a step is read back before it is sent again.
IDEMPOTENCY_WINDOW = timedelta(minutes=25)
# How often a step is sent with a new key. Each may try a charge once more, and while the command is open the account
# can make no other change; afterwards the subscriber may request it again.
MAX_NEW_KEYS = 2
FIRST_BACKOFF_SECONDS, MAX_BACKOFF_SECONDS = 5, 30

ERRORS_BY_CODE: dict[str, type[BillingError]] = {
    error.code: error
    for error in (
        AddressRefused,
        BillingPartial,
        BillingUnavailable,
        CardNotEditable,
        InvalidState,
        NoLongerExists,
        PaymentMethodGone,
        PaymentMethodInvalid,
        PaymentMethodRequired,
        PaymentProcessingFailed,
        RefundDeclined,
        RefundRefused,
    )
}
# How the provider refuses an intent that is spent, expired, not authorized, or not ours.
UNUSABLE_INTENT = "payment_intent_invalid"
INTENT_PARAM = "payment_intent[id]"


def begin_step(step: Step, now: datetime) -> Step:
    """Return a step as sent; `now` is billing's time. From here on the provider may have done it."""
    return replace(step, state=StepState.SENT, begun_at=step.begun_at or now)


def run_steps(command: Command, kind: CommandKind, now: datetime, *, just_opened: bool = False) -> None:
    """Run the steps of a command that this worker holds, in order. Raises what the command ends with.

    With `just_opened`, the first step was begun in the transaction that opened the command, but not sent yet.
    """
    described: dict[str, str | int] = {"command.id": str(command.pk), "command.attempt": command.attempts}
    with open_span(f"command {command.kind}", trace=command.trace, attributes=described) as span:
        try:
            _run_held_steps(command, kind, now, just_opened=just_opened)
        finally:
            span.set_attribute("command.state", command.state)


def _run_held_steps(command: Command, kind: CommandKind, now: datetime, *, just_opened: bool) -> None:
    try:
        for index, step in enumerate(command.steps):
            if not step.has_ended:
                _run_step(command, kind, index, now, just_begun=just_opened and index == 0)
        if command.state != State.SUCCEEDED:
            _close_done_command(command, kind, now)
    except LeaseLost as error:
        command.refresh_from_db()
        if command.state == State.FAILED:
            raise command_error(command) from error
        if command.state != State.SUCCEEDED:
            raise BillingUnconfirmed from error


def _run_step(command: Command, kind: CommandKind, index: int, now: datetime, *, just_begun: bool) -> None:
    operation = find_operation(command, index)
    if operation.is_needed and not operation.is_needed(command, **resolve_arguments(command.steps, index)):
        _apply_answer(command, kind, index, now, (), state=StepState.SKIPPED)
        return
    begun_before = not just_begun and _begin_step(command, index, now)
    try:
        snapshots = _send_or_read_back(command, index, now, begun_before=begun_before)
    except NotSent as error:
        if begun_before or _waits_for_provider(command, index):
            raise mark_outcome_unknown(command) from error
        raise _fail_command(command, index, now, BillingUnavailable.code, retry_after=error.retry_after) from error
    except Unconfirmed as error:
        raise mark_outcome_unknown(command) from error
    except Refused as error:
        _handle_refusal(command, kind, index, now, error)
    else:
        _apply_answer(command, kind, index, now, snapshots)


def _waits_for_provider(command: Command, index: int) -> bool:
    is_under_way = any(step.is_done for step in command.steps[:index])
    return is_under_way and find_operation(command, index).waits_for_provider


def _handle_refusal(command: Command, kind: CommandKind, index: int, now: datetime, error: Refused) -> None:
    if find_operation(command, index).on_refusal == "stop":
        raise _fail_refused_step(command, index, now, error) from error
    logger.warning("Step %s of command %s was refused: %s", index, command.pk, error.code)
    _apply_answer(command, kind, index, now, (), state=StepState.SKIPPED)


def _change_step(command: Command, index: int, **changes: Any) -> None:
    """Change a step of a command in memory."""
    step: Step = replace(command.steps[index], **changes)
    command.steps[index] = step


def _begin_step(command: Command, index: int, now: datetime) -> bool:
    """Begin a step; return whether it was begun before.

    If it was, the provider may have done it: until the provider answers, the command must not be closed as failed.
    """
    begun_before: bool = command.steps[index].state == StepState.SENT
    command.steps[index] = begin_step(command.steps[index], now)
    command.renew_lease(LEASE_DURATION, steps=command.steps)
    return begun_before


def _send_or_read_back(command: Command, index: int, now: datetime, *, begun_before: bool) -> Sequence[Snapshot]:
    """Send a step; if its idempotency key may have expired, read back whether the provider has done it.

    Raises Refused if it was not done, NotSent and Unconfirmed if that is unknown.
    """
    refusal = Refused("not_done")
    step, operation = command.steps[index], find_operation(command, index)
    is_too_late = now - _key_sent_at(step) > IDEMPOTENCY_WINDOW
    if not (begun_before and is_too_late):
        try:
            return _send_step(command, index)
        except Refused as error:
            if not begun_before:
                raise
            refusal = error
    snapshots = _read_back_step(operation, command, index)
    if snapshots is not None:
        return snapshots
    if not (is_too_late and operation.safe_to_repeat and len(_key_renewals(step)) < MAX_NEW_KEYS):
        raise refusal
    return _send_with_new_key(command, index, now)


def _send_with_new_key(command: Command, index: int, now: datetime) -> Sequence[Snapshot]:
    """Send a step with a new key: the provider has forgotten the old one.

    From now on the step is repeated with the new key, within that key's idempotency window.
    """
    step = command.steps[index]
    _change_step(command, index, attempt=step.attempt + 1, renewed_at=(*_key_renewals(step), now))
    command.renew_lease(LEASE_DURATION, steps=command.steps)
    return _send_step(command, index)


def _key_sent_at(step: Step) -> datetime:
    """Return when the current key of a begun step was first sent, or a little earlier (billing's time)."""
    return max(at for at in (step.begun_at, *_key_renewals(step)) if at is not None)


def _key_renewals(step: Step) -> list[datetime]:
    """Return when a step got new keys since its command was opened or reopened (billing's time)."""
    return [at for at in step.renewed_at if step.begun_at is not None and at >= step.begun_at]


def _send_step(command: Command, index: int) -> Sequence[Snapshot]:
    step = command.steps[index]
    key = f"{command.pk}:{index}:{step.attempt}"
    return find_operation(command, index).send(*_target(step), key=key, **resolve_arguments(command.steps, index))


def _target(step: Step) -> tuple[str, ...]:
    """Return the positional arguments of a step: the id of its subscription, none for a step of the account."""
    return (step.subscription_id,) if step.subscription_id else ()


def _read_back_step(operation: Operation, command: Command, index: int) -> list[Snapshot] | None:
    """Return the provider's snapshots of the customer if they show the step done; None otherwise."""
    snapshots = records.find_customer_records(command.account.customer.provider_id)
    arguments = resolve_arguments(command.steps, index)
    if not operation.is_done(snapshots, *_target(command.steps[index]), **arguments):
        return None
    return step_invoices.mark_invoice(snapshots, command, index) if operation.makes_invoice else snapshots


@transaction.atomic
def _apply_answer(
    command: Command,
    kind: CommandKind,
    index: int,
    now: datetime,
    snapshots: Sequence[Snapshot],
    *,
    state: StepState = StepState.DONE,
) -> None:
    command.lock_held()
    rows = writer.write_snapshots(snapshots, now=now)
    result = _record_effects(command, index, snapshots, rows, now) if state == StepState.DONE else None
    _change_step(command, index, state=state, result=result, invoice_id=step_invoices.made_invoice_id(snapshots))
    if all(step.has_ended for step in command.steps):
        _finish_command(command, kind, rows, now)
    else:
        command.save(update_fields=["steps"])
    if command.actor == SYSTEM_ACTOR:
        # Nobody waits for the documents: the webhooks that follow, or the next request, rebuild them.
        documents.mark_documents_stale(command.account)
    else:
        documents.rebuild_documents(command.account)


def _record_effects(
    command: Command,
    index: int,
    snapshots: Sequence[Snapshot],
    rows: Sequence[MirroredResource],
    now: datetime,
) -> Any:
    """Record the effects of a done step in our database; return its result, None if it has none."""
    step, operation = command.steps[index], find_operation(command, index)
    if operation.record_effects is not None:
        subscriptions = (row for row in rows if isinstance(row, Subscription))
        subscription = next(row for row in subscriptions if row.provider_id == step.subscription_id)
        operation.record_effects(subscription, now)
    if operation.result is None:
        return None
    return operation.result(snapshots, **resolve_arguments(command.steps, index))


@transaction.atomic
def _close_done_command(command: Command, kind: CommandKind, now: datetime) -> None:
    """Close a reopened command that had no step left to do."""
    command.lock_held()
    _finish_command(command, kind, (), now)
    documents.rebuild_documents(command.account)


def _finish_command(command: Command, kind: CommandKind, rows: Sequence[MirroredResource], now: datetime) -> None:
    command.state, command.finished_at, command.next_attempt_at = State.SUCCEEDED, database_now(), None
    command.save(update_fields=["steps", "state", "finished_at", "next_attempt_at"])
    subscriptions = command_subscriptions(command, written=rows)
    if kind.finish is not None:
        kind.finish(command, subscriptions, now)
    if kind.compose_receipt is not None:
        partial_receipts.send_finished_receipt(command, kind.compose_receipt, subscriptions, now)
    pause_schedules.sync_account_schedules(command.account, now=now)
    announce_settled_command(command)


def _fail_refused_step(command: Command, index: int, now: datetime, error: Refused) -> BillingError:
    if error.code == UNUSABLE_INTENT or error.param == INTENT_PARAM:
        return _fail_command(command, index, now, PaymentMethodInvalid.code)
    if isinstance(error, PaymentRefused):
        return _fail_command(command, index, now, find_operation(command, index).decline.code)
    if error.code == "payment_method_not_present":
        return _fail_command(command, index, now, PaymentMethodRequired.code)
    if error.code == "not_done":
        # The provider may have received it all the same: a repeated request sends the step as it was planned.
        _change_step(command, index, is_in_doubt=True)
        return _fail_command(command, index, now, BillingUnavailable.code)
    _refresh_mirror(command, now)
    return _fail_command(command, index, now, _refusal_code(command, index, error))


def _refusal_code(command: Command, index: int, error: Refused) -> str:
    """Return the code for a refusal that the provider gave for the state of what it has, as the mirror shows it now."""
    if Customer.objects.filter(account=command.account, deleted=True).exists():
        return NoLongerExists.code
    if not isinstance(error, Missing):
        return find_operation(command, index).refusal.code
    if "source" in command.steps[index].arguments:
        return PaymentMethodGone.code
    return NoLongerExists.code if error.is_subject else find_operation(command, index).refusal.code


def _refresh_mirror(command: Command, now: datetime) -> None:
    """Read the customer again: the provider disagrees with the mirror, and the response must show its state."""
    customer = command.account.customer
    try:
        snapshots = records.find_customer_records(customer.provider_id)
    except Missing:
        account_import.mark_deleted("customer", customer.provider_id)
        return
    except (NotSent, Refused):
        return  # a webhook or the reconciler updates the mirror later
    # One transaction: a crash in between would leave documents that are stale and not marked so.
    with transaction.atomic():
        writer.write_snapshots(snapshots, now=now)
        writer.mark_missing_sources_deleted(customer, snapshots, now=now)
        documents.rebuild_documents(command.account)


def mark_outcome_unknown(command: Command) -> BillingUnconfirmed:
    """Release a command for the sweep, and return the error to raise."""
    delay = min(FIRST_BACKOFF_SECONDS * command.attempts, MAX_BACKOFF_SECONDS)
    command.retry_later(timedelta(seconds=delay), state=State.UNKNOWN)
    command.refresh_from_db()
    return BillingUnconfirmed()


def _fail_command(
    command: Command, index: int, now: datetime, code: str, *, retry_after: int | None = None
) -> BillingError:
    """Close a command whose step was not done, and return the error to raise."""
    _change_step(command, index, state=StepState.FAILED, error_code=code)
    is_partly_done = any(step.is_done for step in command.steps)
    with transaction.atomic():
        is_held = command.finish(
            steps=command.steps,
            state=State.FAILED,
            error_code=BillingPartial.code if is_partly_done else code,
            finished_at=database_now(),
        )
        if not is_held:
            raise LeaseLost(str(command.pk))
        pause_schedules.sync_account_schedules(command.account, now=now)
        documents.rebuild_documents(command.account)
        announce_settled_command(command)
    return command_error(command, retry_after=retry_after)


def command_error(command: Command, *, retry_after: int | None = None) -> BillingError:
    """Return the error that a failed command ended with."""
    error_class = ERRORS_BY_CODE[command.error_code]
    return error_class(retry_after=retry_after) if error_class is BillingUnavailable else error_class()
