"""Switch plans between monthly and yearly billing (docs/rules.md, rule 4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from accounts.models import Account
from billing.changes.discounts import bundle_coupons
from billing.changes.plan_change import PlanChange
from billing.changes.preview import (
    BillForecast,
    PlanLine,
    bill_after_invoice,
    compute_figures,
    coupon_rows_after,
    done_figures,
    translate_estimate_errors,
)
from billing.changes.targets import members_after, plans_after
from billing.commands.command_kind import CommandKind
from billing.commands.confirmation import NoChange, Preview, compute_basis, confirm_change
from billing.errors import InvalidState, NotChangeable, SeveralCurrencies
from billing.gateway import estimates
from billing.gateway.estimates import Bill, ChangeEstimate
from billing.mirror.next_bills import bill_before_balances
from billing.models import Command, ItemPrice, Plan, Subscription
from billing.models.steps import Step, StepOperation, subscription_step
from billing.queries import bundles
from billing.queries.bundles import BundleMember, RateTable
from billing.queries.commands import subscriptions_with_step
from billing.queries.discounts import FREE_MONTH_COUPON, CouponBook, discounted_price
from billing.queries.next_bills import BilledPlan, billed_plan, rows_after_bill
from billing.queries.subscriptions.holdings import ACTIVE, IN_TRIAL, Holding, ScheduledPrice
from billing.queries.subscriptions.ownership import live_holdings
from billing.queries.subscriptions.plans import PlanRow, ScheduledPlan
from billing.receipts.charges import command_charges
from billing.receipts.delivery import ActivityReceipt
from billing.receipts.texts import plans
from billing.terms import MONTH, YEAR, BillingTerms
from core.errors import InvalidInput

UPGRADE, DOWNGRADE = "upgrade", "downgrade"
MONTHS_PER_YEAR = 12

# direction -> from which period, to which
PERIODS_BY_DIRECTION: Mapping[str, tuple[str, str]] = {UPGRADE: (MONTH, YEAR), DOWNGRADE: (YEAR, MONTH)}


@dataclass(frozen=True)
class SwitchedSubscription:
    """The switch of one plan to a price, at once or at the end of the term.

    `coupons` are the coupons after it, None if they stay. A switch that `is_scheduled` already is only shown.
    """

    holding: Holding
    price: ItemPrice
    at_once: bool
    is_scheduled: bool = False
    coupons: tuple[str, ...] | None = None
    estimate: ChangeEstimate | None = None

    @property
    def subscription_id(self) -> str:
        """The provider's id of the subscription."""
        return self.holding.subscription.provider_id

    @property
    def amount(self) -> int:
        """What a period costs after it, in cents: for what is scheduled already, the price that the provider tells."""
        return self.holding.next_amount if self.is_scheduled else self.price.cents("price")

    @property
    def amount_due_now(self) -> int:
        """What is charged on confirmation, in cents."""
        return self.estimate.now.amount_due if self.estimate is not None and self.at_once else 0

    @property
    def loses_free_month(self) -> bool:
        """Whether a free month that waits for the next bill is removed (docs/rules.md, rule 8)."""
        return self.at_once and self.holding.has_waiting_discount("free_month")

    def request_estimate(self, coupons: tuple[str, ...] | None = None) -> ChangeEstimate:
        """Return the provider's estimate of the switch, with other `coupons` if they are given."""
        return estimates.estimate_change(
            self.subscription_id,
            price=self.price.provider_id,
            unit_price=self.holding.scheduled_price.unit_price if self.is_scheduled else None,
            coupons=self.coupons if coupons is None else coupons,
            at_term_end=not self.at_once,
            # A trial is charged when it ends.
            with_waiting=self.at_once and self.holding.status == ACTIVE,
        )

    def first_renewal(self, swapped_coupons: tuple[str, ...] | None, *, now: datetime) -> Bill:
        """Return the first bill after the switch, with the coupons that a bundle's change of size leads to, if any.

        A switch that charges at once uses up one-time coupons, which that bill no longer has.
        """
        estimate = self.estimate
        if self.is_scheduled and swapped_coupons is None:
            return estimates.estimate_scheduled_bill(self.subscription_id)
        if estimate is None or (swapped_coupons is not None and estimate.renewal is not None):
            estimate = self.request_estimate(swapped_coupons)
        if estimate.renewal is not None:
            return estimate.renewal
        coupons = self.coupons if swapped_coupons is None else swapped_coupons
        by_hand = self.holding.subscription.discounts_by_hand
        return bill_after_invoice(estimate, self.price, self._coupon_rows(coupons), by_hand=by_hand, now=now)

    def _coupon_rows(self, coupons: tuple[str, ...] | None) -> Sequence[Mapping[str, Any]]:
        """Return the rows of these coupons (ids or codes; None for the present ones), with the periods that run."""
        present = self.holding.subscription.coupons
        return present if coupons is None else coupon_rows_after(present, coupons)

    def billed_after(
        self, bill: Bill, swapped_coupons: tuple[str, ...] | None, members: Sequence[BundleMember], *, now: datetime
    ) -> BilledPlan | None:
        """Return how the plan bills after the switch, given its first bill then."""
        plan = billed_plan(self.holding, bill_before_balances(bill), members)
        if plan is None:
            return None
        rows = self._coupon_rows(self.coupons if swapped_coupons is None else swapped_coupons)
        plan = replace(
            plan,
            terms=self.price.terms,
            price_id=self.price.provider_id,
            coupon_rows=rows,
            full_price=self.amount,
        )
        if self.estimate is None or self.estimate.renewal is not None:
            return plan
        left = rows_after_bill(rows, self.estimate.now.coupon_ids, now, CouponBook.for_rows(rows))
        return replace(plan, coupon_rows=left, anchor_day=now.day)

    def steps(self) -> list[Step]:
        """Return the step that switches the plan; none if that is scheduled already."""
        if self.is_scheduled:
            return []
        price = self.price.provider_id
        if not self.at_once:
            return [subscription_step(StepOperation.CHANGE_AT_TERM_END, self.subscription_id, price=price)]
        coupons = None if self.coupons is None else list(self.coupons)
        return [subscription_step(StepOperation.CHANGE_NOW, self.subscription_id, price=price, coupons=coupons)]

    @property
    def ends_at(self) -> datetime | None:
        """None: only what renews is switched."""
        return None

    def member_after(self, member: BundleMember) -> BundleMember:
        """Return the member as it bills after the switch."""
        if self.is_scheduled:
            return member
        if not self.at_once:
            return replace(member, changing_to=ScheduledPrice(self.price.provider_id))
        bills_at = self.estimate.next_billing_at if self.estimate else None
        coupons = member.coupons if self.coupons is None else self.coupons
        return replace(member, coupons=coupons, bills_at=bills_at or member.bills_at)

    def plan_after(self, plan: PlanRow) -> PlanRow:
        """Return the plan at its new price."""
        after, amount = self.price.terms, self.amount
        bills_at = self.estimate.next_billing_at if self.estimate and self.at_once else None
        scheduled = ScheduledPlan(after, amount, self.holding.subscription.period_end)
        return replace(
            plan,
            amount=amount,
            amount_today=amount,
            terms=after,
            scheduled_plan=None if self.at_once else scheduled,
            next_billing_at=bills_at or plan.next_billing_at,
            has_scheduled_change=not self.at_once,
            has_free_month=plan.has_free_month and not self.at_once,
        )


