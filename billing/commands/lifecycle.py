"""Open, continue, reopen and settle commands (docs/architecture.md, "The path of a command").

A command is one change of one account, in one or more steps at the provider. Its row is committed before the first
call, an account has at most one open command, and each step's idempotency key contains the row's id: after a crash, a
time-out or with a second worker, no step is done twice. While the outcome of a step is unknown, the command stays open.
The sweep or the next request with the same key settles it: within the provider's idempotency window by sending the step
again under the same key, later by reading back what the provider holds.
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q

from accounts.models import Account
from billing.commands import executor
from billing.commands.command_kind import CommandKind
from billing.errors import (
    BillingError,
    BillingPartial,
    BillingUnavailable,
    BillingUnconfirmed,
    ChangeInProgress,
    InvalidState,
)
from billing.models import Command
from billing.models.commands import ALIGN_BUNDLE, SYSTEM_ACTOR
from billing.models.steps import Step, StepState
from core.clock import database_now
from core.workers import shutdown
from core.workers.leases import LEASE_DURATION

logger = logging.getLogger(__name__)

State = Command.State
StepPlanner = Callable[[Command], list[Step]]

# A sweep ends before the next one begins, which settles the rest.
SETTLE_TIME_LIMIT_SECONDS = 45.0
# A repeated request reopens commands that failed with these errors; other failures are final.
REPEATABLE_ERROR_CODES = (BillingPartial.code, BillingUnavailable.code)


def execute_command(
    account: Account,
    *,
    kind: CommandKind,
    key: str,
    actor: str,
    now: datetime,
    plan: StepPlanner,
    shown: Mapping[str, Any] | None = None,
    reason: str = "",
) -> Command:
    """Execute a command, or continue the one with this idempotency key; return it when it is done.

    `now` is billing's time (UTC). `shown` are the confirmed figures, and `reason` is why an operator makes it, both
    stored with the command. `plan` is called with the command in the transaction that opens it: it reads the mirror and
    returns the steps, or raises to refuse. It is called again if the key's command failed before its first step.
    Raises ChangeInProgress while another command of the account is open, and what the command ends with.
    """
    row = Command(account=account, kind=kind.name, key=key, actor=actor, reason=reason, shown=dict(shown or {}))
    command, opened = _open_command(row, now=now, plan=plan)
    if opened or _claim_or_reopen(command, now, plan=plan, shown=shown):
        ask_first = partial(executor.send_first_step, command) if opened else None
        executor.run_steps(command, kind, now, ask_first=ask_first)
    return command


def continue_command(command: Command, kind: CommandKind, *, now: datetime, rest: Sequence[Step] | None = None) -> None:
    """Continue a command that an earlier request has begun. Raises what `execute_command` raises.

    `rest` are the steps to do instead of those that have not ended.
    """
    if rest is not None:
        # A step may get the place of another one; the attempt keeps their idempotency keys apart.
        attempt = max(step.attempt for step in command.steps)
        ended = [step for step in command.steps if step.has_ended]
        command.steps = [*ended, *(replace(step, attempt=attempt) for step in rest)]
    if _claim_or_reopen(command, now):
        executor.run_steps(command, kind, now)


def settle_due_commands(kinds: Mapping[str, CommandKind], *, now: datetime) -> dict[str, int]:
    """Settle the due open commands, for less than a minute; return how many are settled and how many wait.

    `kinds` are all kinds of commands, by name. An error in one command does not stop the others.
    """
    counts = {"settled": 0, "waiting": 0}
    deadline = time.monotonic() + SETTLE_TIME_LIMIT_SECONDS
    due = Command.objects.due()
    for command in due.order_by("next_attempt_at"):
        if shutdown.is_time_up(deadline):
            break
        _settle_command(command, kinds, now)
        counts["waiting" if command.state in Command.OPEN else "settled"] += 1
    return counts


def find_begun_command(account: Account, *, key: str) -> Command | None:
    """Return this key's command if it was begun, so that its confirmation is not checked again; None otherwise."""
    command = Command.objects.filter(account=account, key=key).first()
    return None if command is None or _has_never_begun(command) else command


def can_be_reopened(command: Command) -> bool:
    """Return whether a command failed so that a repeated request reopens it."""
    return command.state == State.FAILED and command.error_code in REPEATABLE_ERROR_CODES


