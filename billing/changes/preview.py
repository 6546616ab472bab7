"""Previews: what a change will cost by the provider's estimates."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, field, replace
from datetime import datetime
from typing import Any

from accounts.models import Account
from billing.changes.targets import CanceledSubscription, KeptSubscription, Target, members_after, targets_by_id
from billing.clock import format_iso_utc
from billing.commands.quotes import compute_quote
from billing.errors import BillingUnavailable, InvalidState, NoLongerExists, PaymentMethodRequired
from billing.gateway import estimates
from billing.gateway.errors import Missing, NotSent, Refused
from billing.gateway.estimates import Bill, ChangeEstimate
from billing.mirror.next_bills import amounts_due, bill_before_balances, estimate_bill
from billing.models import Command, ItemPrice, PaymentSource
from billing.queries.bundles import (
    BundleMember,
    CouponSwap,
    RateTable,
    bundle_members,
    member_after_swap,
    required_swaps,
)
from billing.queries.discounts import (
    BY_HAND,
    Discount,
    Price,
    discounted_price,
    discounts_after_invoice,
    discounts_for_coupons,
)
from billing.queries.next_bills import (
    Balances,
    BilledPlan,
    EstimatedBill,
    NextBill,
    Payer,
    billed_plan,
    known_bills,
    project_bills,
)
from billing.queries.subscriptions.holdings import NON_RENEWING, Holding
from billing.queries.totals import totals_by_terms
from billing.receipts.charges import command_charges
from billing.terms import BillingTerms


@dataclass(frozen=True)
class PlanLine:
    """One plan after a change: its terms and the bill that its total counts, None if it does not count.

    `billed` is how it bills next, with what is scheduled; None if it does not.
    """

    terms: BillingTerms
    bill: Bill | None
    billed: BilledPlan | None = None


@dataclass(frozen=True)
class BillForecast:
    """The next bills after a change: the bundle's members, the coupons to swap, and the bills that are known.

    `bills` are by subscription, and `coupon_rows` those after the change where it adds one; `estimates` are those of
    the mirror, by the subscription's key.
    """

    members: Sequence[BundleMember]
    swaps: Sequence[CouponSwap]
    now: datetime
    payer: Payer = field(default_factory=Payer)
    bills: Mapping[str, Bill] = field(default_factory=dict)
    coupon_rows: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    estimates: Mapping[int, EstimatedBill] = field(default_factory=dict)

    @classmethod
    def of_holdings(cls, holdings: Sequence[Holding], payer: Payer | None = None, **changes: Any) -> BillForecast:
        """Return the forecast with what is known of the holdings' bills; `payer` is theirs. Five queries at most."""
        payer = payer or Payer.of_holdings(holdings)
        return cls(payer=payer, estimates=known_bills(holdings, payer), **changes)

    def forecast_line(self, holding: Holding, *, bills: bool, ends: bool = False) -> PlanLine:
        """Return the line of a plan that keeps its price; `bills` says whether a total counts it."""
        bill = self.forecast_bill(holding) if bills else None
        return PlanLine(terms=holding.terms, bill=bill, billed=None if ends else self._forecast_billed(holding, bill))

    def forecast_target(self, target: Target) -> PlanLine:
        """Return the line of a plan that is to end, with the bills before its end, or to be kept."""
        ends = isinstance(target, CanceledSubscription) and not target.bills_before_end
        line = self.forecast_line(target.holding, bills=isinstance(target, KeptSubscription), ends=ends)
        return line if line.billed is None else replace(line, billed=replace(line.billed, ends_at=target.ends_at))

    def _forecast_billed(self, holding: Holding, bill: Bill | None) -> BilledPlan | None:
        """Return how a plan bills next with its scheduled change; None if nothing is scheduled to bill."""
        plan = billed_plan(holding, None, self.members)
        if plan is None:
            return None
        coupons = self.coupons_after(plan.subscription_id)
        rows = self.coupon_rows.get(plan.subscription_id, plan.coupon_rows)
        rows = rows if coupons is None else coupon_rows_after(rows, coupons)
        return replace(plan, bill=self._estimate_scheduled(holding, bill, coupons), coupon_rows=rows)

    def _estimate_scheduled(
        self, holding: Holding, bill: Bill | None, coupons: tuple[str, ...] | None
    ) -> EstimatedBill | None:
        known, price = self.estimates.get(holding.subscription.pk), holding.changing_to
        if coupons is None and known is not None:
            return known
        if bill is not None and price is None:
            return bill_before_balances(bill)
        if coupons is None or price is None:
            return estimate_bill(holding, now=self.now)
        subscription_id = holding.subscription.provider_id
        unit_price = holding.scheduled_price.unit_price
        estimate = estimates.estimate_change(
            subscription_id, price=price.provider_id, unit_price=unit_price, coupons=coupons, at_term_end=True
        )
        return None if estimate.renewal is None else bill_before_balances(estimate.renewal)

    def forecast_bill(self, holding: Holding) -> Bill:
        """Return the next bill of a plan that keeps its price."""
        subscription = holding.subscription
        known_bill = self.bills.get(subscription.provider_id)
        if known_bill is not None:
            return known_bill
        coupons = self.coupons_after(subscription.provider_id)
        if coupons is None:
            return estimates.estimate_next_bill(subscription.provider_id)
        coupons = _coupons_in_force(holding, coupons)
        if holding.status == NON_RENEWING and not holding.will_bill:
            return _estimate_bill_when_kept(holding, coupons)
        estimate = estimates.estimate_coupons(subscription.provider_id, coupons)
        if estimate.renewal is not None:
            return estimate.renewal
        return _priced_bill(subscription.amount, _discounts_with_coupons(holding, coupons))

    def coupons_after(self, subscription_id: str) -> tuple[str, ...] | None:
        """Return the coupons of a subscription after the change; None if they stay as they are."""
        if subscription_id in self.coupon_rows:
            return tuple(str(row.get("coupon_code") or row["coupon_id"]) for row in self.coupon_rows[subscription_id])
        swap = next((swap for swap in self.swaps if swap.subscription_id == subscription_id), None)
        member = next((member for member in self.members if member.subscription_id == subscription_id), None)
        return None if swap is None or member is None else member_after_swap(member, swap).coupons


