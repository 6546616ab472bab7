"""Switching between monthly and yearly (contract, rule 4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from accounts.models import Account
from billing import catalog
from billing.errors import BillingUnavailable, InvalidState
from billing.gateway import changes, estimates
from billing.gateway.estimates import ChangeEstimate
from billing.gateway.snapshots import SubscriptionSnapshot
from billing.models import Command, Subscription
from billing.queries.discounts import FREE_MONTH_COUPON, price
from billing.queries.holdings import ACTIVE, IN_TRIAL, Holding
from billing.queries.instants import iso
from billing.queries.owned import live_holdings
from billing.queries.plans import held_plan
from billing.queries.totals import MONTH, YEAR
from billing.services import alignment, bundles, changing, commands, operations, parts, plan_words
from billing.services.bundles import Member, Rates, Swap
from billing.services.changing import NoChange
from billing.services.charges import charged_by
from billing.services.figures import Figures, Line, asking, figures_of
from billing.services.outlook import Outlook
from billing.services.parts import Told
from portal.errors import InvalidInput

UPGRADE, DOWNGRADE = "upgrade", "downgrade"
CHANGE_NOW = "change_now"
CHANGE_AT_TERM_END = "change_at_term_end"
MONTHS_PER_YEAR = 12

# direction -> from which period, to which
PERIODS: Mapping[str, tuple[str, str]] = {UPGRADE: (MONTH, YEAR), DOWNGRADE: (YEAR, MONTH)}


@dataclass(frozen=True)
class Switch:
    """One plan that switches: its new price and amount, when, with which coupons (None: those it has), at what cost.

    `placed` says that it is scheduled already and only shown.
    """

    holding: Holding
    price: str
    amount: int
    at_once: bool
    placed: bool = False
    coupons: tuple[str, ...] | None = None
    estimate: ChangeEstimate | None = None

    @property
    def subscription_id(self) -> str:
        """The provider's id of the subscription."""
        return self.holding.subscription.provider_id


@dataclass(frozen=True)
class Preview:
    """A switch of periods as it is shown and then made."""

    basis: str
    switches: tuple[Switch, ...]
    swaps: tuple[Swap, ...]
    figures: Figures
    body: dict[str, Any]


def preview(account: Account, *, direction: str, plan_ids: Sequence[str] | None, now: datetime) -> Preview:
    """Return what switching leads to; a plan whose switch is scheduled already is shown as it will be.

    `plan_ids` None means every plan that can be switched. Raises InvalidInput, InvalidState, NoChange and
    BillingUnavailable.
    """
    holdings = live_holdings(account)
    placed = _placed(holdings, direction, plan_ids)
    chosen = _chosen(holdings, direction, plan_ids, besides=placed)
    if not chosen and not placed:
        raise NoChange
    with asking():
        return _estimated(holdings, [*chosen, *placed], direction, now)


def switch(
    account: Account,
    *,
    direction: str,
    plan_ids: Sequence[str] | None,
    quote: str | None,
    key: str,
    actor: str,
    now: datetime,
) -> dict[str, Any]:
    """Switch plans as previewed; return the figures that were shown.

    The same plans again, after a try that was done in part, finish that. Raises what `preview` raises, QuoteChanged,
    PaymentProcessingFailed (nothing was changed), what a command raises.
    """
    if commands.exists(account, key=key):
        return _perform(account, None, direction=direction, key=key, actor=actor, now=now)
    earlier = _left_undone(account, direction, plan_ids, quote)
    if earlier is not None:
        commands.take_up(earlier, now=now)
        return dict(earlier.shown)
    try:
        shown = preview(account, direction=direction, plan_ids=plan_ids, now=now)
        _check_something_is_left(shown, plan_ids)
    except NoChange:
        finished = alignment.finish(account, kind=direction, now=now)
        finished = finished or parts.confirmed_before(account, kind=direction, quote=quote)
        if finished is None:
            raise
        return finished
    changing.check_quote(quote, shown.figures, shown.body)
    return _perform(account, shown, direction=direction, key=key, actor=actor, now=now)


def _perform(
    account: Account, shown: Preview | None, *, direction: str, key: str, actor: str, now: datetime
) -> dict[str, Any]:
    def plan() -> list[dict[str, Any]]:
        if shown is None:
            raise BillingUnavailable  # what the key stood for has failed this very moment, before it was begun
        changing.check_basis(account, shown.basis)
        return _steps(shown)

    kept = {} if shown is None else {**shown.body, "existing_plans": []}
    command = commands.perform(account, kind=direction, key=key, actor=actor, now=now, plan=plan, shown=kept)
    figures: dict[str, Any] = command.shown
    return figures


def _left_undone(
    account: Account, direction: str, plan_ids: Sequence[str] | None, quote: str | None
) -> Command | None:
    """Return the account's newest switch if it was of these plans, at this quote, and done only in part (rule 2)."""
    earlier = commands.unfinished(account, kind=direction)
    if earlier is None or plan_ids is None or set(earlier.shown["plan_ids"]) != set(plan_ids):
        return None
    return earlier if quote in (None, earlier.shown["quote"]) else None


