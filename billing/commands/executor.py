"""Run the steps of a command: send each, apply its answer, and close the command or leave it to the sweep.

A worker holds a command by its number of attempts. If its lease expires and another worker claims the command, the
number changes: the first worker then neither applies its answer nor closes the command.
"""

import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from billing.commands import step_invoices
from billing.commands.command_kind import CommandKind
from billing.commands.operations import EffectsRecorder, Operation, find_operation
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
from core.tracing import Span, open_span
from core.workers.leases import LEASE_DURATION, LeaseLost, keep_leases

logger = logging.getLogger(__name__)

State = Command.State

# The provider forgets a key after 30 minutes; after this window a step is read back before it is sent again.
IDEMPOTENCY_WINDOW = timedelta(minutes=25)
# How often a step is sent with a new key. Each may try a charge once more, and while the command is open the account
# can make no other change; afterwards the subscriber may request it again.
MAX_NEW_KEYS = 2
FIRST_BACKOFF_SECONDS, MAX_BACKOFF_SECONDS = 5, 30

# Gives the snapshots of the provider's answer to a step, or raises an error of the gateway.
AskProvider = Callable[[], Sequence[Snapshot]]

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


@dataclass(frozen=True)
class Answer:
    """The answer to a step of a command that this worker holds, and the state that the step then is in."""

    command: Command
    index: int
    snapshots: Sequence[Snapshot]
    state: StepState = StepState.DONE


def begin_step(step: Step, now: datetime) -> Step:
    """Return a step as sent; `now` is billing's time. From here on the provider may have done it."""
    return replace(step, state=StepState.SENT, begun_at=step.begun_at or now)


def run_steps(command: Command, kind: CommandKind, now: datetime, *, ask_first: AskProvider | None = None) -> None:
    """Run the steps of a command that this worker holds, in order. Raises what the command ends with.

    With `ask_first`, the first step was begun in the transaction that opened the command, and this gives its answer.
    """
    with _open_command_span(command) as span:
        try:
            _run_held_steps(command, kind, now, ask_first=ask_first)
        finally:
            span.set_attribute("command.state", command.state)


def send_first_step(command: Command) -> Sequence[Snapshot]:
    """Send the first step of a command that has just been opened; return the answer. Raises errors of the gateway."""
    return _send_step(command, 0)


def send_first_step_in_own_span(command: Command) -> Sequence[Snapshot]:
    """Do as `send_first_step` in a span of the command's trace, since its answer is applied with others'."""
    with _open_command_span(command):
        return send_first_step(command)


def _open_command_span(command: Command) -> AbstractContextManager[Span]:
    described: dict[str, str | int] = {"command.id": str(command.pk), "command.attempt": command.attempts}
    return open_span(f"command {command.kind}", trace=command.trace, attributes=described)


def _run_held_steps(command: Command, kind: CommandKind, now: datetime, *, ask_first: AskProvider | None) -> None:
    try:
        for index, step in enumerate(command.steps):
            if not step.has_ended:
                _run_step(command, kind, index, now, ask=ask_first if index == 0 else None)
        if command.state != State.SUCCEEDED:
            _close_done_command(command, kind, now)
    except LeaseLost as error:
        command.refresh_from_db()
        if command.state == State.FAILED:
            raise command_error(command) from error
        if command.state != State.SUCCEEDED:
            raise BillingUnconfirmed from error


def _run_step(command: Command, kind: CommandKind, index: int, now: datetime, *, ask: AskProvider | None) -> None:
    operation = find_operation(command, index)
    if operation.is_needed and not operation.is_needed(command, **resolve_arguments(command.steps, index)):
        apply_answers([Answer(command, index, (), StepState.SKIPPED)], kind, now)
        return
    begun_before = ask is None and _begin_step(command, index, now)
    try:
        with keep_leases([command]):
            snapshots = ask() if ask else _send_or_read_back(command, index, now, begun_before=begun_before)
    except NotSent as error:
        if begun_before or _waits_for_provider(command, index):
            raise mark_outcome_unknown(command) from error
        raise _fail_command(command, index, now, BillingUnavailable.code, retry_after=error.retry_after) from error
    except Unconfirmed as error:
        raise mark_outcome_unknown(command) from error
    except Refused as error:
        _handle_refusal(command, kind, index, now, error)
    else:
        apply_answers([Answer(command, index, snapshots)], kind, now)


def _waits_for_provider(command: Command, index: int) -> bool:
    is_under_way = any(step.is_done for step in command.steps[:index])
    return is_under_way and find_operation(command, index).waits_for_provider


def _handle_refusal(command: Command, kind: CommandKind, index: int, now: datetime, error: Refused) -> None:
    if not _may_skip(command, index):
        raise _fail_refused_step(command, index, now, error) from error
    logger.warning("Step %s of command %s was refused: %s", index, command.pk, error.code)
    if find_operation(command, index).on_refusal == "skip_after_others":
        # A swap is several writes, of which some may have been made.
        _refresh_mirror(command, now)
    apply_answers([Answer(command, index, (), StepState.SKIPPED)], kind, now)


