"""What subscribers are told about pausing and resuming."""

from collections.abc import Sequence

from billing.models import PauseSchedule, Subscription
from billing.money import format_cents
from billing.queries.next_bill import next_bill
from billing.services.charges import Charges
from billing.services.receipts import BEFORE_TAX, DASHBOARD, NEXT_BEFORE_TAX, Link, Receipt, undo_links
from billing.services.wording import Fact, billing_facts, goes_on, long_date, names_of, plan_name


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
        links=undo_links(subscriptions, "Take back the pause of {}"),
    )


def scheduled_pause_removed(subscriptions: Sequence[Subscription]) -> Receipt:
    """Return the receipt of a pause taken back before it began."""
    return Receipt(
        title=f"Your scheduled pause of {names_of(subscriptions)} was removed",
        lines=[goes_on(subscriptions)],
        note=BEFORE_TAX,
        facts=billing_facts(subscriptions),
    )


def resumed(subscriptions: Sequence[Subscription], charges: Charges) -> Receipt:
    """Return the receipt of a resume, with what was charged for it."""
    return Receipt(
        title=f"{names_of(subscriptions)} resumed",
        lines=["Welcome back. You can watch again right away."],
        note=NEXT_BEFORE_TAX,
        facts=[*charges.facts(), *billing_facts(subscriptions)],
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