def _check_something_is_left(shown: Preview, plan_ids: Sequence[str] | None) -> None:
    placed = [one for one in shown.switches if one.placed]
    if plan_ids is not None and placed:
        raise InvalidState
    if len(placed) == len(shown.switches):
        raise NoChange


def _chosen(
    holdings: Sequence[Holding],
    direction: str,
    plan_ids: Sequence[str] | None,
    *,
    besides: Sequence[Switch],
) -> list[Switch]:
    """Return the switches to make, `besides` those that are scheduled already."""
    found = [switch for one in holdings if (switch := _switch(one, direction)) is not None]
    if plan_ids is None:
        return found
    if not plan_ids or any(catalog.find_plan(plan_id) is None for plan_id in plan_ids):
        raise InvalidInput(fields={"planIds": ["Name plans that there are."]})
    wanted = set(plan_ids) - {one.holding.plan.id for one in besides}
    named = [one for one in found if one.holding.plan.id in wanted]
    if len(named) < len(wanted):
        raise InvalidState
    return named


def _switch(holding: Holding, direction: str) -> Switch | None:
    """Return the switch of a plan; None where it is of that period, is not sold at it, or something is scheduled."""
    before, _ = PERIODS[direction]
    subscription = holding.subscription
    busy = holding.has_scheduled_pause or subscription.has_scheduled_changes
    if subscription.period_unit != before or holding.status not in (ACTIVE, IN_TRIAL) or busy:
        return None
    target = holding.other_period
    if target is None:
        return None
    at_once = direction == UPGRADE or holding.status == IN_TRIAL
    return Switch(
        holding=holding,
        price=target.provider_id,
        amount=target.cents("price"),
        at_once=at_once,
        coupons=_without_free_month(holding) if at_once else None,
    )


def _placed(holdings: Sequence[Holding], direction: str, plan_ids: Sequence[str] | None) -> list[Switch]:
    """Return the switches that are scheduled already, of the named plans or of all."""
    after = PERIODS[direction][1]
    return [
        Switch(one, target.provider_id, target.cents("price"), at_once=False, placed=True)
        for one in holdings
        if (target := one.changing_to) is not None
        and target.text("period_unit") == after
        and (plan_ids is None or one.plan.id in plan_ids)
    ]


def _without_free_month(holding: Holding) -> tuple[str, ...] | None:
    """An upgrade takes the free month that waits away (contract, rule 8); without one the coupons stay as they are."""
    if not holding.has_waiting("free_month"):
        return None
    rows = holding.subscription.coupons
    return tuple(
        str(row.get("coupon_code") or row["coupon_id"])
        for row in rows
        if row["coupon_id"] != FREE_MONTH_COUPON
    )


def _estimated(
    holdings: Sequence[Holding], chosen: Sequence[Switch], direction: str, now: datetime
) -> Preview:
    switches = {one.subscription_id: _asked(one) for one in chosen}
    members = [_member_after(member, switches) for member in bundles.members_of(holdings)]
    swaps = bundles.swaps(members, Rates.current())
    outlook = Outlook(members=members, swaps=swaps)
    ordered = [
        switches[one.subscription.provider_id] for one in holdings if one.subscription.provider_id in switches
    ]
    fresh = [one for one in ordered if not one.placed]
    figures = figures_of(
        [_line(one, switches, outlook, direction) for one in holdings],
        otherwise=PERIODS[direction][1],
        due_now=sum(_due_now(one) for one in fresh),
        given_back=sum(one.estimate.credits for one in fresh if one.estimate and one.at_once),
        effective_at=_effective_at(ordered, now),
        at_once=any(one.at_once for one in ordered),
        about=[direction, *(one.subscription_id for one in fresh)],
    )
    return Preview(
        basis=changing.basis_of(holdings),
        switches=tuple(ordered),
        swaps=tuple(swaps),
        figures=figures,
        body=_body(holdings, switches, figures, direction),
    )


def _asked(switch: Switch) -> Switch:
    if switch.placed:
        return switch
    estimate = estimates.of_change(
        switch.subscription_id, price=switch.price, coupons=switch.coupons, at_term_end=not switch.at_once
    )
    return replace(switch, estimate=estimate)


def _due_now(switch: Switch) -> int:
    return switch.estimate.now.amount_due if switch.estimate is not None and switch.at_once else 0


def _member_after(member: Member, switches: Mapping[str, Switch]) -> Member:
    switch = switches.get(member.subscription_id)
    if switch is None or switch.placed:
        return member
    coupons = member.coupons if switch.coupons is None else switch.coupons
    if not switch.at_once:
        return replace(member, changing_to=switch.price)
    bills_at = switch.estimate.next_billing_at if switch.estimate else member.bills_at
    return replace(member, coupons=coupons, bills_at=bills_at or member.bills_at)


