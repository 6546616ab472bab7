"""What a subscriber is told about a change, by mail and in the account's activity."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

from accounts import events, mail, site
from billing import catalog
from billing.models import Command, Invoice, PauseSchedule, Subscription
from billing.money import format_cents


@dataclass(frozen=True)
class Receipt:
    """A receipt's words: a title, sentences, and facts as label and value."""

    title: str
    lines: Sequence[str]
    facts: Sequence[tuple[str, str]] = field(default_factory=tuple)

    def context(self) -> dict[str, object]:
        """Return what the mail's templates take."""
        return {"title": self.title, "lines": list(self.lines), "facts": [list(fact) for fact in self.facts]}


def send(command: Command, receipt: Receipt, *, kind: str, now: datetime) -> None:
    """Record the change in the account's activity and queue its mail; call it in the change's own transaction."""
    account = command.account
    events.record(account, kind=kind, text=receipt.title, actor=command.actor, at=now)
    mail.queue(
        kind="receipt",
        to=account.email,
        account=account,
        context=receipt.context(),
        dedupe_key=f"command:{command.pk}",
    )


def plan_name(subscription: Subscription) -> str:
    """Return the name that the subscriber knows a subscription by."""
    plan = catalog.find_plan(subscription.plan_id)
    return plan.name if plan else subscription.plan_id


def names_of(subscriptions: Sequence[Subscription]) -> str:
    """Return the subscriptions' names as part of a sentence: `Kids`, `Faith & Family and Kids`."""
    names = [plan_name(subscription) for subscription in subscriptions]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def long_date(instant: datetime) -> str:
    """Return an instant's date in the site's time zone, as `December 20, 2026`."""
    local = instant.astimezone(ZoneInfo(site.site_settings().time_zone))
    return f"{local:%B} {local.day}, {local.year}"


def pause_scheduled(schedules: Sequence[PauseSchedule]) -> Receipt:
    """Return the receipt of a pause: when it starts and when the service comes back."""
    subscriptions = [schedule.subscription for schedule in schedules]
    facts: list[tuple[str, str]] = []
    for schedule in schedules:
        name = plan_name(schedule.subscription)
        facts.append((f"{name} pauses", long_date(schedule.pause_date)))
        facts.append((f"{name} resumes", long_date(schedule.resume_date)))
    return Receipt(
        title=f"Your pause of {names_of(subscriptions)} is scheduled",
        lines=[
            "You keep watching until the pause starts, and you are not billed while paused.",
            "Your subscription resumes by itself on the date below, and is billed then.",
            "Until the pause starts you can take it back from your account.",
        ],
        facts=facts,
    )


def scheduled_pause_removed(subscriptions: Sequence[Subscription]) -> Receipt:
    """Return the receipt of a pause taken back before it began."""
    return Receipt(
        title=f"Your scheduled pause of {names_of(subscriptions)} was removed",
        lines=["Your subscription goes on as before."],
        facts=_billing_facts(subscriptions),
    )


def resumed(subscriptions: Sequence[Subscription], invoices: Sequence[Invoice]) -> Receipt:
    """Return the receipt of a resume, with what was charged for it."""
    charged = sum(invoice.cents("amount_paid") for invoice in invoices)
    facts = [("Charged", format_cents(charged))] if invoices else []
    return Receipt(
        title=f"{names_of(subscriptions)} resumed",
        lines=["Welcome back. You can watch again right away."],
        facts=[*facts, *_billing_facts(subscriptions)],
    )


def resume_failed(subscription: Subscription, next_try_at: datetime) -> Receipt:
    """Return the notice that a resume could not be charged; the subscription is still paused."""
    name = plan_name(subscription)
    return Receipt(
        title=f"We couldn't resume {name}",
        lines=[
            f"Your payment for {name} was declined, so it is still paused and nothing was charged.",
            "Please check your payment details. We will try again on the date below.",
        ],
        facts=[("Next try", long_date(next_try_at))],
    )


