"""Switch plans between monthly and yearly billing (docs/rules.md, rule 4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from accounts.models import Account
from billing import catalog
from billing.changes import bundle_coupons
from billing.changes.preview import (
    BillForecast,
    Figures,
    NoChange,
    PlanLine,
    check_basis,
    check_quote,
    compute_basis,
    compute_figures,
    money_fields,
    translate_estimate_errors,
)
from billing.commands import lifecycle
from billing.commands.command_kind import CommandKind
from billing.errors import BillingUnavailable, InvalidState
from billing.gateway import estimates
from billing.gateway.estimates import ChangeEstimate
from billing.models import Command, Subscription
from billing.models.steps import Step, StepOperation, subscription_step
from billing.queries import bundles
from billing.queries.bundles import BundleMember, CouponSwap, RateTable
from billing.queries.commands import confirmed_figures, newest_partial_command, subscriptions_with_step
from billing.queries.discounts import FREE_MONTH_COUPON, discounted_price
from billing.queries.holdings import ACTIVE, IN_TRIAL, Holding
from billing.queries.ownership import live_holdings
from billing.queries.plans import held_plan
from billing.queries.time_format import format_iso_utc
from billing.queries.totals import MONTH, YEAR
from billing.receipts.charges import command_charges
from billing.receipts.partial_receipts import ActivityReceipt
from billing.receipts.texts import plans
from core.errors import InvalidInput

UPGRADE, DOWNGRADE = "upgrade", "downgrade"
MONTHS_PER_YEAR = 12

# direction -> from which period, to which
PERIODS_BY_DIRECTION: Mapping[str, tuple[str, str]] = {UPGRADE: (MONTH, YEAR), DOWNGRADE: (YEAR, MONTH)}


@dataclass(frozen=True)
class PeriodSwitch:
    """The switch of one plan to a price and its amount (cents), at once or at the end of the term.

    `coupons` are the coupons after it, None if they stay. A switch that `is_scheduled` already is only shown.
    """

    holding: Holding
    price: str
    amount: int
    at_once: bool
    is_scheduled: bool = False
    coupons: tuple[str, ...] | None = None
    estimate: ChangeEstimate | None = None

    @property
    def subscription_id(self) -> str:
        """The provider's id of the subscription."""
        return self.holding.subscription.provider_id


@dataclass(frozen=True)
class PeriodPreview:
    """A switch of the billing period, as it is previewed and then confirmed."""

    basis: str
    switches: tuple[PeriodSwitch, ...]
    swaps: tuple[CouponSwap, ...]
    figures: Figures
    body: dict[str, Any]


def preview_switch(
    account: Account, *, direction: str, plan_ids: Sequence[str] | None, now: datetime
) -> PeriodPreview:
    """Return the plans and figures after a switch, with the switches that are scheduled already.

    `plan_ids` None means every plan that can switch. Raises InvalidInput, InvalidState, NoChange, BillingUnavailable.
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
) -> dict[str, Any]:
    """Switch plans as previewed; return the figures that were confirmed.

    A repeated request for the same plans finishes one that was done in part. Raises QuoteChanged,
    PaymentProcessingFailed (nothing was changed), and what `preview_switch` and a command raise.
    """
    if lifecycle.has_begun_command(account, key=key):
        return _perform_switch(account, None, direction=direction, key=key, actor=actor, now=now)
    earlier = _unfinished_switch(account, direction, plan_ids, quote)
    if earlier is not None:
        lifecycle.continue_command(earlier, KINDS[direction], now=now)
        return dict(earlier.shown)
    try:
        shown = preview_switch(account, direction=direction, plan_ids=plan_ids, now=now)
        _check_not_all_scheduled(shown, plan_ids)
    except NoChange:
        finished = bundle_coupons.finish_earlier_change(account, kind=direction, now=now)
        finished = finished or confirmed_figures(account, kind=direction, quote=quote)
        if finished is None:
            raise
        return finished
    check_quote(quote, shown.figures, shown.body)
    return _perform_switch(account, shown, direction=direction, key=key, actor=actor, now=now)


def _perform_switch(
    account: Account, shown: PeriodPreview | None, *, direction: str, key: str, actor: str, now: datetime
) -> dict[str, Any]:
    def plan() -> list[Step]:
        if shown is None:
            raise BillingUnavailable  # the key's command failed just now, before its first step
        check_basis(account, shown.basis)
        return _build_steps(shown)

    stored = {} if shown is None else {**shown.body, "existing_plans": []}
    command = lifecycle.execute_command(
        account, kind=KINDS[direction], key=key, actor=actor, now=now, plan=plan, shown=stored
    )
    figures: dict[str, Any] = command.shown
    return figures


def _unfinished_switch(
    account: Account, direction: str, plan_ids: Sequence[str] | None, quote: str | None
) -> Command | None:
    """Return the account's newest change if it is this switch, at this quote, done in part (docs/rules.md, rule 2)."""
    earlier = newest_partial_command(account, kind=direction)
    if earlier is None or plan_ids is None or set(earlier.shown["plan_ids"]) != set(plan_ids):
        return None
    return earlier if quote in (None, earlier.shown["quote"]) else None


