"""Receipts of commands, also of commands done in part: each step is in one receipt (docs/rules.md, rule 2)."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from datetime import datetime, timedelta

from django.db import transaction

from billing.errors import BillingPartial
from billing.models import Command, Subscription
from billing.models.steps import Step
from billing.queries.commands import (
    command_subscriptions,
    has_unfinished_steps,
    later_changed_subscription_ids,
)
from billing.queries.payments.invoices import attach_tax_in_prices
from billing.receipts import delivery, joint_receipts
from billing.receipts.delivery import ActivityReceipt, ReceiptComposer
from core.clock import database_now

logger = logging.getLogger(__name__)

# Subscribers mostly repeat a partly done change at once: then one receipt has the whole.
PARTIAL_RECEIPT_DELAY = timedelta(minutes=10)
# Older commands have had their receipt, or the account's screens show their result.
PARTIAL_RECEIPT_MAX_AGE = timedelta(days=7)
REST_NOT_DONE = "We couldn't do the rest, so nothing else changed. You can try again."


def send_finished_receipts(
    finished: Sequence[tuple[Command, list[Subscription]]], compose: ReceiptComposer, now: datetime
) -> None:
    """Send the receipts of finished commands of one kind, for those of their steps that have none yet."""
    attach_tax_in_prices([subscription for _, subscriptions in finished for subscription in subscriptions])
    joint = []
    for command, subscriptions in finished:
        activity = _compose_receipt(command, compose, _steps_without_receipt(command), subscriptions)
        if activity is not None and activity.is_joint:
            joint.append((command, activity))
        elif activity is not None:
            delivery.send_receipt(command, activity.receipt, kind=activity.kind, now=now)
    joint_receipts.send_joint_receipts(joint, compose, now)


def send_partial_receipts(composers: Mapping[str, ReceiptComposer], *, now: datetime) -> dict[str, int]:
    """Send the receipts of commands that ended in part and were not finished since; return how many.

    `composers` are by kind of command. An error in one receipt does not stop the others.
    """
    at = database_now()
    partial = Command.objects.filter(
        kind__in=composers,
        state=Command.State.FAILED,
        error_code=BillingPartial.code,
        finished_at__range=(at - PARTIAL_RECEIPT_MAX_AGE, at - PARTIAL_RECEIPT_DELAY),
    )
    return {
        "told_in_part": sum(
            _try_partial_receipt(command, composers[command.kind], now) for command in partial.iterator()
        )
    }


def _try_partial_receipt(command: Command, compose: ReceiptComposer, now: datetime) -> bool:
    try:
        return _send_partial_receipt(command, compose, now)
    except Exception:
        logger.exception("The receipt for the done part of command %s failed", command.pk)
        return False


@transaction.atomic
def _send_partial_receipt(command: Command, compose: ReceiptComposer, now: datetime) -> bool:
    steps = _steps_without_receipt(command)
    activity = _compose_receipt(
        command, compose, _drop_superseded_steps(command, steps), command_subscriptions(command)
    )
    if not steps or not _mark_receipt_sent(command, steps) or activity is None:
        return False
    receipt = (
        replace(activity.receipt, lines=[*activity.receipt.lines, REST_NOT_DONE])
        if has_unfinished_steps(command)
        else activity.receipt
    )
    delivery.send_receipt(command, receipt, kind=activity.kind, now=now)
    return True


def _mark_receipt_sent(command: Command, steps: Sequence[Step]) -> bool:
    """Mark steps as having a receipt; return False if the command was continued meanwhile."""
    command.steps = [replace(step, has_receipt=True) if step in steps else step for step in command.steps]
    command.attempts += 1
    updated = Command.objects.filter(pk=command.pk, state=Command.State.FAILED, attempts=command.attempts - 1).update(
        steps=command.steps, attempts=command.attempts
    )
    return updated == 1


def _steps_without_receipt(command: Command) -> list[Step]:
    return [step for step in command.steps if step.is_done and not step.has_receipt]


def _drop_superseded_steps(command: Command, steps: Iterable[Step]) -> list[Step]:
    """Return the steps whose subscriptions no later command has changed; the later receipt covers the others."""
    later = later_changed_subscription_ids(command)
    return [step for step in steps if step.subscription_id not in later]


def _compose_receipt(
    command: Command, compose: ReceiptComposer, steps: list[Step], subscriptions: Iterable[Subscription]
) -> ActivityReceipt | None:
    if not steps:
        return None
    part = copy(command)
    part.steps = steps
    ids = {step.subscription_id for step in steps}
    return compose(part, [subscription for subscription in subscriptions if subscription.provider_id in ids])
