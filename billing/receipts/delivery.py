"""Receipts of changes, sent by mail and recorded in the account's activity."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from accounts.mail import queue
from accounts.profile import events
from billing.models import Command, Subscription
from billing.receipts.phrases import Fact, date_and_time, plan_name

MAIL_KIND = "receipt"
DASHBOARD_PATH = "/dashboard"
PAYMENT_METHODS_PATH = "/manage-payment-method"
ADD_SERVICES_PATH = "/manage-subscription"
BEFORE_TAX = "Amounts are before tax."
NEXT_BEFORE_TAX = "The next amount is before tax."
SUPPORT_ACTOR_PREFIX = "support:"


@dataclass(frozen=True)
class Link:
    """A button or link of a mail: its label, and a path of the portal."""

    label: str
    path: str


@dataclass(frozen=True)
class Receipt:
    """The contents of a receipt or notice: a title, lines, facts with a note, and links.

    The mail's button is `action`, or the only one of the `links`; otherwise each of the links is a line of its own.
    """

    title: str
    lines: Sequence[str]
    facts: Sequence[Fact] = field(default_factory=tuple)
    note: str = ""
    action: Link | None = None
    undo_text: str = ""
    links: Sequence[Link] = field(default_factory=tuple)

    def mail_context(self) -> dict[str, object]:
        """Return the context of the mail's templates."""
        links = list(self.links)
        action = links.pop() if self.action is None and len(links) == 1 else self.action
        return {
            "title": self.title,
            "lines": list(self.lines),
            "facts": [list(fact) for fact in self.facts],
            "note": self.note,
            "action_label": action.label if action else "",
            "action_url": action.path if action else "",
            "undo_text": self.undo_text,
            "undo_links": [[link.label, link.path] for link in links],
        }


def send_receipt(command: Command, receipt: Receipt, *, kind: str, now: datetime) -> None:
    """Record a change in the account's activity and queue its mail; call it in the transaction of the change.

    A command that ended in part gets a receipt of that part, and another of the rest if it is finished later.
    """
    account = command.account
    part = f":{command.attempts}" if command.state == Command.State.FAILED else ""
    events.record_event(account, kind=kind, text=receipt.title, actor=command.actor, at=now)
    queue.queue_mail(
        kind=MAIL_KIND,
        to=account.email,
        account=account,
        context=_add_change_date(command, receipt, now).mail_context(),
        dedupe_key=f"command:{command.pk}{part}",
    )


def undo_links(subscriptions: Sequence[Subscription], label: str) -> list[Link]:
    """Return a link for each subscription; `label` may have a `{}` for the plan's name."""
    return [Link(label.format(plan_name(subscription)), _undo_path(subscription)) for subscription in subscriptions]


def _undo_path(subscription: Subscription) -> str:
    """Return the path where a scheduled change of a subscription can be undone; it signs nobody in."""
    return f"{DASHBOARD_PATH}?undo={subscription.provider_id}"


def _add_change_date(command: Command, receipt: Receipt, now: datetime) -> Receipt:
    """Return the receipt with the date of the change, and whether Customer Service made it."""
    by = " by Customer Service" if command.actor.startswith(SUPPORT_ACTOR_PREFIX) else ""
    return replace(receipt, facts=[*receipt.facts, (f"Changed{by}", date_and_time(now))])
