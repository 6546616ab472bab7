"""What subscribers are told about codes and offers."""

from billing.models import Subscription
from billing.money import format_cents
from billing.services.receipts import BEFORE_TAX, Receipt
from billing.services.wording import billing_facts, plan_name


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
