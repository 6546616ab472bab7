"""Receipts: what a subscriber is told about a change, by mail and in the account's activity."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from accounts import events, mail
from billing.models import Command, Subscription
from billing.services.wording import Fact, date_and_time, plan_name

KIND = "receipt"
DASHBOARD = "/dashboard"
PAYMENT_METHODS = "/manage-payment-method"
ADD_SERVICES = "/manage-subscription"
BEFORE_TAX = "Amounts are before tax."
NEXT_BEFORE_TAX = "The next amount is before tax."
SUPPORT = "support:"


@dataclass(frozen=True)
class Link:
    """A button of a mail, or one of several links: what it says and the portal's path it leads to."""

    label: str
    path: str


@dataclass(frozen=True)
class Receipt:
    """A receipt's words: a title, sentences, facts as label and value with a note on them, and where it leads.

    `action` becomes the mail's button, or else the only one of the `links`; of several each is a line of its own.
    """

    title: str
    lines: Sequence[str]
    facts: Sequence[Fact] = field(default_factory=tuple)
    note: str = ""
    action: Link | None = None
    undo_text: str = ""
    links: Sequence[Link] = field(default_factory=tuple)

    def context(self) -> dict[str, object]:
        """Return what the mail's templates take."""
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
            "undo_links": [[one.label, one.path] for one in links],
        }


def send(command: Command, receipt: Receipt, *, kind: str, now: datetime) -> None:
    """Record the change in the account's activity and queue its mail; call it in the change's own transaction.

    A command that ended in part has a receipt of that part, and another of the rest should it be finished.
    """
    account = command.account
    part = f":{command.attempts}" if command.state == Command.State.FAILED else ""
    events.record(account, kind=kind, text=receipt.title, actor=command.actor, at=now)
    mail.queue(
        kind=KIND,
        to=account.email,
        account=account,
        context=_dated(command, receipt, now).context(),
        dedupe_key=f"command:{command.pk}{part}",
    )


def undo_links(subscriptions: Sequence[Subscription], label: str) -> list[Link]:
    """Return a link for each; `label` has a place for its plan's name."""
    return [Link(label.format(plan_name(one)), _undo_path(one)) for one in subscriptions]


def _undo_path(subscription: Subscription) -> str:
    """Return where what is scheduled for a subscription can be taken back; the link itself signs nobody in."""
    return f"{DASHBOARD}?undo={subscription.provider_id}"


def _dated(command: Command, receipt: Receipt, now: datetime) -> Receipt:
    """Return a receipt that also says when the change was made, and by whom where that was customer service."""
    by = " by customer service" if command.actor.startswith(SUPPORT) else ""
    return replace(receipt, facts=[*receipt.facts, (f"Changed{by}", date_and_time(now))])