def pause_superseded(subscription: Subscription) -> Receipt:
    """Return the notice that a scheduled pause did not come about."""
    name = plan_name(subscription)
    return Receipt(
        title=f"The scheduled pause of {name} no longer applies",
        lines=[f"{name} was not paused, because it changed or renewed before the pause began."],
        facts=_billing_facts([subscription]),
    )


def services_changed(
    *,
    started: Sequence[Subscription],
    kept: Sequence[Subscription],
    ended: Sequence[Subscription],
    charged: int,
    paid: bool,
) -> Receipt:
    """Return the receipt of services added, kept and removed, with what was charged at once (cents).

    `paid` is false while something of the account's is due: then it was billed, and is not said to have been paid.
    """
    facts: list[tuple[str, str]] = [(plan_name(one), "starts now") for one in started]
    facts += [(plan_name(one), "goes on") for one in kept]
    facts += [(plan_name(one), _end_of(one)) for one in ended]
    if started:
        facts.append(("Charged" if paid else "Billed", format_cents(charged)))
    return Receipt(
        title="Your services were changed",
        lines=["This is what you have from now on."],
        facts=[*facts, *_billing_facts([*started, *kept])],
    )


def periods_switched(
    subscriptions: Sequence[Subscription],
    *,
    period_unit: str,
    charged: int,
    paid: bool,
    effective_at: datetime,
    at_once: bool,
) -> Receipt:
    """Return the receipt of a switch to monthly or yearly billing, with what was charged at once (cents).

    `paid` is as in `services_changed`.
    """
    word = {"month": "monthly", "year": "yearly"}[period_unit]
    when = "at once" if at_once else f"on {long_date(effective_at)}"
    facts = [("Charged" if paid else "Billed", format_cents(charged))] if at_once else []
    return Receipt(
        title=f"{names_of(subscriptions)} will be billed {word}"
        if not at_once
        else f"{names_of(subscriptions)} is now billed {word}",
        lines=[f"The change takes effect {when}."],
        facts=[*facts, *_billing_facts(subscriptions)],
    )


def scheduled_change_removed(subscriptions: Sequence[Subscription]) -> Receipt:
    """Return the receipt of a scheduled change taken back."""
    return Receipt(
        title=f"The scheduled change of {names_of(subscriptions)} was removed",
        lines=["Your subscription goes on as before."],
        facts=_billing_facts(subscriptions),
    )


def scheduled_cancellation_removed(subscriptions: Sequence[Subscription]) -> Receipt:
    """Return the receipt of a scheduled cancellation taken back."""
    return Receipt(
        title=f"You keep {names_of(subscriptions)}",
        lines=["It was going to end, and now goes on as before."],
        facts=_billing_facts(subscriptions),
    )


def code_redeemed(subscription: Subscription, code: str) -> Receipt:
    """Return the receipt of a redeemed code."""
    return Receipt(
        title=f"Your code {code} was applied",
        lines=[f"It takes something off the next bill of {plan_name(subscription)}."],
        facts=_billing_facts([subscription]),
    )


def free_month_claimed(subscription: Subscription, saved: int) -> Receipt:
    """Return the receipt of a free month: what it saves, in cents."""
    return Receipt(
        title=f"Your free month of {plan_name(subscription)}",
        lines=["Your next bill is on us."],
        facts=[("You save", format_cents(saved)), *_billing_facts([subscription])],
    )


def _end_of(subscription: Subscription) -> str:
    if subscription.status == "cancelled" or subscription.cancelled_at is None:
        return "has ended"
    return f"ends {long_date(subscription.cancelled_at)}"


def _billing_facts(subscriptions: Sequence[Subscription]) -> list[tuple[str, str]]:
    return [
        (f"{plan_name(subscription)} bills next", long_date(subscription.next_billing_at))
        for subscription in subscriptions
        if subscription.next_billing_at is not None
    ]