def _coupons_in_force(holding: Holding, coupons: Collection[str]) -> tuple[str, ...]:
    """Return those of these coupons (ids or codes) whose period has not ended by the next bill."""
    subscription = holding.subscription
    bill = subscription.next_billing_at or subscription.period_end
    ended = {discount.coupon_id for discount in holding.discounts if not discount.is_in_force_at(bill)}
    rows = coupon_rows_after(subscription.coupons, coupons)
    return tuple(str(row.get("coupon_code") or row["coupon_id"]) for row in rows if row["coupon_id"] not in ended)


def _discounts_with_coupons(holding: Holding, coupons: Collection[str]) -> list[Discount]:
    """Return the discounts of a plan's next bill with exactly these coupons, and those that it has by hand."""
    by_hand = [discount for discount in holding.waiting_discounts if discount.kind == BY_HAND]
    return [*discounts_for_coupons(coupons, holding.subscription.item_price_id), *by_hand]


def _estimate_bill_when_kept(holding: Holding, coupons: Sequence[str]) -> Bill:
    """Return the next bill, with these coupons, of a subscription whose scheduled cancellation is removed.

    The provider estimates no renewal while a cancellation is scheduled, so the bill of a new start at the end of the
    term stands in for it. Where there is none, the coupons are computed as for the totals.
    """
    subscription = holding.subscription
    start = _estimate_same_start(holding, coupons)
    if start is None:
        full_price = estimates.estimate_next_bill(subscription.provider_id).full_price
        return _priced_bill(full_price, _discounts_with_coupons(holding, coupons))
    # After a term a whole one follows, on the subscription's own days.
    return start.first_bill if subscription.status == "in_trial" else replace(start.first_bill, ends_at=None)


def _estimate_same_start(holding: Holding, coupons: Sequence[str]) -> ChangeEstimate | None:
    """Return the estimate of a new start at the end of the term; None if it would cost something else or is refused.

    A new start has the list price, which is not that of a subscription with an agreed or an earlier one, and no
    discount that customer service has given by hand.
    """
    subscription, listed = holding.subscription, holding.price_today
    if listed is None or listed.cents("price") != subscription.amount or subscription.discounts_by_hand:
        return None
    customer_id, price = subscription.customer.provider_id, subscription.item_price_id
    try:
        return estimates.estimate_start(customer_id, price=price, coupons=coupons, starts_at=subscription.period_end)
    except Refused:
        return None


