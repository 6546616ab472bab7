"""One receipt for the plans that resume in the same night (docs/rules.md, rule 16).

Each resume is a command with a receipt of its own, so that a declined one stops no other. The first receipt waits a
little for the resumes that are still due, and each later one is merged into it while it waits.
"""

from collections.abc import Sequence
from copy import copy
from datetime import datetime, timedelta

from accounts.brands import site
from accounts.mail import queue
from accounts.models import OutgoingMail
from billing import clock
from billing.models import Command, PauseSchedule, Subscription
from billing.queries.commands import command_subscriptions
from billing.receipts import delivery
from billing.receipts.delivery import ActivityReceipt, ReceiptComposer
from core.clock import database_now

# A worker resumes the plans of an account one after the other, within seconds.
JOIN_DELAY = timedelta(minutes=2)


def send_joint_receipt(
    command: Command,
    activity: ActivityReceipt,
    compose: ReceiptComposer,
    subscriptions: Sequence[Subscription],
    now: datetime,
) -> None:
    """Send the receipt of a resume by the night together with the one that waits; call it as `send_receipt`."""
    lead = _waiting_receipt(command)
    expects_others = _has_due_resume(command, subscriptions, now)
    mail = delivery.send_receipt(command, activity.receipt, kind=activity.kind, now=now)
    if mail is not None and lead is not None:
        _merge_receipts(lead, mail, command, compose, now, send_now=not expects_others)
    elif mail is not None and expects_others:
        queue.delay_mail(mail, JOIN_DELAY)


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


def _waiting_receipt(command: Command) -> OutgoingMail | None:
    """Return the account's receipt that is delayed to tell more, if any."""
    untried = OutgoingMail.objects.unfinished().filter(account=command.account, kind=delivery.MAIL_KIND, attempts=0)
    return untried.filter(next_attempt_at__gt=database_now()).order_by("pk").last()


def _has_due_resume(command: Command, subscriptions: Sequence[Subscription], now: datetime) -> bool:
    """Return whether the account has another pause whose resume date has come and whose resume was not tried."""
    zone = site.site_settings().time_zone
    untried = PauseSchedule.objects.filter(
        state=PauseSchedule.State.PAUSED, subscription__customer__account=command.account, failed_attempts=0
    ).exclude(subscription__in=[subscription.pk for subscription in subscriptions])
    today = clock.local_date(now, zone)
    return any(clock.local_date(schedule.resume_date, zone) <= today for schedule in untried)