@dataclass(frozen=True, kw_only=True)
class PeriodPreview(Preview):
    """A preview of switches of the billing period."""

    switches: tuple[SwitchedSubscription, ...]


def preview_switch(account: Account, *, direction: str, plan_ids: Sequence[str] | None, now: datetime) -> PeriodPreview:
    """Return the plans and figures after a switch, with the switches that are scheduled already.

    `plan_ids` None means every plan that can switch, of one currency. Raises InvalidInput, InvalidState, NotChangeable,
    SeveralCurrencies, NoChange, BillingUnavailable.
    """
    holdings = live_holdings(account)
    scheduled = _scheduled_switches(holdings, direction, plan_ids)
    new = _new_switches(holdings, direction, plan_ids, scheduled=scheduled)
    if not new and not scheduled:
        raise NoChange
    with translate_estimate_errors():
        return _build_preview(holdings, [*new, *scheduled], direction, now)


def switch_period(
    account: Account,
    *,
    direction: str,
    plan_ids: Sequence[str] | None,
    quote: str | None,
    key: str,
    actor: str,
    now: datetime,
    intents: Sequence[str] = (),
) -> dict[str, Any]:
    """Switch plans as previewed; return the confirmed figures and what was charged.

    The charges are paid with `intents` if there are any (see `confirm_change`). A repeated request for the same plans
    finishes one that was done in part. Raises QuoteChanged, PaymentProcessingFailed (nothing was changed), and what
    `preview_switch` and a command raise.
    """
    change = SwitchPeriod(account, KINDS[direction], plan_ids)
    return done_figures(confirm_change(change, quote=quote, key=key, actor=actor, now=now, intents=intents))


