"""The texts of receipts of coupon codes and the free month."""

from billing.models import Subscription
from billing.money import format_cents
from billing.receipts.delivery import Receipt
from billing.receipts.phrases import billing_facts, plan_name


def code_redeemed_receipt(subscription: Subscription, code: str) -> Receipt:
    """Return the receipt of a redeemed code."""
    return Receipt(
        title=f"Your code {code} was applied",
        lines=[f"It applies to your next {plan_name(subscription)} bill."],
        facts=billing_facts([subscription]),
    )


def free_month_receipt(subscription: Subscription, saved: int) -> Receipt:
    """Return the receipt of a free month that saves `saved` cents."""
    return Receipt(
        title=f"You claimed a free month of {plan_name(subscription)}",
        lines=[f"Your next {plan_name(subscription)} bill is on us. It renews as usual after that."],
        facts=[("You save", format_cents(saved, subscription.terms.currency)), *billing_facts([subscription])],
    )
