"""Execute commands of many accounts together, each of one step, as a job does.

One transaction has the intents of a page, and one its answers; in between, requests are in flight at once. An answer
that is no success, or that cannot be applied with the others, is settled by itself, as `lifecycle` does it.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, wait
from contextvars import copy_context
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction

from accounts.models import Account
from billing.commands import executor
from billing.commands.command_kind import CommandKind
from billing.commands.executor import Answer, AskProvider
from billing.models import Command
from billing.models.commands import SYSTEM_ACTOR
from billing.models.steps import Step
from core.clock import database_now
from core.workers.leases import LEASE_DURATION, LeaseLost, keep_leases

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class PlannedCommand:
    """A command to be opened: its account, its idempotency key, and its only step."""

    account: Account
    key: str
    step: Step


def open_page(
    planned: Iterable[PlannedCommand],
    kind: CommandKind,
    *,
    now: datetime,
    keep_valid: Callable[[Sequence[Command]], list[Command]],
) -> list[Command]:
    """Open commands of different accounts together, their steps begun; return those that are open and not sent yet.

    Left out are those whose account has an open command, whose key is taken, and those that `keep_valid` does not
    return: it reads the mirror while other commands of the accounts are kept out.
    """
    lease_end = database_now() + LEASE_DURATION
    commands = [
        Command(
            account=plan.account,
            kind=kind.name,
            key=plan.key,
            actor=SYSTEM_ACTOR,
            steps=[executor.begin_step(plan.step, now)],
            attempts=1,
            first_sent_at=now,
            next_attempt_at=lease_end,
        )
        for plan in planned
    ]
    with transaction.atomic():
        # A taken key and another open command are conflicts.
        Command.objects.bulk_create(commands, ignore_conflicts=True)
        inserted = set(Command.objects.filter(pk__in=[command.pk for command in commands]).values_list("pk", flat=True))
        opened = [command for command in commands if command.pk in inserted]
        valid = keep_valid(opened)
        if len(valid) < len(opened):
            Command.objects.filter(pk__in=inserted).exclude(pk__in=[command.pk for command in valid]).delete()
    return valid


def run_page(
    commands: Sequence[Command], kind: CommandKind, *, now: datetime, pool: Executor
) -> dict[Command, Exception | None]:
    """Send the steps of opened commands from the threads of a pool, and apply the answers.

    Return what each command has ended with: None if it is done, else what `lifecycle.execute_command` would raise.
    """
    sent = {
        command: pool.submit(copy_context().run, executor.send_first_step_in_own_span, command) for command in commands
    }
    with keep_leases(commands):
        wait(sent.values())
    answered = [command for command, future in sent.items() if future.exception() is None]
    are_applied = _try_to_apply([Answer(command, 0, sent[command].result()) for command in answered], kind, now)
    done = set(answered) if are_applied else set()
    # Together as well: a refusal reads the customer again, and the leases are no longer renewed.
    settled = {
        command: pool.submit(copy_context().run, _settle_alone, command, kind, now, future.result)
        for command, future in sent.items()
        if command not in done
    }
    return {command: settled[command].result() if command in settled else None for command in commands}


def _try_to_apply(answers: Sequence[Answer], kind: CommandKind, now: datetime) -> bool:
    """Apply answers together; return whether that was possible. If not, their commands stay as they were."""
    apart = [replace(answer, command=_copy_command(answer.command)) for answer in answers]
    try:
        executor.apply_answers(apart, kind, now)
    except LeaseLost as error:
        logger.info("Another worker has claimed command %s of a page", error)
    except Exception:
        logger.exception("%s answers could not be applied together", len(answers))
    else:
        return True
    return False


def _copy_command(command: Command) -> Command:
    copied = copy(command)
    copied.steps = list(command.steps)
    return copied


def _settle_alone(command: Command, kind: CommandKind, now: datetime, ask: AskProvider) -> Exception | None:
    try:
        executor.run_steps(command, kind, now, ask_first=ask)
    except Exception as error:  # noqa: BLE001  (the caller raises it for the account that it is about)
        return error
    return None
