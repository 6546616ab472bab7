"""What a subscriber is told about a change, by mail and in the account's activity."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from accounts import events, mail
from billing.models import Command, PauseSchedule, PaymentSource, Subscription
from billing.money import format_cents
from billing.queries.next_bill import next_bill
from billing.services.charges import Charges
from billing.services.wording import (
    Fact,
    billing_facts,
    date_and_time,
    listed,
    long_date,
    names_of,
    payment_method,
    plan_name,
    verb,
)

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


def _dated(command: Command, receipt: Receipt, now: datetime) -> Receipt:
    """Return a receipt that also says when the change was made, and by whom where that was customer service."""
    by = " by customer service" if command.actor.startswith(SUPPORT) else ""
    return replace(receipt, facts=[*receipt.facts, (f"Changed{by}", date_and_time(now))])


# --- Pausing and resuming ---------------------------------------------------------------------------------------------


def pause_scheduled(schedules: Sequence[PauseSchedule]) -> Receipt:
    """Return the receipt of a pause: when it starts, when the service comes back and what is billed then."""
    subscriptions = [schedule.subscription for schedule in schedules]
    facts: list[Fact] = []
    for schedule in schedules:
        name = plan_name(schedule.subscription)
        facts.append((f"{name} pauses", long_date(schedule.pause_date)))
        bill = format_cents(next_bill(schedule.subscription))
        facts.append((f"{name} comes back and bills", f"{bill} on {long_date(schedule.resume_date)}"))
    return Receipt(
        title=f"Your pause of {names_of(subscriptions)} is scheduled",
        lines=[
            "You keep watching until the pause starts, and you are not billed while paused.",
            "It ends by itself after 30 days. Three days before, we will write to you with the exact amount.",
        ],
        note=BEFORE_TAX,
        facts=facts,
        undo_text="Changed your mind? Until the pause starts you can take it back.",
        links=_undo_links(subscriptions, "Take back the pause of {}"),
    )


def scheduled_pause_removed(subscriptions: Sequence[Subscription]) -> Receipt:
    """Return the receipt of a pause taken back before it began."""
    return Receipt(
        title=f"Your scheduled pause of {names_of(subscriptions)} was removed",
        lines=[_goes_on(subscriptions)],
        note=BEFORE_TAX,
        facts=billing_facts(subscriptions),
    )


def resumed(subscriptions: Sequence[Subscription], charges: Charges) -> Receipt:
    """Return the receipt of a resume, with what was charged for it."""
    return Receipt(
        title=f"{names_of(subscriptions)} resumed",
        lines=["Welcome back. You can watch again right away."],
        note=NEXT_BEFORE_TAX,
        facts=[*_charged(charges), *billing_facts(subscriptions)],
    )


def pause_superseded(subscription: Subscription) -> Receipt:
    """Return the notice that a scheduled pause is gone; whether it had begun in between may not be known."""
    name = plan_name(subscription)
    ended = subscription.deleted or subscription.status == "cancelled"
    why = (
        "has ended." if ended else "is not paused: it was changed, renewed or resumed otherwise than planned."
    )
    return Receipt(
        title=f"The scheduled pause of {name} no longer applies",
        lines=[f"{name} {why}"],
        facts=billing_facts([subscription]),
        links=[Link("See your subscriptions", DASHBOARD)],
    )


# --- Plans ------------------------------------------------------------------------------------------------------------


def services_changed(
    *,
    started: Sequence[Subscription],
    kept: Sequence[Subscription],
    ended: Sequence[Subscription],
    charges: Charges,
) -> Receipt:
    """Return the receipt of services added, kept and removed, with what was charged at once."""
    facts: list[Fact] = [(plan_name(one), "starts now") for one in started]
    facts += [(plan_name(one), "goes on") for one in kept]
    facts += [(plan_name(one), _end_of(one)) for one in ended]
    facts += _charged(charges) if started else []
    ending = _still_there(ended)
    return Receipt(
        title="Your services were changed",
        lines=["This is what you have from now on."],
        note=BEFORE_TAX if started or kept else "",
        facts=[*facts, *billing_facts([*started, *kept])],
        undo_text="Changed your mind? You can keep what is to end until its date." if ending else "",
        links=_undo_links(ending, "Keep {}"),
    )


def periods_switched(
    *, changed: Sequence[Subscription], changing: Sequence[Subscription], period_unit: str, charges: Charges
) -> Receipt:
    """Return the receipt of a switch to monthly or yearly billing, at once or at the term's end."""
    word = {"month": "monthly", "year": "yearly"}[period_unit]
    every = [*changed, *changing]
    return Receipt(
        title=f"{names_of(every)} will be billed {word}"
        if changing
        else f"{names_of(every)} {verb(every, 'is', 'are')} now billed {word}",
        lines=[_switch_line(changed, changing)],
        note=BEFORE_TAX,
        facts=[
            *((f"{plan_name(one)} changes", _change_date(one)) for one in changing),
            *(_charged(charges) if changed else []),
            *billing_facts(every),
        ],
        undo_text="Changed your mind? Until then you can take the change back." if changing else "",
        links=_undo_links(changing, "Take back the change of {}"),
    )