def _open_command(command: Command, *, now: datetime, plan: StepPlanner) -> tuple[Command, bool]:
    """Insert a command with its steps; return it and True, or the one that has its key and False."""
    command.steps, command.attempts, command.first_sent_at = [], 1, now
    command.next_attempt_at = database_now() + LEASE_DURATION
    try:
        with transaction.atomic():
            command.save(force_insert=True)
            # The row keeps other commands of the account out, so what `plan` reads stays as it is.
            first, *others = _plan_steps(command, plan)
            command.steps = [executor.begin_step(first, now), *others]
            command.save(update_fields=["steps"])
    except IntegrityError:
        existing = Command.objects.filter(account=command.account, key=command.key).first()
        if existing is None:
            raise ChangeInProgress from None
        return existing, False
    return command, True


def _claim_or_reopen(
    command: Command,
    now: datetime,
    *,
    plan: StepPlanner | None = None,
    shown: Mapping[str, Any] | None = None,
) -> bool:
    """Claim an open command or reopen a failed one; return False if it has succeeded.

    Raises the error of a command whose failure is final, and BillingUnconfirmed while another worker holds it.
    """
    if command.state == State.SUCCEEDED:
        return False
    if command.state == State.FAILED:
        if not can_be_reopened(command):
            raise executor.command_error(command)
        _reopen_failed(command, now, plan=plan, shown=shown or {})
        return True
    is_claimed = command.claim(LEASE_DURATION)
    command.refresh_from_db()
    if not is_claimed:
        raise BillingUnconfirmed
    return True


def _plan_steps(command: Command, plan: StepPlanner) -> list[Step]:
    """Return the steps of a plan. Raises InvalidState if there are none: the change has been made meanwhile.

    A command without steps would never end, and would keep all other commands of the account out.
    """
    steps = plan(command)
    if not steps:
        raise InvalidState
    return steps


def _has_never_begun(command: Command) -> bool:
    """Whether a command failed before the provider received any step, so that it may be planned again.

    Steps that the provider may have received are sent again unchanged: a subscription then starts under the same id.
    """
    if command.state != State.FAILED or command.error_code != BillingUnavailable.code:
        return False
    return not any(step.has_ended or step.is_in_doubt for step in command.steps)


def _reopen_failed(command: Command, now: datetime, *, plan: StepPlanner | None, shown: Mapping[str, Any]) -> None:
    """Reopen a failed command. Raises InvalidState if another change was made since, by the night or by a person.

    Its steps were planned for the state before that change: they could start a service twice, or end the term that a
    resume has charged. A command that was never begun is planned again if there is a `plan`, since its figures may have
    changed. Raises what `plan` raises.
    """
    # Alignments of coupons follow from a change, and prevent none.
    others = Command.objects.filter(account=command.account).exclude(actor=SYSTEM_ACTOR, kind=ALIGN_BUNDLE)
    has_changed = Q(state=State.SUCCEEDED) | Q(error_code=BillingPartial.code)
    if others.filter(has_changed, finished_at__gt=command.finished_at).exists():
        raise InvalidState
    # The provider repeats its answer to a key, refusals included: a new attempt needs a new key.
    command.steps = [step if step.has_ended else _reset_step(step) for step in command.steps]
    new_plan = plan if _has_never_begun(command) else None
    try:
        with transaction.atomic():
            reopened = Command.objects.filter(pk=command.pk, state=State.FAILED, attempts=command.attempts).update(
                state=State.PENDING,
                error_code="",
                steps=command.steps,
                attempts=command.attempts + 1,
                first_sent_at=now,
                next_attempt_at=database_now() + LEASE_DURATION,
                finished_at=None,
            )
            if reopened and new_plan is not None:
                command.first_sent_at = now
                attempt = max(step.attempt for step in command.steps)
                steps = [replace(step, attempt=attempt) for step in _plan_steps(command, new_plan)]
                Command.objects.filter(pk=command.pk).update(steps=steps, shown=dict(shown))
    except IntegrityError:
        raise ChangeInProgress from None
    command.refresh_from_db()
    if reopened != 1:
        raise BillingUnconfirmed


def _reset_step(step: Step) -> Step:
    """Return a step that was not done as a waiting one with a new key."""
    return replace(step, state=StepState.WAITING, attempt=step.attempt + 1, begun_at=None, error_code="")


def _settle_command(command: Command, kinds: Mapping[str, CommandKind], now: datetime) -> None:
    try:
        is_claimed = command.claim(LEASE_DURATION)
        command.refresh_from_db()
        if is_claimed:
            executor.run_steps(command, kinds[command.kind], now)
    except BillingError:
        pass  # the command failed or is still open; its row has the state
    except Exception:
        logger.exception("Command %s could not be settled", command.pk)
        executor.mark_outcome_unknown(command)
    command.refresh_from_db()
