"""What the portal promises about time (docs/reliability.md, "Objectives"), and what is past it and not done yet."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from accounts.models import OutgoingMail
from accounts.sign_in import login_code_mail
from billing import clock
from billing.models import Command
from billing.models.commands import SYSTEM_ACTOR
from billing.receipts import notices
from core.clock import database_now

READS, CHANGES, CODES, NOTICES = "reads", "changes", "codes", "notices"
OBJECTIVES = (READS, CHANGES, CODES, NOTICES)

CHANGE_SETTLED_WITHIN = timedelta(seconds=60)


@dataclass(frozen=True)
class MailObjective:
    """The time from queueing a mail of a kind to the mail server's hands."""

    name: str
    queue: OutgoingMail.Queue
    sent_within: timedelta


MAIL_OBJECTIVES = {
    login_code_mail.MAIL_KIND: MailObjective(CODES, OutgoingMail.Queue.CODES, timedelta(seconds=30)),
    # Queued days before its charge.
    notices.MAIL_KIND: MailObjective(NOTICES, OutgoingMail.Queue.JOBS, timedelta(days=1)),
}


def count_overdue() -> dict[str, int]:
    """Return for each objective how much is past its time and not done: a promise that is broken, whatever follows."""
    mails = {objective.name: _count_overdue_mails(kind, objective) for kind, objective in MAIL_OBJECTIVES.items()}
    return {READS: 0, CHANGES: _count_overdue_changes(), **mails}


def _count_overdue_changes() -> int:
    begun_before = clock.billing_now() - CHANGE_SETTLED_WITHIN
    return Command.objects.unfinished().filter(first_sent_at__lt=begun_before).exclude(actor=SYSTEM_ACTOR).count()


def _count_overdue_mails(kind: str, objective: MailObjective) -> int:
    queued_before = database_now() - objective.sent_within
    mails = OutgoingMail.objects.unfinished().filter(queue=objective.queue, kind=kind)
    return mails.filter(created_at__lt=queued_before).count()
