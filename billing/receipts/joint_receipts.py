"""One receipt for the plans that resume in the same night (docs/rules.md, rule 16).

Each resume is a command with a receipt of its own, so that a declined one stops no other. The first receipt waits a
little for the resumes that are still due, and each later one is merged into it while it waits.
"""

from collections.abc import Collection, Sequence
from copy import copy
from datetime import datetime, timedelta

from accounts.brands import site
from accounts.mail import queue
from accounts.models import OutgoingMail
from billing import clock
from billing.models import Command, PauseSchedule
from billing.queries.commands import command_subscriptions
from billing.receipts import delivery
from billing.receipts.delivery import ActivityReceipt, ReceiptComposer
from core.clock import database_now

# A worker resumes the plans of an account one after the other, within seconds.
JOIN_DELAY = timedelta(minutes=2)


def send_joint_receipts(
    told: Sequence[tuple[Command, ActivityReceipt]], compose: ReceiptComposer, now: datetime
) -> None:
    """Send the receipts of resumes by the night, each together with the one of its account that waits.

    Each command is of another account. Call it as `delivery.send_receipt`.
    """
    if not told:
        return
    commands = [command for command, _ in told]
    leads, expecting = _waiting_receipts(commands), _accounts_with_due_resume(commands, now)
    alone = []
    for command, activity in told:
        lead, expects_others = leads.get(command.account_id), command.account_id in expecting
        if lead is None and not expects_others:
            alone.append((command, activity))
            continue
        mail = delivery.send_receipt(command, activity.receipt, kind=activity.kind, now=now)
        if mail is not None and lead is not None:
            _merge_receipts(lead, mail, command, compose, now, send_now=not expects_others)
        elif mail is not None:
            queue.delay_mail(mail, JOIN_DELAY)
    delivery.send_receipts(alone, now=now)


def _merge_receipts(
    lead: OutgoingMail,
    mail: OutgoingMail,
    command: Command,
    compose: ReceiptComposer,
    now: datetime,
    *,
    send_now: bool,
) -> None:
    commands = [*delivery.commands_of_receipt(lead), command]
    whole = copy(command)
    whole.steps = [step for told in commands for step in told.steps]
    activity = compose(whole, command_subscriptions(whole))
    if activity is not None:
        context = delivery.receipt_context(commands, activity.receipt, now)
        queue.merge_mail(mail, into=lead, context=context, send_now=send_now)


def _waiting_receipts(commands: Collection[Command]) -> dict[int, OutgoingMail]:
    """Return the receipts that are delayed to tell more, by account."""
    accounts = [command.account_id for command in commands]
    untried = OutgoingMail.objects.unfinished().filter(account__in=accounts, kind=delivery.MAIL_KIND, attempts=0)
    waiting = untried.filter(next_attempt_at__gt=database_now()).order_by("pk")
    return {mail.account_id: mail for mail in waiting if mail.account_id is not None}


def _accounts_with_due_resume(commands: Collection[Command], now: datetime) -> set[int]:
    """Return the accounts that have another pause whose resume date has come and whose resume was not tried."""
    zone = site.site_settings().time_zone
    resumed = {step.subscription_id for command in commands for step in command.steps if step.has_ended}
    untried = PauseSchedule.objects.filter(
        state=PauseSchedule.State.PAUSED,
        subscription__customer__account__in=[command.account_id for command in commands],
        failed_attempts=0,
    ).exclude(subscription__provider_id__in=resumed)
    today = clock.local_date(now, zone)
    due = untried.values_list("subscription__customer__account", "resume_date")
    return {account for account, resume_date in due if clock.local_date(resume_date, zone) <= today}