def _check_not_all_scheduled(shown: PeriodPreview, plan_ids: Sequence[str] | None) -> None:
    scheduled = [switch for switch in shown.switches if switch.is_scheduled]
    if plan_ids is not None and scheduled:
        raise InvalidState
    if len(scheduled) == len(shown.switches):
        raise NoChange


def _new_switches(
    holdings: Sequence[Holding],
    direction: str,
    plan_ids: Sequence[str] | None,
    *,
    scheduled: Sequence[PeriodSwitch],
) -> list[PeriodSwitch]:
    """Return the switches to make, without those that are `scheduled` already."""
    possible = [switch for holding in holdings if (switch := _build_switch(holding, direction)) is not None]
    if plan_ids is None:
        return possible
    if not plan_ids or any(catalog.find_plan(plan_id) is None for plan_id in plan_ids):
        raise InvalidInput(fields={"planIds": ["Choose available plans."]})
    ids = set(plan_ids) - {switch.holding.plan.id for switch in scheduled}
    chosen = [switch for switch in possible if switch.holding.plan.id in ids]
    if len(chosen) < len(ids):
        raise InvalidState
    return chosen


def _build_switch(holding: Holding, direction: str) -> PeriodSwitch | None:
    """Return the switch of a plan; None if it cannot switch or has a scheduled change or pause."""
    before, _ = PERIODS_BY_DIRECTION[direction]
    subscription = holding.subscription
    is_busy = holding.has_scheduled_pause or subscription.has_scheduled_changes
    if subscription.period_unit != before or holding.status not in (ACTIVE, IN_TRIAL) or is_busy:
        return None
    target = holding.other_period_price
    if target is None:
        return None
    at_once = direction == UPGRADE or holding.status == IN_TRIAL
    return PeriodSwitch(
        holding=holding,
        price=target.provider_id,
        amount=target.cents("price"),
        at_once=at_once,
        coupons=_coupons_without_free_month(holding) if at_once else None,
    )


def _scheduled_switches(
    holdings: Sequence[Holding], direction: str, plan_ids: Sequence[str] | None
) -> list[PeriodSwitch]:
    """Return the switches that are scheduled already, of the named plans or of all plans."""
    after = PERIODS_BY_DIRECTION[direction][1]
    return [
        PeriodSwitch(holding, target.provider_id, target.cents("price"), at_once=False, is_scheduled=True)
        for holding in holdings
        if (target := holding.changing_to) is not None
        and target.text("period_unit") == after
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
    holdings: Sequence[Holding], chosen: Sequence[PeriodSwitch], direction: str, now: datetime
) -> PeriodPreview:
    switches = {switch.subscription_id: _estimate_switch(switch) for switch in chosen}
    members = [_member_after(member, switches) for member in bundles.bundle_members(holdings)]
    swaps = bundles.required_swaps(members, RateTable.load_current())
    forecast = BillForecast(members=members, swaps=swaps)
    ordered = [
        switches[holding.subscription.provider_id]
        for holding in holdings
        if holding.subscription.provider_id in switches
    ]
    new = [switch for switch in ordered if not switch.is_scheduled]
    figures = compute_figures(
        [_preview_line(holding, switches, forecast, direction) for holding in holdings],
        default_period=PERIODS_BY_DIRECTION[direction][1],
        due_now=sum(_amount_due_now(switch) for switch in new),
        credited=sum(switch.estimate.credits for switch in new if switch.estimate and switch.at_once),
        effective_at=_effective_at(ordered, now),
        at_once=any(switch.at_once for switch in ordered),
        about=[direction, *(switch.subscription_id for switch in new)],
    )
    return PeriodPreview(
        basis=compute_basis(holdings),
        switches=tuple(ordered),
        swaps=tuple(swaps),
        figures=figures,
        body=_preview_body(holdings, switches, figures, direction),
    )


def _estimate_switch(switch: PeriodSwitch) -> PeriodSwitch:
    if switch.is_scheduled:
        return switch
    estimate = estimates.estimate_change(
        switch.subscription_id, price=switch.price, coupons=switch.coupons, at_term_end=not switch.at_once
    )
    return replace(switch, estimate=estimate)


def _amount_due_now(switch: PeriodSwitch) -> int:
    return switch.estimate.now.amount_due if switch.estimate is not None and switch.at_once else 0