@dataclass(frozen=True)
class SwitchPeriod(PlanChange):
    """The switch of plans to the other billing period; `plan_ids` None means every plan that can switch."""

    plan_ids: Sequence[str] | None

    def preview(self, now: datetime) -> PeriodPreview:
        """Return the plans and figures after the switch. Raises as `preview_switch`, and if nothing is left to do."""
        shown = preview_switch(self.account, direction=self.kind.name, plan_ids=self.plan_ids, now=now)
        scheduled = [switch for switch in shown.switches if switch.is_scheduled]
        if self.plan_ids is not None and scheduled:
            raise InvalidState
        if len(scheduled) == len(shown.switches):
            raise NoChange
        return shown

    def requested_ids(self) -> set[str] | None:
        """Return the ids of the subscriptions of the named plans."""
        if self.plan_ids is None:
            return None
        return {
            holding.subscription.provider_id
            for holding in live_holdings(self.account)
            if holding.plan.id in self.plan_ids and holding.is_changeable
        }

    def remaining_ids(self) -> set[str]:
        """Return the ids of the requested subscriptions that can switch."""
        possible = _possible_switches(live_holdings(self.account), self.kind.name, self.plan_ids)
        return {switch.subscription_id for switch in possible}


def _new_switches(
    holdings: Sequence[Holding],
    direction: str,
    plan_ids: Sequence[str] | None,
    *,
    scheduled: Sequence[SwitchedSubscription],
) -> list[SwitchedSubscription]:
    """Return the switches to make, without those that are `scheduled` already."""
    possible = _possible_switches(holdings, direction, plan_ids)
    if plan_ids is None:
        return possible
    _check_plans_exist(holdings, plan_ids)
    scheduled_ids = {switch.holding.plan.id for switch in scheduled}
    ids = set(plan_ids) - scheduled_ids
    # Of several subscriptions to one plan, one is changeable.
    changeable = {holding.plan.id for holding in holdings if holding.is_changeable}
    if any(holding.plan.id in ids - changeable for holding in holdings):
        raise NotChangeable
    chosen = [switch for switch in possible if switch.holding.plan.id not in scheduled_ids]
    if {switch.holding.plan.id for switch in chosen} != ids:
        raise InvalidState
    if len({switch.price.terms for switch in chosen}) > 1:
        raise SeveralCurrencies
    return chosen


def _check_plans_exist(holdings: Sequence[Holding], plan_ids: Sequence[str]) -> None:
    """Check that plans are named, each of the catalog or held. Raises InvalidInput."""
    unknown = set(plan_ids) - {holding.plan.id for holding in holdings}
    if not plan_ids or Plan.objects.filter(pk__in=unknown).count() < len(unknown):
        raise InvalidInput(fields={"planIds": ["Choose available plans."]})


def _possible_switches(
    holdings: Sequence[Holding], direction: str, plan_ids: Sequence[str] | None
) -> list[SwitchedSubscription]:
    """Return the switches of the named plans that can switch; None means all, of the first one's currency."""
    possible = [switch for holding in holdings if (switch := _build_switch(holding, direction)) is not None]
    if plan_ids is None:
        return [switch for switch in possible if switch.price.terms == possible[0].price.terms]
    return [switch for switch in possible if switch.holding.plan.id in plan_ids]


def _build_switch(holding: Holding, direction: str) -> SwitchedSubscription | None:
    """Return the switch of a plan; None if it cannot switch or has a scheduled change or pause."""
    before, _ = PERIODS_BY_DIRECTION[direction]
    subscription = holding.subscription
    is_busy = holding.has_scheduled_pause or subscription.has_scheduled_changes
    if subscription.terms.period_unit != before or holding.status not in (ACTIVE, IN_TRIAL) or is_busy:
        return None
    target = holding.other_period_price
    if target is None:
        return None
    at_once = direction == UPGRADE or holding.status == IN_TRIAL
    return SwitchedSubscription(
        holding=holding,
        price=target,
        at_once=at_once,
        coupons=_coupons_without_free_month(holding) if at_once else None,
    )


def _scheduled_switches(
    holdings: Sequence[Holding], direction: str, plan_ids: Sequence[str] | None
) -> list[SwitchedSubscription]:
    """Return the switches that are scheduled already, of the named plans or of all plans."""
    before, after = PERIODS_BY_DIRECTION[direction]
    return [
        SwitchedSubscription(holding, target, at_once=False, is_scheduled=True)
        for holding in holdings
        if (target := holding.changing_to) is not None
        # Customer service may have agreed on another price for the same period.
        and (holding.terms.period_unit, target.terms.period_unit) == (before, after)
        and (plan_ids is None or holding.plan.id in plan_ids)
    ]


def _coupons_without_free_month(holding: Holding) -> tuple[str, ...] | None:
    """Return the coupons without an unused free month (docs/rules.md, rule 8); None if there is none to remove."""
    if not holding.has_waiting_discount("free_month"):
        return None
    return tuple(
        str(row.get("coupon_code") or row["coupon_id"])
        for row in holding.subscription.coupons
        if row["coupon_id"] != FREE_MONTH_COUPON
    )


