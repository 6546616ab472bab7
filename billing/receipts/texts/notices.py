"""The texts of notices: upcoming charges, and resumes that were declined (docs/rules.md, rule 16)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from billing.models import PauseSchedule, PaymentSource, Subscription
from billing.money import format_cents
from billing.receipts.delivery import DASHBOARD_PATH, PAYMENT_METHODS_PATH, Link, Receipt
from billing.receipts.phrases import Fact, join_words, long_date, payment_method_name, plan_name

SUBSCRIPTIONS_LINK = Link("See your subscriptions", DASHBOARD_PATH)
NOTHING_TO_DO = "You don't need to do anything."


@dataclass(frozen=True)
class UpcomingBill:
    """The amount of an upcoming bill in cents, with or without tax."""

    cents: int
    is_tax_included: bool

    def __str__(self) -> str:
        return format_cents(self.cents) if self.is_tax_included else f"{format_cents(self.cents)} before tax"


def resume_notice(subscription: Subscription, at: datetime, bill: UpcomingBill) -> Receipt:
    """Return the notice of the end of a pause and its charge."""
    name, date = plan_name(subscription), long_date(at)
    return Receipt(
        title=f"{name} resumes on {date}",
        lines=[f"Your pause ends on {date}, and we'll charge {bill} that day.", NOTHING_TO_DO],
        facts=[("Resumes", date), ("Amount", str(bill)), *_payment_method_facts(subscription)],
        undo_text="You can resume sooner, or cancel: it ends immediately, and you won't be charged.",
        action=SUBSCRIPTIONS_LINK,
        links=[_cancel_link(subscription)],
    )


def trial_end_notice(subscription: Subscription, at: datetime, bill: UpcomingBill) -> Receipt:
    """Return the notice of the end of a trial and the first charge."""
    name, date = plan_name(subscription), long_date(at)
    period = subscription.period_unit
    return Receipt(
        title=f"Your {name} trial ends on {date}",
        lines=[f"Billing starts that day: {bill} for the first {period}.", NOTHING_TO_DO],
        facts=[("Trial ends", date), (f"First {period}", str(bill)), *_payment_method_facts(subscription)],
        undo_text=f"If you cancel before {date}, you won't be charged.",
        action=SUBSCRIPTIONS_LINK,
        links=[_cancel_link(subscription)],
    )


def renewal_notice(subscription: Subscription, at: datetime, bill: UpcomingBill) -> Receipt:
    """Return the notice of a yearly plan's renewal and its charge."""
    name, date = plan_name(subscription), long_date(at)
    return Receipt(
        title=f"{name} renews on {date}",
        lines=[f"Your annual plan renews on {date} for {bill}.", NOTHING_TO_DO],
        facts=[("Renews", date), ("Amount", str(bill)), *_payment_method_facts(subscription)],
        undo_text=f"You can change or cancel it anytime before then and keep watching until {date}.",
        action=SUBSCRIPTIONS_LINK,
        links=[_cancel_link(subscription)],
    )


def resume_declined_notice(schedule: PauseSchedule, tries: Sequence[datetime]) -> Receipt:
    """Return the notice of a declined resume; `tries` are the dates of the next tries, empty after the last one."""
    name = plan_name(schedule.subscription)
    return Receipt(
        title=f"We couldn't resume {name}" if tries else f"{name} stays paused",
        lines=[
            _decline_reason(schedule, name),
            *(_next_try_lines(tries) if tries else _last_try_lines(name)),
        ],
        facts=[(word, long_date(at)) for word, at in _try_dates(tries)],
        undo_text=f"You can also resume or cancel {name} from your account anytime.",
        action=Link("Update your payment method", PAYMENT_METHODS_PATH),
        links=[Link(f"Resume or cancel {name}", DASHBOARD_PATH)],
    )


def _decline_reason(schedule: PauseSchedule, name: str) -> str:
    reason = (
        "there's no payment method on your account"
        if schedule.last_error == "payment_method_required"
        else f"your payment for {name} was declined"
    )
    return f"{reason[0].upper()}{reason[1:]}, so it's still paused. You weren't charged."


def _next_try_lines(tries: Sequence[datetime]) -> list[str]:
    dates = join_words([long_date(at) for at in tries])
    after = "If that fails" if len(tries) == 1 else "If those all fail"
    return [
        f"We'll try again on {dates}. {after}, it stays paused.",
        "If you switch to another payment method, we'll try again within the hour.",
    ]


def _last_try_lines(name: str) -> list[str]:
    return [
        f"That was our last try. {name} stays paused, and you won't be billed.",
        "To watch again, resume it from your account. You'll see the charge before you confirm.",
    ]


def _try_dates(tries: Sequence[datetime]) -> list[tuple[str, datetime]]:
    if len(tries) < 2:
        return [("Last try", at) for at in tries]
    return [("Next try", tries[0]), ("Last try", tries[-1])]


def _payment_method_facts(subscription: Subscription) -> list[Fact]:
    """Return the payment method that will be charged, or that there is none."""
    source_id = subscription.text("payment_source_id") or subscription.customer.text("primary_payment_source_id")
    source = PaymentSource.objects.filter(provider_id=source_id, deleted=False).first()
    return [("Payment method", payment_method_name(source) if source else "Not on file")]


def _cancel_link(subscription: Subscription) -> Link:
    return Link(f"Cancel {plan_name(subscription)}", f"/cancelAll?ids={subscription.provider_id}")