def bill_after_invoice(
    estimate: ChangeEstimate,
    price: ItemPrice,
    coupon_rows: Sequence[Mapping[str, Any]],
    *,
    by_hand: Sequence[Mapping[str, Any]],
    now: datetime,
) -> Bill:
    """Return the bill that follows the invoice of a change to a price, with the discounts that the invoice leaves.

    The provider estimates a single invoice of a change: where it charges at once, it does not tell the renewal. That
    invoice may be for part of a period, so the bill after it has the full price.
    """
    tax = 0 if estimate.now.tax == 0 and estimate.now.total > estimate.now.promotional else None
    discounts = discounts_after_invoice(
        coupon_rows, price.provider_id, by_hand=by_hand, used=estimate.now.coupon_ids, invoiced_at=now
    )
    in_force = [discount for discount in discounts if discount.is_in_force_at(estimate.next_billing_at)]
    return replace(_priced_bill(price.cents("price"), in_force), tax=tax)


def _priced_bill(full_price: int, discounts: Iterable[Discount]) -> Bill:
    """Return a bill of a full price (cents) with these discounts, computed as for the totals."""
    discounts = list(discounts)
    price = discounted_price(full_price, discounts)
    return Bill(
        full_price=full_price,
        bundle_savings=price.bundle_savings,
        coupon_discount=price.coupon_discount,
        amount_due=price.total,
        coupon_ids=frozenset(discount.coupon_id for discount in discounts),
    )


def coupon_rows_after(present: Sequence[Mapping[str, Any]], coupons: Collection[str]) -> list[Mapping[str, Any]]:
    """Return the rows of these coupons (ids or codes), with the periods that run."""
    kept = [row for row in present if {row["coupon_id"], row.get("coupon_code")} & set(coupons)]
    known = {row.get(name) for row in present for name in ("coupon_id", "coupon_code")}
    return [*kept, *({"coupon_id": coupon} for coupon in coupons if coupon not in known)]


def done_figures(command: Command) -> dict[str, Any]:
    """Return the confirmed figures of a done command, with `due_now` as the provider has charged it.

    `has_payment_failure` says whether some of that is unpaid, whatever else the account owes.
    """
    charges = command_charges(command)
    done = {"due_now": charges.total, "has_payment_failure": charges.due > 0}
    return {"next_bills": [], "adjustments": 0, **command.shown, **done}


def compute_figures(
    lines: Sequence[PlanLine],
    *,
    default_terms: BillingTerms,
    forecast: BillForecast,
    charges: Mapping[str, ChangeEstimate],
    due_currency: str,
    effective_at: datetime | None,
    at_once: bool = False,
    about: Iterable[str],
) -> dict[str, Any]:
    """Return the sums of the provider's estimates, with their quote; amounts in cents, all in values of JSON.

    `lines` are the plans after the change, in catalog order; `default_terms` are the account's terms if no plan bills.
    `charges` are the estimates of the subscriptions that are charged on confirmation, by the provider's id and in the
    order of the steps, in `due_currency`. `forecast` has the bundle after the change and the payer. `at_once` says that
    the change takes effect on confirmation. `about` names what changes, so that two changes with equal amounts have
    different quotes.
    """
    bills = [(line.terms, bill_price(line.bill)) for line in lines if line.bill is not None]
    own, *others = map(asdict, totals_by_terms(bills, otherwise=default_terms))
    due, left = amounts_due(charges, forecast.payer.balances, currency=due_currency)
    figures = {
        "due_now": sum(due.values()),
        "due_currency": due_currency,
        "credits": sum(estimate.credits for estimate in charges.values()),
        "adjustments": sum(estimate.adjustments for estimate in charges.values()),
        "effective_at": format_iso_utc(effective_at),
    }
    quoted = {
        **figures,
        "about": sorted(about),
        "bills": [[*astuple(terms), price.amount, price.total] for terms, price in bills],
        # A change at once has no date: the quote stays valid however long the subscriber reads it.
        "effective_at": None if at_once else figures["effective_at"],
    }
    return {
        **figures,
        "charges": due,
        "own": own,
        "others": others,
        "next_bills": [bill.as_json() for bill in _next_bills(lines, forecast, left)],
        "quote": compute_quote(quoted),
    }