def _build_preview(
    holdings: Sequence[Holding], chosen: Sequence[SwitchedSubscription], direction: str, now: datetime
) -> PeriodPreview:
    estimated = [
        switch if switch.is_scheduled else replace(switch, estimate=switch.request_estimate()) for switch in chosen
    ]
    by_id = {switch.subscription_id: switch for switch in estimated}
    switches = [by_id[provider_id] for holding in holdings if (provider_id := _id_of(holding)) in by_id]
    # Steps that charge come first: if the payment is declined, nothing has been changed.
    new = sorted((switch for switch in switches if not switch.is_scheduled), key=_charges_nothing)
    members = members_after(holdings, switches)
    swaps = bundles.required_swaps(members, RateTable.load_current())
    forecast = BillForecast.of_holdings(holdings, members=members, swaps=swaps, now=now)
    figures = compute_figures(
        [_preview_line(holding, by_id.get(_id_of(holding)), forecast, now) for holding in holdings],
        default_terms=BillingTerms(period_unit=PERIODS_BY_DIRECTION[direction][1]),
        forecast=forecast,
        charges={switch.subscription_id: switch.estimate for switch in new if switch.estimate and switch.at_once},
        due_currency=switches[0].price.terms.currency,
        effective_at=_effective_at(switches, now),
        at_once=any(switch.at_once for switch in switches),
        about=[direction, *(switch.subscription_id for switch in new)],
    )
    shown = {
        **figures,
        "annual_savings": sum(_annual_savings(switch, direction) for switch in switches),
        "is_immediate": all(switch.at_once for switch in switches),
        "plan_ids": [switch.holding.plan.id for switch in switches],
        "removes_free_month": any(switch.loses_free_month for switch in switches),
    }
    return PeriodPreview(
        basis=compute_basis(holdings),
        body={**shown, "existing_plans": plans_after(holdings, switches)},
        shown=shown,
        steps=[
            *(step for switch in new for step in switch.steps()),
            *bundle_coupons.steps_to_swap(swaps),
        ],
        switches=tuple(switches),
    )


def _id_of(holding: Holding) -> str:
    return holding.subscription.provider_id


def _charges_nothing(switch: SwitchedSubscription) -> bool:
    return switch.amount_due_now == 0


def _preview_line(
    holding: Holding, switch: SwitchedSubscription | None, forecast: BillForecast, now: datetime
) -> PlanLine:
    """Return the line of a plan after its switch; `switch` is None for a plan that stays."""
    if switch is None:
        return forecast.forecast_line(holding, bills=holding.will_bill)
    swapped = forecast.coupons_after(switch.subscription_id)
    bill = switch.first_renewal(swapped, now=now)
    billed = switch.billed_after(bill, swapped, forecast.members, now=now)
    return PlanLine(terms=switch.price.terms, bill=bill, billed=billed)


def _effective_at(switches: Sequence[SwitchedSubscription], now: datetime) -> datetime | None:
    """Return now if any plan switches at once, else the end of the first term (UTC)."""
    if any(switch.at_once for switch in switches):
        return now
    ends = [switch.holding.subscription.period_end for switch in switches]
    return min((end for end in ends if end is not None), default=None)


def _annual_savings(switch: SwitchedSubscription, direction: str) -> int:
    """Return twelve monthly prices less the yearly price, each at the current bundle rate (docs/rules.md, rule 4)."""
    bundle = [discount for discount in switch.holding.discounts if discount.kind == "bundle"]
    before, after = switch.holding.subscription.amount, switch.amount
    monthly, yearly = (before, after) if direction == UPGRADE else (after, before)
    return MONTHS_PER_YEAR * discounted_price(monthly, bundle).total - discounted_price(yearly, bundle).total


def _compose_receipt(command: Command, subscriptions: list[Subscription]) -> ActivityReceipt | None:
    scheduled = subscriptions_with_step(command, subscriptions, StepOperation.CHANGE_AT_TERM_END)
    changing = [subscription for subscription in scheduled if subscription.has_scheduled_changes]
    # If the outcome was unknown for long, the term may have ended since.
    changed = [
        *subscriptions_with_step(command, subscriptions, StepOperation.CHANGE_NOW),
        *(set(scheduled) - set(changing)),
    ]
    if not (changed or changing):
        return None
    receipt = plans.billing_period_receipt(
        changed=changed,
        changing=changing,
        period_unit=PERIODS_BY_DIRECTION[command.kind][1],
        charges=command_charges(command, changed),
    )
    return ActivityReceipt(command.kind, receipt)


KINDS: Mapping[str, CommandKind] = {
    direction: CommandKind(direction, compose_receipt=_compose_receipt) for direction in PERIODS_BY_DIRECTION
}