def _switch_line(changed: Sequence[Subscription], changing: Sequence[Subscription]) -> str:
    if not changing:
        return "The change took effect at once."
    at_once = f"{names_of(changed)} changed at once. " if changed else ""
    return f"{at_once}{names_of(changing)} {verb(changing, 'changes', 'change')} when the paid time is over."


def _change_date(subscription: Subscription) -> str:
    at = subscription.current_term_end
    return long_date(at) if at is not None else "when its term ends"


def scheduled_change_removed(subscriptions: Sequence[Subscription]) -> Receipt:
    """Return the receipt of a scheduled change taken back."""
    return Receipt(
        title=f"The scheduled change of {names_of(subscriptions)} was removed",
        lines=[_goes_on(subscriptions)],
        note=BEFORE_TAX,
        facts=billing_facts(subscriptions),
    )


# --- Leaving and staying ----------------------------------------------------------------------------------------------


def cancelled(
    ended: Sequence[Subscription],
    *,
    going_on: Sequence[Subscription] = (),
    set_aside: Sequence[Subscription] = (),
    lost: Sequence[str] = (),
) -> Receipt:
    """Return the receipt of a cancellation: what ends when, each by its state in the mirror.

    `going_on` are the account's others, whose next bill may have changed with the bundle; for those `set_aside`
    something was scheduled, which does not come about now; `lost` is what waits, in words, for a bill that will not
    come.
    """
    ending = _still_there(ended)
    return Receipt(
        title=f"Your cancellation of {names_of(ended)} is scheduled"
        if ending
        else f"{names_of(ended)} {verb(ended, 'is', 'are')} cancelled",
        lines=[
            *_end_lines(ended, ending),
            *_set_aside_line(set_aside),
            *_lost_line(lost),
        ],
        note=BEFORE_TAX if going_on else "",
        facts=[*((plan_name(one), _end_of(one)) for one in ended), *billing_facts(going_on)],
        undo_text="Changed your mind? Until that date you can keep watching as before."
        if ending
        else "You can start again whenever you like.",
        links=_undo_links(ending, "Keep {}") if ending else [Link("Start again", ADD_SERVICES)],
    )


def kept(subscriptions: Sequence[Subscription]) -> Receipt:
    """Return the receipt of a scheduled cancellation taken back; what it had set aside is there again."""
    pausing = [one for one in subscriptions if one.has_scheduled_pause]
    changing = [one for one in subscriptions if one.has_scheduled_changes]
    restored = [
        *(f"The pause of {plan_name(one)} is scheduled again." for one in pausing),
        *(f"The change of {plan_name(one)} is scheduled again." for one in changing),
    ]
    return Receipt(
        title=f"You keep {names_of(subscriptions)}",
        lines=["What was going to end goes on as before.", *restored],
        note=BEFORE_TAX,
        facts=[*_pause_facts(pausing), *billing_facts(subscriptions)],
        links=_undo_links([*pausing, *changing], "See what is scheduled for {}"),
    )


def _pause_facts(pausing: Sequence[Subscription]) -> list[Fact]:
    return [
        (f"{plan_name(one)} pauses", long_date(one.pause_date))
        for one in pausing
        if one.pause_date is not None
    ]


def _set_aside_line(set_aside: Sequence[Subscription]) -> list[str]:
    return [f"What was scheduled for {names_of(set_aside)} is off."] if set_aside else []


def scheduled_set_aside(subscriptions: Sequence[Subscription]) -> Receipt:
    """Return the receipt of what was scheduled and taken away for an ending that did not come about."""
    return Receipt(
        title=f"What was scheduled for {names_of(subscriptions)} was removed",
        lines=[_goes_on(subscriptions)],
        note=BEFORE_TAX,
        facts=billing_facts(subscriptions),
    )


def _end_lines(ended: Sequence[Subscription], ending: Sequence[Subscription]) -> list[str]:
    over = [one for one in ended if one not in ending]
    lines = []
    if ending:
        lines.append(
            f"You can watch {names_of(ending)} until the date below, and nothing is billed for "
            f"{verb(ending, 'it', 'them')} any more."
        )
    if over:
        lines.append(
            f"{names_of(over)} {verb(over, 'has', 'have')} ended at once. Nothing is billed any more."
        )
    return lines


