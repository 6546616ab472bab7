"""The words of the notices: what will be billed by itself, and a resume that could not be (contract, rule 16)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from billing.models import PauseSchedule, PaymentSource, Subscription
from billing.money import format_cents
from billing.services.receipts import DASHBOARD, PAYMENT_METHODS, Link, Receipt
from billing.services.wording import Fact, listed, long_date, payment_method, plan_name

SEE = Link("See your subscriptions", DASHBOARD)
NOTHING_TO_DO = "If you want that, there is nothing to do."


@dataclass(frozen=True)
class Bill:
    """What will be billed, in cents; `taxed` when tax is in it."""

    cents: int
    taxed: bool

    def __str__(self) -> str:
        return format_cents(self.cents) if self.taxed else f"{format_cents(self.cents)} before tax"


def resumes(subscription: Subscription, at: datetime, bill: Bill) -> Receipt:
    """Return the notice that a pause ends, and what is charged then."""
    name, date = plan_name(subscription), long_date(at)
    return Receipt(
        title=f"{name} comes back on {date}",
        lines=[f"Your pause ends on {date}, and {bill} will be charged then.", NOTHING_TO_DO],
        facts=[("Resumes and bills", date), ("Amount", str(bill)), *_paid_with(subscription)],
        undo_text="You can resume earlier, or cancel: a paused subscription ends at once, and nothing is charged.",
        action=SEE,
        links=[_way_out(subscription)],
    )


def trial_ends(subscription: Subscription, at: datetime, bill: Bill) -> Receipt:
    """Return the notice that a trial ends, and what is charged from then on."""
    name, date = plan_name(subscription), long_date(at)
    period = subscription.period_unit
    return Receipt(
        title=f"Your trial of {name} ends on {date}",
        lines=[f"From then on it is billed every {period}: {bill} for the first.", NOTHING_TO_DO],
        facts=[("Trial ends", date), (f"First {period}", str(bill)), *_paid_with(subscription)],
        undo_text=f"If you cancel before {date}, nothing is charged.",
        action=SEE,
        links=[_way_out(subscription)],
    )


def renews(subscription: Subscription, at: datetime, bill: Bill) -> Receipt:
    """Return the notice that a yearly plan renews, and what is charged then."""
    name, date = plan_name(subscription), long_date(at)
    return Receipt(
        title=f"{name} renews on {date}",
        lines=[f"Your yearly plan renews on {date} for another year: {bill}.", NOTHING_TO_DO],
        facts=[("Renews", date), ("Amount", str(bill)), *_paid_with(subscription)],
        undo_text=f"You can change or cancel it until then; what is paid until {date} stays yours.",
        action=SEE,
        links=[_way_out(subscription)],
    )


def resume_declined(schedule: PauseSchedule, tries: Sequence[datetime]) -> Receipt:
    """Return the notice that a resume could not be charged: what happens next and when, or that nothing will."""
    name = plan_name(schedule.subscription)
    return Receipt(
        title=f"We couldn't resume {name}" if tries else f"{name} stays paused: we have stopped trying",
        lines=[_why(schedule, name), *(_tries_to_come(tries) if tries else _no_more(name))],
        facts=[(word, long_date(at)) for word, at in _first_and_last(tries)],
        undo_text=f"You can also resume or cancel {name} yourself on your account, at any time.",
        action=Link("Update your payment method", PAYMENT_METHODS),
        links=[Link(f"Resume or cancel {name}", DASHBOARD)],
    )


def _why(schedule: PauseSchedule, name: str) -> str:
    reason = (
        "there is no payment method on your account"
        if schedule.last_error == "payment_method_required"
        else f"your payment for {name} was declined"
    )
    return f"{reason[0].upper()}{reason[1:]}, so it is still paused. Nothing was charged."


def _tries_to_come(tries: Sequence[datetime]) -> list[str]:
    dates = listed([long_date(at) for at in tries])
    after = "If that fails" if len(tries) == 1 else "If all of that fails"
    return [
        f"We will try again on {dates}. {after}, we stop, and it stays paused.",
        "If you pay by another method from now on, we try again within the hour.",
    ]


def _no_more(name: str) -> list[str]:
    return [
        f"This was our last try. {name} stays paused, nothing is billed, and we will not try again by ourselves.",
        "To watch again, resume it on your account: you see what that charges before you confirm it.",
    ]


def _first_and_last(tries: Sequence[datetime]) -> list[tuple[str, datetime]]:
    if len(tries) < 2:
        return [("Last try", at) for at in tries]
    return [("Next try", tries[0]), ("Last try", tries[-1])]


def _paid_with(subscription: Subscription) -> list[Fact]:
    """Return what it is charged to, or that there is nothing to charge."""
    wanted = subscription.text("payment_source_id") or subscription.customer.text("primary_payment_source_id")
    source = PaymentSource.objects.filter(provider_id=wanted, deleted=False).first()
    return [("Payment method", payment_method(source) if source else "none on your account yet")]


def _way_out(subscription: Subscription) -> Link:
    return Link(f"Cancel {plan_name(subscription)}", f"/cancelAll?ids={subscription.provider_id}")