def _next_bills(lines: Sequence[PlanLine], forecast: BillForecast, balances: Balances) -> list[NextBill]:
    """Return the next bills after a change, with the balances that its charges leave."""
    plans = [line.billed for line in lines if line.billed is not None]
    return project_bills(plans, forecast.members, forecast.payer, balances)


def forecast_next_bills(
    holdings: Sequence[Holding], *, now: datetime, repriced: Collection[int] = ()
) -> list[NextBill]:
    """Return the next bills of holdings as they are or are to be, whose bundle stays as it is.

    Bills that the mirror does not know are estimated, and those of `repriced` subscriptions (their keys), which are to
    lose a scheduled change. Raises as `translate_estimate_errors`.
    """
    forecast = BillForecast.of_holdings(holdings, members=bundle_members(holdings), swaps=(), now=now)
    known = {key: bill for key, bill in forecast.estimates.items() if key not in repriced}
    forecast = replace(forecast, estimates=known)
    with translate_estimate_errors():
        lines = [forecast.forecast_line(holding, bills=holding.subscription.pk in repriced) for holding in holdings]
    return _next_bills(lines, forecast, forecast.payer.balances)


def forecast_bills_after(holdings: Sequence[Holding], targets: Sequence[Target], *, now: datetime) -> list[NextBill]:
    """Return the next bills of holdings once some have ended or are kept, at the rates of the bundle that is left.

    Raises as `translate_estimate_errors`.
    """
    members, by_id = members_after(holdings, targets), targets_by_id(targets)
    swaps = required_swaps(members, RateTable.load_current())
    forecast = BillForecast.of_holdings(holdings, members=members, swaps=swaps, now=now)
    with translate_estimate_errors():
        lines = [
            forecast.forecast_target(target)
            if (target := by_id.get(holding.subscription.provider_id))
            else forecast.forecast_line(holding, bills=False)
            for holding in holdings
        ]
    return _next_bills(lines, forecast, forecast.payer.balances)


def forecast_bills_with_coupon(
    holdings: Sequence[Holding], chosen: Holding, *, coupon_id: str, now: datetime
) -> list[NextBill]:
    """Return the next bills of the chosen one of the holdings with a coupon added, as the provider estimates it.

    The bills of the others are projected with them: what the customer has pays all of them in turn. Raises as
    `translate_estimate_errors`.
    """
    subscription = chosen.subscription
    forecast = BillForecast.of_holdings(
        holdings,
        members=bundle_members(holdings),
        swaps=(),
        now=now,
        coupon_rows={subscription.provider_id: [*subscription.coupons, {"coupon_id": coupon_id}]},
    )
    with translate_estimate_errors():
        lines = [forecast.forecast_line(holding, bills=holding is chosen) for holding in holdings]
    bills = _next_bills(lines, forecast, forecast.payer.balances)
    return [bill for bill in bills if bill.subscription_id == subscription.provider_id]


def bill_price(bill: Bill) -> Price:
    """Return an estimated bill as the totals count it."""
    return Price(amount=bill.full_price, bundle_savings=bill.bundle_savings, coupon_discount=bill.coupon_discount)


@contextmanager
def translate_estimate_errors() -> Iterator[None]:
    """Translate the gateway's errors while estimates are requested.

    Raises BillingUnavailable, PaymentMethodRequired, NoLongerExists or InvalidState.
    """
    try:
        yield
    except NotSent as error:
        raise BillingUnavailable(retry_after=error.retry_after) from error
    except Missing as error:
        raise NoLongerExists if error.is_subject else InvalidState from error
    except Refused as error:
        raise PaymentMethodRequired if error.code == "payment_method_not_present" else InvalidState from error


def check_can_pay(account: Account) -> None:
    """Check that the account has a payment method. Raises PaymentMethodRequired."""
    if not PaymentSource.objects.filter(customer__account=account, deleted=False).exists():
        raise PaymentMethodRequired