def _lost_line(lost: Sequence[str]) -> list[str]:
    if not lost:
        return []
    return [f"{listed(lost)} will not be used, unless you keep what it waits for."]


# --- Codes and offers -------------------------------------------------------------------------------------------------


def code_redeemed(subscription: Subscription, code: str) -> Receipt:
    """Return the receipt of a redeemed code."""
    return Receipt(
        title=f"Your code {code} was applied",
        lines=[f"It takes something off the next bill of {plan_name(subscription)}."],
        note=BEFORE_TAX,
        facts=billing_facts([subscription]),
    )


def free_month_claimed(subscription: Subscription, saved: int) -> Receipt:
    """Return the receipt of a free month: what it saves, in cents."""
    return Receipt(
        title=f"Your free month of {plan_name(subscription)}",
        lines=["Your next bill is on us. After that it bills as before."],
        facts=[("You save", format_cents(saved)), *billing_facts([subscription])],
    )


# --- Payment methods --------------------------------------------------------------------------------------------------


def payment_method_added(source: PaymentSource, *, collected: int = 0, still_due: int = 0) -> Receipt:
    """Return the receipt of a new payment method, with what it paid and what is still due (cents)."""
    return _of_method(source, "was added to your account", collected=collected, still_due=still_due)


def payment_method_updated(source: PaymentSource, *, collected: int = 0, still_due: int = 0) -> Receipt:
    """Return the receipt of a payment method that was changed; `source` is the one that is there now."""
    return _of_method(source, "was updated", collected=collected, still_due=still_due)


def default_payment_method(source: PaymentSource, *, collected: int = 0, still_due: int = 0) -> Receipt:
    """Return the receipt of a payment method made the default one."""
    return _of_method(source, "is now your default payment method", collected=collected, still_due=still_due)


def payment_method_removed(source: PaymentSource) -> Receipt:
    """Return the receipt of a payment method taken off the account."""
    return Receipt(
        title=f"{payment_method(source)} was removed",
        lines=["It is off your account and will not be charged any more."],
        undo_text=_NOT_YOU,
        links=[Link("See your payment methods", PAYMENT_METHODS)],
    )


def _of_method(source: PaymentSource, what: str, *, collected: int, still_due: int) -> Receipt:
    lines = []
    if collected:
        lines.append(f"We collected the {format_cents(collected)} that was due with it.")
    if still_due:
        lines.append(f"{format_cents(still_due)} is still due: it could not be collected.")
    return Receipt(
        title=f"{payment_method(source)} {what}",
        lines=lines or ["Nothing was charged."],
        facts=[
            *_expiry(source),
            *([("Collected", format_cents(collected))] if collected else []),
            *([("Still due", format_cents(still_due))] if still_due else []),
        ],
        undo_text=_NOT_YOU,
        links=[Link("See your payment methods", PAYMENT_METHODS)],
    )


def _expiry(source: PaymentSource) -> list[Fact]:
    card = source.payload.get("card") or {}
    if not card.get("expiry_year"):
        return []
    return [("Expires", f"{int(card.get('expiry_month') or 0):02d}/{card['expiry_year']}")]


_NOT_YOU = "If this was not you, sign out everywhere else on your profile, then contact Customer Service."


# --- Shared words -----------------------------------------------------------------------------------------------------


def undo_path(subscription: Subscription) -> str:
    """Return where what is scheduled for a subscription can be taken back; the link itself signs nobody in."""
    return f"{DASHBOARD}?undo={subscription.provider_id}"


def _undo_links(subscriptions: Sequence[Subscription], label: str) -> list[Link]:
    """Return a link for each; `label` has a place for its plan's name."""
    return [Link(label.format(plan_name(one)), undo_path(one)) for one in subscriptions]


def _goes_on(subscriptions: Sequence[Subscription]) -> str:
    return f"{names_of(subscriptions)} {verb(subscriptions, 'goes', 'go')} on as before."


def _charged(charges: Charges) -> list[Fact]:
    due = [("Still due", format_cents(charges.due))] if charges.due else []
    if charges.paid or not due:
        return [("Charged", format_cents(charges.paid)), *due]
    return due


def _still_there(ended: Sequence[Subscription]) -> list[Subscription]:
    """Return those that end later, and so can still be kept."""
    return [one for one in ended if one.status != "cancelled" and one.cancelled_at is not None]


def _end_of(subscription: Subscription) -> str:
    if subscription.status == "cancelled" or subscription.cancelled_at is None:
        return "has ended"
    return f"ends {long_date(subscription.cancelled_at)}"
