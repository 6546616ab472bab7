"""Previews: what a change will cost by the provider's estimates."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from accounts.models import Account
from billing.clock import format_iso_utc
from billing.commands.quotes import compute_quote
from billing.errors import BillingUnavailable, InvalidState, PaymentMethodRequired
from billing.gateway import estimates
from billing.gateway.errors import NotSent, Refused
from billing.gateway.estimates import Bill
from billing.models import PaymentSource, Subscription
from billing.queries.bundles import BundleMember, CouponSwap, member_after_swap
from billing.queries.discounts import Price, discounted_price, discounts_for_coupons
from billing.queries.holdings import NON_RENEWING, Holding
from billing.queries.totals import period_totals


@dataclass(frozen=True)
class PlanLine:
    """One plan as it will bill: its period (`month` or `year`) and its next bill, None if it will not bill."""

    period_unit: str
    bill: Bill | None


@dataclass(frozen=True)
class BillForecast:
    """The next bills after a change: the bundle's members, the coupons to swap, and the bills that are known."""

    members: Sequence[BundleMember]
    swaps: Sequence[CouponSwap]
    bills: Mapping[str, Bill] = field(default_factory=dict)

    def forecast_line(self, holding: Holding, *, bills: bool) -> PlanLine:
        """Return the line of a plan that keeps its price; without `bills` it has no bill."""
        return PlanLine(
            period_unit=holding.subscription.period_unit, bill=self.forecast_bill(holding) if bills else None
        )

    def forecast_bill(self, holding: Holding) -> Bill:
        """Return the next bill of a plan that keeps its price."""
        subscription = holding.subscription
        known_bill = self.bills.get(subscription.provider_id)
        if known_bill is not None:
            return known_bill
        coupons = self.coupons_after(subscription.provider_id)
        if coupons is None:
            return estimates.estimate_next_bill(subscription.provider_id)
        if holding.status == NON_RENEWING:
            return _estimate_bill_when_kept(subscription, coupons)
        estimate = estimates.estimate_change(
            subscription.provider_id, price=subscription.item_price_id, coupons=coupons
        )
        return estimate.renewal or estimate.now

    def coupons_after(self, subscription_id: str) -> tuple[str, ...] | None:
        """Return the coupons of a subscription after the change; None if they stay as they are."""
        swap = next((swap for swap in self.swaps if swap.subscription_id == subscription_id), None)
        member = next((member for member in self.members if member.subscription_id == subscription_id), None)
        return None if swap is None or member is None else member_after_swap(member, swap).coupons


def _estimate_bill_when_kept(subscription: Subscription, coupons: Sequence[str]) -> Bill:
    """Return the next bill, with these coupons, of a subscription whose scheduled cancellation is removed.

    The provider estimates no renewal while a cancellation is scheduled, so the bill of a new start stands in for it. A
    price that is no longer on sale cannot be started either: there the coupons are computed as for the totals.
    """
    customer_id = subscription.customer.provider_id
    try:
        return estimates.estimate_start(customer_id, price=subscription.item_price_id, coupons=coupons).now
    except Refused:
        full_price = estimates.estimate_next_bill(subscription.provider_id).full_price
    price = discounted_price(full_price, discounts_for_coupons(coupons, subscription.item_price_id))
    return Bill(
        full_price=full_price,
        bundle_savings=price.bundle_savings,
        coupon_discount=price.coupon_discount,
        amount_due=price.total,
    )


def compute_figures(
    lines: Sequence[PlanLine],
    *,
    default_period: str,
    due_now: int,
    credited: int = 0,
    effective_at: datetime | None,
    at_once: bool = False,
    about: Iterable[str],
) -> dict[str, Any]:
    """Return the sums of the provider's estimates, with their quote; amounts in cents, all in values of JSON.

    `lines` are the plans after the change, in catalog order; `default_period` is the account's period if no plan
    bills. `due_now` is charged on confirmation (tax included), `credited` for terms already paid. `at_once` says that
    the change takes effect on confirmation. `about` names what changes, so that two changes with equal amounts have
    different quotes.
    """
    bills = [(line.period_unit, bill_price(line.bill)) for line in lines if line.bill is not None]
    own, other = period_totals(bills, otherwise=default_period)
    figures = {"due_now": due_now, "credits": credited, "effective_at": format_iso_utc(effective_at)}
    quoted = {
        **figures,
        "about": sorted(about),
        "bills": [[unit, price.amount, price.total] for unit, price in bills],
        # A change at once has no date: the quote stays valid however long the subscriber reads it.
        "effective_at": None if at_once else figures["effective_at"],
    }
    return {
        **figures,
        "own": asdict(own),
        "other": None if other is None else asdict(other),
        "quote": compute_quote(quoted),
    }


def bill_price(bill: Bill) -> Price:
    """Return an estimated bill as the totals count it."""
    return Price(amount=bill.full_price, bundle_savings=bill.bundle_savings, coupon_discount=bill.coupon_discount)


@contextmanager
def translate_estimate_errors() -> Iterator[None]:
    """Translate the gateway's errors while estimates are requested.

    Raises BillingUnavailable, PaymentMethodRequired or InvalidState.
    """
    try:
        yield
    except NotSent as error:
        raise BillingUnavailable(retry_after=error.retry_after) from error
    except Refused as error:
        raise PaymentMethodRequired if error.code == "payment_method_not_present" else InvalidState from error


def check_can_pay(account: Account) -> None:
    """Check that the account has a payment method. Raises PaymentMethodRequired."""
    if not PaymentSource.objects.filter(customer__account=account, deleted=False).exists():
        raise PaymentMethodRequired
