"""What a subscription bills next, told to its owner before tax."""

from billing.models import ItemPrice, Subscription
from billing.queries.discounts import CouponBook, price


def next_bill(subscription: Subscription) -> int:
    """Return what its next period costs in cents, before tax, with the coupons that will be in force then.

    A change that waits for the term's end is counted as made. Four queries at most.
    """
    target = _changing_to(subscription)
    price_id = target.provider_id if target else subscription.item_price_id
    amount = target.cents("price") if target else subscription.amount
    bill = subscription.next_billing_at or subscription.current_term_end
    coupons = CouponBook.of([subscription]).discounts_in(subscription.coupons, price_id)
    return price(amount, (one for one in coupons if one.covers(bill))).total


def _changing_to(subscription: Subscription) -> ItemPrice | None:
    if not subscription.has_scheduled_changes:
        return None
    wanted = subscription.text("scheduled_item_price_id")
    return ItemPrice.objects.filter(provider_id=wanted).first()