def _line(holding: Holding, switches: Mapping[str, Switch], outlook: Outlook, direction: str) -> Line:
    """Return a plan's line as it will be; one that keeps its price is asked for as it is."""
    switch = switches.get(holding.subscription.provider_id)
    if switch is None:
        return outlook.line_of(holding, bills=holding.will_bill)
    coupons = outlook.coupons_of(switch.subscription_id)
    estimate = switch.estimate
    if estimate is None or coupons is not None:
        estimate = estimates.of_change(
            switch.subscription_id,
            price=switch.price,
            coupons=coupons if coupons is not None else switch.coupons,
            at_term_end=not switch.at_once,
        )
    return Line(period_unit=PERIODS[direction][1], bill=estimate.renewal or estimate.now)


def _effective_at(switches: Sequence[Switch], now: datetime) -> datetime | None:
    """At once if anything is; else when the first term ends."""
    if any(one.at_once for one in switches):
        return now
    ends = [one.holding.subscription.current_term_end for one in switches]
    return min((end for end in ends if end is not None), default=None)


def _body(
    holdings: Sequence[Holding], switches: Mapping[str, Switch], figures: Figures, direction: str
) -> dict[str, Any]:
    return {
        "existing_plans": [_plan_after(one, switches, direction) for one in holdings],
        **changing.money(figures),
        "credits": figures.credits,
        "annual_savings": sum(_saved_a_year(one, direction) for one in switches.values()),
        "effective_at": iso(figures.effective_at),
        "is_immediate": all(one.at_once for one in switches.values()),
        "plan_ids": [one.plan.id for one in holdings if one.subscription.provider_id in switches],
        "removes_free_month": any(
            one.at_once and one.holding.has_waiting("free_month") for one in switches.values()
        ),
    }


def _plan_after(holding: Holding, switches: Mapping[str, Switch], direction: str) -> dict[str, Any]:
    plan = held_plan(holding)
    switch = switches.get(holding.subscription.provider_id)
    if switch is None:
        return plan
    after = PERIODS[direction][1]
    bills_at = switch.estimate.next_billing_at if switch.estimate and switch.at_once else None
    at = iso(holding.subscription.current_term_end)
    return {
        **plan,
        "amount": switch.amount,
        "periodUnit": after,
        "billingPeriod": after.upper(),
        "scheduledPlan": None if switch.at_once else {"periodUnit": after, "amount": switch.amount, "at": at},
        "nextBillingAt": iso(bills_at) or plan["nextBillingAt"],
        "hasScheduledChange": not switch.at_once,
        "hasFreeMonth": plan["hasFreeMonth"] and not switch.at_once,
    }


def _saved_a_year(switch: Switch, direction: str) -> int:
    """Twelve monthly prices less the yearly one, each at the bundle rate in force (contract, rule 4)."""
    bundle = [one for one in switch.holding.discounts if one.kind == "bundle"]
    before = switch.holding.subscription.amount
    monthly, yearly = (before, switch.amount) if direction == UPGRADE else (switch.amount, before)
    return MONTHS_PER_YEAR * price(monthly, bundle).total - price(yearly, bundle).total


def _steps(shown: Preview) -> list[dict[str, Any]]:
    # What may be refused for want of money comes first: nothing is changed then, where one is charged and others not.
    fresh = sorted((one for one in shown.switches if not one.placed), key=lambda one: _due_now(one) == 0)
    return [*(_step(one) for one in fresh), *alignment.steps_of(shown.swaps)]


def _step(switch: Switch) -> dict[str, Any]:
    if not switch.at_once:
        return operations.step(CHANGE_AT_TERM_END, switch.subscription_id, price=switch.price)
    coupons = None if switch.coupons is None else list(switch.coupons)
    return operations.step(CHANGE_NOW, switch.subscription_id, price=switch.price, coupons=coupons)


def _told(command: Command, subscriptions: list[Subscription]) -> Told | None:
    scheduled = parts.concerned(command, subscriptions, CHANGE_AT_TERM_END)
    changing = [one for one in scheduled if one.has_scheduled_changes]
    # The term of one that was long in doubt may have ended since.
    changed = [*parts.concerned(command, subscriptions, CHANGE_NOW), *(set(scheduled) - set(changing))]
    if not (changed or changing):
        return None
    receipt = plan_words.periods_switched(
        changed=changed,
        changing=changing,
        period_unit=PERIODS[command.kind][1],
        charges=charged_by(command, changed),
    )
    return Told(command.kind, receipt)


def _has_price(found: SubscriptionSnapshot, *, price: str, **_: Any) -> bool:
    return found.item_price_id == price


operations.register_operation(CHANGE_NOW, operations.Operation(send=changes.change_now, holds=_has_price))
operations.register_operation(
    CHANGE_AT_TERM_END,
    operations.Operation(send=changes.change_at_term_end, holds=operations.has_or_will_have_price),
)
parts.register(UPGRADE, _told)
parts.register(DOWNGRADE, _told)
