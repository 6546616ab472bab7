"""The texts of receipts of pauses and resumes."""

from collections.abc import Collection, Sequence

from billing.models import PauseSchedule, Subscription
from billing.receipts.charges import Charges
from billing.receipts.delivery import DASHBOARD_PATH, Link, Receipt, undo_links
from billing.receipts.phrases import (
    Fact,
    billing_facts,
    goes_on_sentence,
    long_date,
    next_bill_text,
    plan_name,
    plan_names,
    verb_form,
)


def pause_scheduled_receipt(schedules: Sequence[PauseSchedule], *, unpaid: Collection[str] = ()) -> Receipt:
    """Return the receipt of scheduled pauses, with the resume dates and the bills on them.

    `unpaid` are the provider's ids of the subscriptions for which a bill is overdue: it is still collected.
    """
    subscriptions = [schedule.subscription for schedule in schedules]
    is_owed = any(subscription.provider_id in unpaid for subscription in subscriptions)
    exception = ", except for what you still owe" if is_owed else ""
    facts: list[Fact] = []
    for schedule in schedules:
        name = plan_name(schedule.subscription)
        facts.append((f"{name} pauses", long_date(schedule.pause_date)))
        bill = next_bill_text(schedule.subscription)
        facts.append((f"{name} resumes", f"{long_date(schedule.resume_date)} ({bill})"))
    return Receipt(
        title=f"Your pause of {plan_names(subscriptions)} is scheduled",
        lines=[
            f"You can watch until the pause starts, and you won't be charged while paused{exception}.",
            (
                "It ends automatically after 30 days. "
                "If you'll be charged then, we'll email you the exact amount three days before."
            ),
        ],
        facts=facts,
        undo_text="Changed your mind? You can undo the pause anytime before it starts.",
        links=undo_links(subscriptions, "Undo pause" if len(subscriptions) == 1 else "Undo pause of {}"),
    )


def pause_removed_receipt(subscriptions: Sequence[Subscription]) -> Receipt:
    """Return the receipt of removed scheduled pauses."""
    return Receipt(
        title=f"Your scheduled pause of {plan_names(subscriptions)} was removed",
        lines=[goes_on_sentence(subscriptions)],
        facts=billing_facts(subscriptions),
    )


def resume_receipt(subscriptions: Sequence[Subscription], charges: Charges) -> Receipt:
    """Return the receipt of a resume with its charges."""
    return Receipt(
        title=f"{plan_names(subscriptions)} {verb_form(subscriptions, 'is', 'are')} active again",
        lines=["Welcome back. You can watch again right away."],
        facts=[*charges.receipt_facts(), *billing_facts(subscriptions)],
    )


def pause_superseded_notice(subscription: Subscription) -> Receipt:
    """Return the notice that a scheduled pause was overtaken by another change; it may have begun before."""
    name = plan_name(subscription)
    ended = subscription.deleted or subscription.status == "cancelled"
    why = "has ended." if ended else "isn't paused, because it was changed, renewed, or resumed in the meantime."
    return Receipt(
        title=f"The scheduled pause of {name} no longer applies",
        lines=[f"{name} {why}"],
        facts=billing_facts([subscription]),
        links=[Link("See your subscriptions", DASHBOARD_PATH)],
    )
