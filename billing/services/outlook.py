"""What an account's plans will cost once a change is made: the provider is asked for each plan that will bill."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from billing.gateway import estimates
from billing.gateway.errors import Refused
from billing.gateway.estimates import Bill
from billing.models import Subscription
from billing.queries.discounts import discounts_named, price
from billing.queries.holdings import NON_RENEWING, Holding
from billing.services.bundles import Member, Swap, after_swap
from billing.services.figures import Line


@dataclass(frozen=True)
class Outlook:
    """A change in the making: the coupons that will be swapped with it, and the bills that are known already."""

    members: Sequence[Member]
    swaps: Sequence[Swap]
    bills: Mapping[str, Bill] = field(default_factory=dict)

    def line_of(self, holding: Holding, *, bills: bool) -> Line:
        """Return the line of a plan that keeps its price; one that will not bill has no bill."""
        return Line(
            period_unit=holding.subscription.period_unit, bill=self.bill_of(holding) if bills else None
        )

    def bill_of(self, holding: Holding) -> Bill:
        """Return the next bill of a plan that keeps its price."""
        subscription = holding.subscription
        known = self.bills.get(subscription.provider_id)
        if known is not None:
            return known
        coupons = self.coupons_of(subscription.provider_id)
        if coupons is None:
            return estimates.of_renewal(subscription.provider_id)
        if holding.status == NON_RENEWING:
            return _bill_when_kept(subscription, coupons)
        changed = estimates.of_change(
            subscription.provider_id, price=subscription.item_price_id, coupons=coupons
        )
        return changed.renewal or changed.now

    def coupons_of(self, subscription_id: str) -> tuple[str, ...] | None:
        """Return the coupons that a subscription will carry; None when it keeps those it has."""
        swap = next((one for one in self.swaps if one.subscription_id == subscription_id), None)
        member = next((one for one in self.members if one.subscription_id == subscription_id), None)
        return None if swap is None or member is None else after_swap(member, swap).coupons


def _bill_when_kept(subscription: Subscription, coupons: Sequence[str]) -> Bill:
    """Return the next bill of a subscription whose end is taken back, with other coupons than it has.

    A change of it cannot be asked for: as long as it is to end, the provider estimates no renewal. A price that is not
    on sale any more cannot even be asked for as a start; its coupons are then reckoned by the same rules as totals are.
    """
    customer_id = subscription.customer.provider_id
    try:
        return estimates.of_start(customer_id, price=subscription.item_price_id, coupons=coupons).now
    except Refused:
        full = estimates.of_renewal(subscription.provider_id).full
    reckoned = price(full, discounts_named(coupons, subscription.item_price_id))
    return Bill(
        full=full,
        bundle_savings=reckoned.bundle_savings,
        coupon_discount=reckoned.coupon_discount,
        amount_due=reckoned.total,
    )