def _may_skip(command: Command, index: int) -> bool:
    """Return whether a refused step is skipped."""
    on_refusal, operation = find_operation(command, index).on_refusal, command.steps[index].operation
    if on_refusal == "skip_after_others":
        return any(step.is_done and step.operation != operation for step in command.steps[:index])
    return on_refusal == "skip"


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
def apply_answers(answers: Sequence[Answer], kind: CommandKind, now: datetime) -> None:
    """Apply the answers to steps of commands of one kind, one step of each account; all or none.

    Raises LeaseLost if this worker does not hold one of the commands any more. The number of queries does not grow with
    the number of answers.
    """
    commands = [answer.command for answer in answers]
    Command.objects.lock_held(commands)
    rows = writer.write_snapshots([snapshot for answer in answers for snapshot in answer.snapshots], now=now)
    _record_effects([answer for answer in answers if answer.state == StepState.DONE], rows, now)
    for answer in answers:
        invoice_id = step_invoices.made_invoice_id(answer.snapshots)
        result = _step_result(answer) if answer.state == StepState.DONE else None
        ended = {"state": answer.state, "result": result, "invoice_id": invoice_id, "is_in_doubt": False}
        _change_step(answer.command, answer.index, **ended)
    unfinished = [command for command in commands if not all(step.has_ended for step in command.steps)]
    _save_held(unfinished, "steps")
    _finish_commands([command for command in commands if command not in unfinished], kind, rows, now)
    # Nobody waits for the documents of what the system does.
    documents.mark_documents_stale([command.account for command in commands if command.actor == SYSTEM_ACTOR])
    for command in commands:
        if command.actor != SYSTEM_ACTOR:
            documents.rebuild_documents(command.account)


def _record_effects(answers: Sequence[Answer], rows: Sequence[MirroredResource], now: datetime) -> None:
    """Record the effects of done steps in our database."""
    subscriptions = {row.provider_id: row for row in rows if isinstance(row, Subscription)}
    changed: dict[EffectsRecorder, list[Subscription]] = {}
    for answer in answers:
        record_effects = find_operation(answer.command, answer.index).record_effects
        if record_effects is not None:
            subscription_id = answer.command.steps[answer.index].subscription_id
            changed.setdefault(record_effects, []).append(subscriptions[subscription_id])
    for record_effects, changed_subscriptions in changed.items():
        record_effects(changed_subscriptions, now)


def _step_result(answer: Answer) -> Any:
    """Return the result of a done step, None if it has none."""
    find_result = find_operation(answer.command, answer.index).result
    if find_result is None:
        return None
    return find_result(answer.snapshots, **resolve_arguments(answer.command.steps, answer.index))


@transaction.atomic
def _close_done_command(command: Command, kind: CommandKind, now: datetime) -> None:
    """Close a reopened command that had no step left to do."""
    Command.objects.lock_held([command])
    _finish_commands([command], kind, (), now)
    documents.rebuild_documents(command.account)


def _save_held(commands: Sequence[Command], *fields: str) -> None:
    """Save fields of locked commands with one statement, of which each insert becomes an update."""
    if commands:
        Command.objects.bulk_create(commands, update_conflicts=True, unique_fields=["id"], update_fields=fields)


def _finish_commands(
    commands: Sequence[Command], kind: CommandKind, rows: Sequence[MirroredResource], now: datetime
) -> None:
    """Close commands of one kind whose steps have all ended; `rows` were just written."""
    if not commands:
        return
    finished_at = database_now()
    for command in commands:
        command.state, command.finished_at, command.next_attempt_at = State.SUCCEEDED, finished_at, None
    _save_held(commands, "steps", "state", "finished_at", "next_attempt_at")
    finished = [(command, command_subscriptions(command, written=rows)) for command in commands]
    for command, subscriptions in finished:
        if kind.finish is not None:
            kind.finish(command, subscriptions, now)
    if kind.compose_receipt is not None:
        partial_receipts.send_finished_receipts(finished, kind.compose_receipt, now)
    pause_schedules.sync_account_schedules([command.account for command in commands], now=now)
    for command in commands:
        announce_settled_command(command)


def _fail_refused_step(command: Command, index: int, now: datetime, error: Refused) -> BillingError:
    # What was not done may have been received all the same: a repeated request sends the step as it was planned.
    _change_step(command, index, is_in_doubt=error.code == "not_done")
    if error.code == UNUSABLE_INTENT or error.param == INTENT_PARAM:
        return _fail_command(command, index, now, PaymentMethodInvalid.code)
    # The provider types this one as a refused payment, too.
    if error.code == "payment_method_not_present":
        return _fail_command(command, index, now, PaymentMethodRequired.code)
    if isinstance(error, PaymentRefused):
        return _fail_command(command, index, now, find_operation(command, index).decline.code)
    if error.code == "not_done":
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
        with keep_leases([command]):
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
        pause_schedules.sync_account_schedules([command.account], now=now)
        documents.rebuild_documents(command.account)
        announce_settled_command(command)
    return command_error(command, retry_after=retry_after)


def command_error(command: Command, *, retry_after: int | None = None) -> BillingError:
    """Return the error that a failed command ended with."""
    error_class = ERRORS_BY_CODE[command.error_code]
    return error_class(retry_after=retry_after) if error_class is BillingUnavailable else error_class()
