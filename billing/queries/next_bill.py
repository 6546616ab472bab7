"""The amount of a subscription's next bill."""

from billing.models import ItemPrice, Subscription
from billing.queries.discounts import CouponBook, discounted_price


def next_bill_amount(subscription: Subscription) -> int:
    """Return the price of its next period in cents, before tax, with the coupons in force at that time.

    A change scheduled for the end of the term counts as made. Four queries at most.
    """
    scheduled = _scheduled_price(subscription)
    price_id = scheduled.provider_id if scheduled else subscription.item_price_id
    amount = scheduled.cents("price") if scheduled else subscription.amount
    bill = subscription.next_billing_at or subscription.current_term_end
    discounts = CouponBook.for_subscriptions([subscription]).discounts_in(subscription.coupons, price_id)
    return discounted_price(
        amount, (discount for discount in discounts if discount.is_in_force_at(bill))
    ).total


def _scheduled_price(subscription: Subscription) -> ItemPrice | None:
    if not subscription.has_scheduled_changes:
        return None
    price_id = subscription.text("scheduled_item_price_id")
    return ItemPrice.objects.filter(provider_id=price_id).first()
