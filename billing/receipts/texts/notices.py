"""The texts of notices: upcoming charges, and resumes that were declined (docs/rules.md, rule 16)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from billing.models import PauseSchedule, PaymentSource, Subscription
from billing.money import format_cents
from billing.receipts.delivery import DASHBOARD_PATH, PAYMENT_METHODS_PATH, Link, Receipt
from billing.receipts.phrases import (
    Fact,
    join_words,
    long_date,
    payment_method_name,
    plan_name,
    plan_names,
    price_with_tax_note,
    verb_form,
)
from billing.terms import DEFAULT_CURRENCY

SUBSCRIPTIONS_LINK = Link("See your subscriptions", DASHBOARD_PATH)
ADD_METHOD_LINK = Link("Add a payment method", PAYMENT_METHODS_PATH)
NOTHING_TO_DO = "You don't need to do anything."
ADD_METHOD = "There's no payment method on your account. Add one before then."


@dataclass(frozen=True)
class UpcomingBill:
    """An upcoming bill of a subscription: when (UTC), and the amount in cents of a currency, with or without tax."""

    subscription: Subscription
    at: datetime
    cents: int
    is_tax_included: bool
    currency: str = DEFAULT_CURRENCY

    @property
    def amount(self) -> str:
        """The amount in words."""
        if self.is_tax_included:
            return format_cents(self.cents, self.currency)
        return price_with_tax_note(self.cents, self.subscription)


def resume_notice(bills: Sequence[UpcomingBill]) -> Receipt:
    """Return the notice of the end of the pauses that end on the same day, and their charges."""
    subscriptions = [bill.subscription for bill in bills]
    ends = verb_form(subscriptions, "it ends", "they end")
    date, end = long_date(bills[0].at), verb_form(subscriptions, "pause ends", "pauses end")
    return Receipt(
        title=f"{plan_names(subscriptions)} {verb_form(subscriptions, 'resumes', 'resume')} on {date}",
        lines=[
            f"Your {end} on {date}, and we'll {_charge_verb(bills)} {_amounts_phrase(bills)} that day.",
            *_payment_lines(*bills),
        ],
        facts=[("Resumes", date), *_amount_facts(bills), *_payment_method_facts(*subscriptions)],
        undo_text=f"You can resume sooner, or cancel: {ends} immediately, and you won't be charged.",
        action=ADD_METHOD_LINK if _lacks_method(*bills) else SUBSCRIPTIONS_LINK,
        links=[_cancel_link(subscription) for subscription in subscriptions],
    )


def _charge_verb(bills: Sequence[UpcomingBill]) -> str:
    return "bill" if any(map(_is_paid_by_hand, bills)) else "charge"


def _amounts_phrase(bills: Sequence[UpcomingBill]) -> str:
    if len(bills) == 1:
        return bills[0].amount
    return join_words([f"{bill.amount} for {plan_name(bill.subscription)}" for bill in bills])


def _amount_facts(bills: Sequence[UpcomingBill]) -> list[Fact]:
    if len(bills) == 1:
        return [("Amount", bills[0].amount)]
    return [(plan_name(bill.subscription), bill.amount) for bill in bills]


def trial_end_notice(bill: UpcomingBill) -> Receipt:
    """Return the notice of the end of a trial and the first charge."""
    name, date = plan_name(bill.subscription), long_date(bill.at)
    period = bill.subscription.terms.period_phrase
    return Receipt(
        title=f"Your {name} trial ends on {date}",
        lines=[
            f"Billing starts that day: {bill.amount} for the first {period}.",
            *_payment_lines(bill),
        ],
        facts=[("Trial ends", date), (f"First {period}", bill.amount), *_payment_method_facts(bill.subscription)],
        undo_text=f"If you cancel before {date}, you won't be charged.",
        action=ADD_METHOD_LINK if _lacks_method(bill) else SUBSCRIPTIONS_LINK,
        links=[_cancel_link(bill.subscription)],
    )


def renewal_notice(bill: UpcomingBill) -> Receipt:
    """Return the notice of a yearly plan's renewal and its charge."""
    name, date = plan_name(bill.subscription), long_date(bill.at)
    return Receipt(
        title=f"{name} renews on {date}",
        lines=[
            f"Your annual plan renews on {date} for {bill.amount}.",
            *_payment_lines(bill),
        ],
        facts=[("Renews", date), ("Amount", bill.amount), *_payment_method_facts(bill.subscription)],
        undo_text=_way_out(bill),
        action=ADD_METHOD_LINK if _lacks_method(bill) else SUBSCRIPTIONS_LINK,
        links=[] if _is_bound_until_its_end(bill) else [_cancel_link(bill.subscription)],
    )


def _way_out(bill: UpcomingBill) -> str:
    """Return what a cancellation before a renewal does: under contract it ends nothing before the contract."""
    contract_end = bill.subscription.contract_end
    if contract_end is None or contract_end <= bill.at:
        return f"You can change or cancel it anytime before then and keep watching until {long_date(bill.at)}."
    ends = "It ends" if _is_bound_until_its_end(bill) else "If you cancel, it ends"
    return f"It has a contract until {long_date(contract_end)}. {ends} then, and we bill you until then."


def _is_bound_until_its_end(bill: UpcomingBill) -> bool:
    """Return whether it is canceled and ends with its contract, so that there is nothing left to cancel."""
    return bill.subscription.contract_end is not None and bill.subscription.has_scheduled_cancellation


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
    after = {1: "If that fails", 2: "If both fail"}.get(len(tries), "If those all fail")
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


def _payment_lines(*bills: UpcomingBill) -> list[str]:
    """Return what the subscriber has to do so that the bills are paid."""
    if _lacks_method(*bills):
        return [ADD_METHOD]
    by_hand = [bill.subscription for bill in bills if _is_paid_by_hand(bill)]
    if not by_hand:
        return [NOTHING_TO_DO]
    bill = verb_form(by_hand, "that bill", "those bills")
    return [f"We don't charge {plan_names(by_hand)} automatically. You pay {bill} yourself."]


def _payment_method_facts(*subscriptions: Subscription) -> list[Fact]:
    """Return the payment methods that will be charged, or that there is none."""
    names = dict.fromkeys(map(_payment_method_text, subscriptions))
    return [("Payment method", name) for name in names]


def _payment_method_text(subscription: Subscription) -> str:
    source = _paying_source(subscription)
    if source is None:
        return "Not on file"
    return payment_method_name(source) if subscription.is_collected else "Not charged automatically"


def _lacks_method(*bills: UpcomingBill) -> bool:
    """Return whether a bill comes that nothing can be charged for."""
    return any(bill.cents and _paying_source(bill.subscription) is None for bill in bills)


def _is_paid_by_hand(bill: UpcomingBill) -> bool:
    """Return whether a bill comes that is not charged, although it could be."""
    return bool(bill.cents) and not bill.subscription.is_collected and _paying_source(bill.subscription) is not None


def _paying_source(subscription: Subscription) -> PaymentSource | None:
    source_id = subscription.text("payment_source_id") or subscription.customer.text("primary_payment_source_id")
    return PaymentSource.objects.filter(provider_id=source_id, deleted=False).first()


def _cancel_link(subscription: Subscription) -> Link:
    return Link(f"Cancel {plan_name(subscription)}", f"/cancelAll?ids={subscription.provider_id}")