def _member_after(member: BundleMember, switches: Mapping[str, PeriodSwitch]) -> BundleMember:
    switch = switches.get(member.subscription_id)
    if switch is None or switch.is_scheduled:
        return member
    coupons = member.coupons if switch.coupons is None else switch.coupons
    if not switch.at_once:
        return replace(member, changing_to=switch.price)
    bills_at = switch.estimate.next_billing_at if switch.estimate else member.bills_at
    return replace(member, coupons=coupons, bills_at=bills_at or member.bills_at)


def _preview_line(
    holding: Holding, switches: Mapping[str, PeriodSwitch], forecast: BillForecast, direction: str
) -> PlanLine:
    """Return the line of a plan after the switches."""
    switch = switches.get(holding.subscription.provider_id)
    if switch is None:
        return forecast.forecast_line(holding, bills=holding.will_bill)
    coupons = forecast.coupons_after(switch.subscription_id)
    estimate = switch.estimate
    if estimate is None or coupons is not None:
        estimate = estimates.estimate_change(
            switch.subscription_id,
            price=switch.price,
            coupons=coupons if coupons is not None else switch.coupons,
            at_term_end=not switch.at_once,
        )
    return PlanLine(period_unit=PERIODS_BY_DIRECTION[direction][1], bill=estimate.renewal or estimate.now)


def _effective_at(switches: Sequence[PeriodSwitch], now: datetime) -> datetime | None:
    """Return now if any plan switches at once, else the end of the first term (UTC)."""
    if any(switch.at_once for switch in switches):
        return now
    ends = [switch.holding.subscription.current_term_end for switch in switches]
    return min((end for end in ends if end is not None), default=None)


def _preview_body(
    holdings: Sequence[Holding], switches: Mapping[str, PeriodSwitch], figures: Figures, direction: str
) -> dict[str, Any]:
    return {
        "existing_plans": [_plan_after(holding, switches, direction) for holding in holdings],
        **money_fields(figures),
        "credits": figures.credits,
        "annual_savings": sum(_annual_savings(switch, direction) for switch in switches.values()),
        "effective_at": format_iso_utc(figures.effective_at),
        "is_immediate": all(switch.at_once for switch in switches.values()),
        "plan_ids": [holding.plan.id for holding in holdings if holding.subscription.provider_id in switches],
        "removes_free_month": any(
            switch.at_once and switch.holding.has_waiting_discount("free_month")
            for switch in switches.values()
        ),
    }


def _plan_after(holding: Holding, switches: Mapping[str, PeriodSwitch], direction: str) -> dict[str, Any]:
    plan = held_plan(holding)
    switch = switches.get(holding.subscription.provider_id)
    if switch is None:
        return plan
    after = PERIODS_BY_DIRECTION[direction][1]
    bills_at = switch.estimate.next_billing_at if switch.estimate and switch.at_once else None
    at = format_iso_utc(holding.subscription.current_term_end)
    return {
        **plan,
        "amount": switch.amount,
        "periodUnit": after,
        "billingPeriod": after.upper(),
        "scheduledPlan": None if switch.at_once else {"periodUnit": after, "amount": switch.amount, "at": at},
        "nextBillingAt": format_iso_utc(bills_at) or plan["nextBillingAt"],
        "hasScheduledChange": not switch.at_once,
        "hasFreeMonth": plan["hasFreeMonth"] and not switch.at_once,
    }


def _annual_savings(switch: PeriodSwitch, direction: str) -> int:
    """Return twelve monthly prices less the yearly price, each at the current bundle rate (docs/rules.md, rule 4)."""
    bundle = [discount for discount in switch.holding.discounts if discount.kind == "bundle"]
    before = switch.holding.subscription.amount
    monthly, yearly = (before, switch.amount) if direction == UPGRADE else (switch.amount, before)
    return MONTHS_PER_YEAR * discounted_price(monthly, bundle).total - discounted_price(yearly, bundle).total


def _build_steps(shown: PeriodPreview) -> list[Step]:
    # Steps that charge come first: if the payment is declined, nothing has been changed.
    new = [switch for switch in shown.switches if not switch.is_scheduled]
    new.sort(key=lambda switch: _amount_due_now(switch) == 0)
    return [*(_build_step(switch) for switch in new), *bundle_coupons.steps_to_swap(shown.swaps)]


def _build_step(switch: PeriodSwitch) -> Step:
    if not switch.at_once:
        return subscription_step(StepOperation.CHANGE_AT_TERM_END, switch.subscription_id, price=switch.price)
    coupons = None if switch.coupons is None else list(switch.coupons)
    return subscription_step(
        StepOperation.CHANGE_NOW, switch.subscription_id, price=switch.price, coupons=coupons
    )


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
