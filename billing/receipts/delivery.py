"""Receipts of changes, sent by mail and recorded in the account's activity."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from urllib.parse import urlencode

from accounts.mail import queue
from accounts.models import AccountEvent, OutgoingMail
from accounts.profile import events
from billing.models import Command, Subscription
from billing.queries.payments.payment_commands import charged_invoice_ids
from billing.receipts.phrases import Fact, date_and_time, plan_name

MAIL_KIND = "receipt"
DASHBOARD_PATH = "/dashboard"
PAYMENT_METHODS_PATH = "/manage-payment-method"
INVOICES_PATH = "/billingHistory"
ADD_SERVICES_PATH = "/manage-subscription"
SUPPORT_ACTOR_PREFIX = "support:"


@dataclass(frozen=True)
class Link:
    """A button or link of a mail: its label, and a path of the portal."""

    label: str
    path: str


@dataclass(frozen=True)
class Receipt:
    """The contents of a receipt or notice: a title, lines, facts, and links.

    The mail's button is `action`, or the only one of the `links`; otherwise each of the links is a line of its own.
    """

    title: str
    lines: Sequence[str]
    facts: Sequence[Fact] = field(default_factory=tuple)
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
            "action_label": action.label if action else "",
            "action_url": action.path if action else "",
            "undo_text": self.undo_text,
            "undo_links": [[link.label, link.path] for link in links],
        }


@dataclass(frozen=True)
class ActivityReceipt:
    """A receipt, and the kind of its activity; `is_joint` if one mail tells those of the same night."""

    kind: str
    receipt: Receipt
    is_joint: bool = False


# Called with a command that has only the steps of the receipt, and with their subscriptions; returns None if they need
# no receipt.
ReceiptComposer = Callable[[Command, list[Subscription]], ActivityReceipt | None]


def send_receipt(command: Command, receipt: Receipt, *, kind: str, now: datetime) -> OutgoingMail | None:
    """Record a change in the account's activity and queue its mail; call it in the transaction of the change.

    A command that ended in part gets a receipt of that part, and another of the rest if it is finished later. Return
    the mail; None if there is one already.
    """
    account = command.account
    part = f":{command.attempts}" if command.state == Command.State.FAILED else ""
    event = events.record_event(
        account, kind=kind, text=receipt.title, actor=command.actor, reason=command.reason, at=now
    )
    return queue.queue_mail(
        kind=MAIL_KIND,
        to=account.email,
        account=account,
        context=receipt_context([command], receipt, now),
        dedupe_key=f"command:{command.pk}{part}",
        event=event,
    )


def send_receipts(told: Sequence[tuple[Command, ActivityReceipt]], *, now: datetime) -> None:
    """Send the receipts of finished commands that have none yet, as `send_receipt` sends one. Three queries."""
    happened = events.record_events(
        [
            AccountEvent(
                account=command.account,
                kind=activity.kind,
                text=activity.receipt.title,
                actor=command.actor,
                reason=command.reason,
                at=now,
            )
            for command, activity in told
        ]
    )
    queue.queue_mails(
        [
            OutgoingMail(
                kind=MAIL_KIND,
                to=command.account.email,
                account=command.account,
                context=receipt_context([command], activity.receipt, now),
                dedupe_key=f"command:{command.pk}",
                brand_id=command.account.brand_id,
                event=event,
            )
            for (command, activity), event in zip(told, happened, strict=True)
        ]
    )


def receipt_context(commands: Sequence[Command], receipt: Receipt, now: datetime) -> dict[str, object]:
    """Return the context of the mail of commands, with their invoices and when, and whether by Customer Service."""
    by = " by Customer Service" if commands[-1].actor.startswith(SUPPORT_ACTOR_PREFIX) else ""
    facts = [*receipt.facts, (f"Changed{by}", date_and_time(now))]
    dated = replace(_with_invoices(receipt, commands), facts=facts)
    told = {"commands": [str(command.pk) for command in commands]} if len(commands) > 1 else {}
    return {**dated.mail_context(), **told}


def _with_invoices(receipt: Receipt, commands: Sequence[Command]) -> Receipt:
    """Return a receipt with a link to each invoice that commands have made or collected; its button stays."""
    numbers = [number for command in commands for number in charged_invoice_ids(command)]
    only = receipt.links[0] if receipt.action is None and len(receipt.links) == 1 else None
    links = [] if only else receipt.links
    invoices = [invoice_link(number, is_one_of_several=len(numbers) > 1) for number in dict.fromkeys(numbers)]
    return replace(receipt, action=receipt.action or only, links=[*links, *invoices])


def commands_of_receipt(mail: OutgoingMail) -> list[Command]:
    """Return the commands that a receipt tells, oldest first; none if it tells something else."""
    what, _, rest = (mail.dedupe_key or "").partition(":")
    own = [rest.partition(":")[0]] if what == "command" else []
    return list(Command.objects.filter(pk__in=mail.context.get("commands", own)).order_by("created_at"))


def invoice_link(number: str, *, is_one_of_several: bool = False) -> Link:
    """Return the link to an invoice in the billing history, which names the invoice if it is one of several."""
    label = f"See invoice {number}" if is_one_of_several else "See your invoice"
    return Link(label, f"{INVOICES_PATH}?{urlencode({'invoice': number})}")


def undo_links(subscriptions: Sequence[Subscription], label: str) -> list[Link]:
    """Return a link for each subscription; `label` may have a `{}` for the plan's name."""
    return [Link(label.format(plan_name(subscription)), _undo_path(subscription)) for subscription in subscriptions]


def _undo_path(subscription: Subscription) -> str:
    """Return the path where a scheduled change of a subscription can be undone; it signs nobody in."""
    return f"{DASHBOARD_PATH}?undo={subscription.provider_id}"
