"""Adding and removing services: the set of plans wanted from now on (contract, rule 5)."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from accounts.models import Account
from billing import catalog
from billing.catalog import Plan
from billing.errors import BillingUnavailable, InvalidState
from billing.gateway import changes, estimates
from billing.gateway.estimates import Bill, ChangeEstimate
from billing.gateway.snapshots import SubscriptionSnapshot
from billing.models import Command, Subscription
from billing.queries.documents import account_totals
from billing.queries.holdings import ACTIVE, IN_TRIAL, NON_RENEWING, Holding, holdings_of
from billing.queries.instants import iso
from billing.queries.owned import live_holdings
from billing.queries.plans import added_plan, held_plan, plans_to_add
from billing.services import (
    alignment,
    bundles,
    changing,
    commands,
    endings,
    leaving_words,
    operations,
    parts,
    plan_words,
)
from billing.services.bundles import Member, Rates, Swap
from billing.services.changing import NoChange
from billing.services.charges import charged_by
from billing.services.endings import CANCEL_AT_TERM_END, CANCEL_NOW, KEEP
from billing.services.figures import Figures, Line, asking, figures_of
from billing.services.outlook import Outlook
from billing.services.parts import Told
from portal.errors import InvalidInput

KIND = "add_remove_service"
START = "start"


@dataclass(frozen=True)
class Difference:
    """What is wanted and what is there: plans to start, endings to take back, subscriptions to end."""

    added: tuple[Plan, ...]
    kept_again: tuple[Holding, ...]
    removed: tuple[Holding, ...]


@dataclass(frozen=True)
class Addition:
    """A plan that will start: the id its subscription will have, its price, its first coupons, and what it costs."""

    plan: Plan
    subscription_id: str
    price: str
    coupons: tuple[str, ...]
    estimate: ChangeEstimate

    @property
    def next_bill(self) -> Bill:
        """What it costs after its first period."""
        return self.estimate.renewal or self.estimate.now


@dataclass(frozen=True)
class Preview:
    """A change of services as it is shown and then made."""

    basis: str
    difference: Difference
    additions: tuple[Addition, ...]
    swaps: tuple[Swap, ...]
    figures: Figures
    body: dict[str, Any]


def preview(account: Account, *, plan_ids: Sequence[str], now: datetime, to_be_paid: bool = False) -> Preview:
    """Return what wanting exactly these plans leads to: what starts, what ends, and the money.

    `to_be_paid` refuses what starts where nothing can pay for it; the price is shown to everybody. Raises InvalidInput,
    NoChange, InvalidState, PaymentMethodRequired and BillingUnavailable.
    """
    holdings = live_holdings(account)
    difference = _difference(holdings, plan_ids)
    if to_be_paid and difference.added:
        changing.check_can_pay(account)
    with asking():
        return _estimated(account, holdings, difference, now)


def change(
    account: Account, *, plan_ids: Sequence[str], quote: str | None, key: str, actor: str, now: datetime
) -> dict[str, Any]:
    """Start and end services so that exactly these plans are held; return the money that was shown and charged.

    Additions start at once, removals end at the term's end (a paused one at once). Where only the coupons of an
    earlier try are left to do, they are done. Raises what `preview` raises, QuoteChanged, PaymentProcessingFailed
    (nothing was changed) and what a command raises.
    """
    if commands.exists(account, key=key):
        return _perform(account, None, key=key, actor=actor, now=now)
    try:
        shown = preview(account, plan_ids=plan_ids, now=now, to_be_paid=True)
    except NoChange:
        finished = alignment.finish(account, kind=KIND, now=now)
        finished = finished or parts.confirmed_before(account, kind=KIND, quote=quote)
        if finished is None:
            raise
        return finished
    changing.check_quote(quote, shown.figures, shown.body)
    return _perform(account, shown, key=key, actor=actor, now=now)


def _perform(
    account: Account, shown: Preview | None, *, key: str, actor: str, now: datetime
) -> dict[str, Any]:
    def plan() -> list[dict[str, Any]]:
        if shown is None:
            raise BillingUnavailable  # what the key stood for has failed this very moment, before it was begun
        changing.check_basis(account, shown.basis)
        return _steps(account, shown)

    command = commands.perform(
        account, kind=KIND, key=key, actor=actor, now=now, plan=plan, shown=_kept(shown) if shown else {}
    )
    kept: dict[str, Any] = command.shown
    return kept


def _kept(shown: Preview) -> dict[str, Any]:
    return {
        name: shown.body[name]
        for name in ("due_now", "effective_at", "quote", "added", "removed", "kept_again")
    }


def _difference(holdings: Sequence[Holding], plan_ids: Sequence[str]) -> Difference:
    wanted = _wanted(plan_ids)
    held = {holding.plan.id: holding for holding in holdings}
    services = {holding.plan.service for holding in holdings}
    added = tuple(plan for plan in wanted if plan.id not in held)
    if any(plan.service in services for plan in added):
        # The service is held by another plan of it: one account has at most one live one per service.
        raise InvalidState
    if any(not plan.on_sale for plan in added):
        raise InvalidInput(fields={"planIds": ["This plan is not on sale."]})
    ids = {plan.id for plan in wanted}
    difference = Difference(
        added=added,
        kept_again=tuple(one for one in holdings if one.plan.id in ids and one.status == NON_RENEWING),
        removed=tuple(one for one in holdings if one.plan.id not in ids and one.status != NON_RENEWING),
    )
    if not (difference.added or difference.kept_again or difference.removed):
        raise NoChange
    return difference


def _wanted(plan_ids: Sequence[str]) -> list[Plan]:
    found = {plan_id: catalog.find_plan(plan_id) for plan_id in plan_ids}
    unknown = [plan_id for plan_id, plan in found.items() if plan is None]
    if unknown or not found:
        raise InvalidInput(fields={"planIds": ["Name at least one plan, and only plans that there are."]})
    plans = sorted(
        (plan for plan in found.values() if plan), key=lambda plan: catalog.catalogue_position(plan.id)
    )
    if len({plan.service for plan in plans}) < len(plans):
        raise InvalidInput(fields={"planIds": ["Name one plan of each service."]})
    return plans


def _estimated(
    account: Account, holdings: Sequence[Holding], difference: Difference, now: datetime
) -> Preview:
    rates = Rates.current()
    held = bundles.members_of(holdings)
    members = [after for one in held if (after := _member_after(one, difference)) is not None]
    period = account_totals(holdings_of(account))[0].period_unit
    additions = _additions(account, difference.added, members, rates, period, now)
    everyone = [*members, *(_member_of(addition) for addition in additions)]
    swaps = bundles.swaps(everyone, rates)
    outlook = Outlook(members=everyone, swaps=swaps)
    additions = [_billing_next(account, addition, outlook) for addition in additions]
    lines = _lines(holdings, difference, additions, outlook, period)
    effective_at = _effective_at(difference, now)
    figures = figures_of(
        lines,
        otherwise=period,
        due_now=sum(addition.estimate.now.amount_due for addition in additions),
        effective_at=effective_at,
        at_once=effective_at == now,
        about=[*(f"+{plan.id}" for plan in difference.added), *_names(difference)],
    )
    return Preview(
        basis=changing.basis_of(holdings),
        difference=difference,
        additions=tuple(additions),
        swaps=tuple(swaps),
        figures=figures,
        body=_body(holdings, difference, additions, figures, period),
    )


def _names(difference: Difference) -> list[str]:
    kept = [f"={one.subscription.provider_id}" for one in difference.kept_again]
    return kept + [f"-{one.subscription.provider_id}" for one in difference.removed]


def _member_after(member: Member, difference: Difference) -> Member | None:
    removed = next(
        (one for one in difference.removed if one.subscription.provider_id == member.subscription_id), None
    )
    kept = next(
        (one for one in difference.kept_again if one.subscription.provider_id == member.subscription_id), None
    )
    if removed is not None:
        return endings.ended(member, removed)
    if kept is not None:
        return endings.kept(member, kept)
    return member


def _additions(
    account: Account,
    plans: Sequence[Plan],
    members: Sequence[Member],
    rates: Rates,
    period: str,
    now: datetime,
) -> list[Addition]:
    live = sum(member.is_live_after(now) for member in members)
    coupons = rates.coupon_for(live + len(plans))
    return [_addition(account, plan, coupons, period) for plan in plans]


def _addition(account: Account, plan: Plan, coupons: tuple[str, ...], period: str) -> Addition:
    price = catalog.item_price_id(plan.id, period)
    return Addition(
        plan=plan,
        subscription_id=uuid.uuid4().hex,
        price=price,
        coupons=coupons,
        estimate=estimates.of_start(account.customer.provider_id, price=price, coupons=coupons),
    )


def _billing_next(account: Account, addition: Addition, outlook: Outlook) -> Addition:
    """Return an addition with its next bill at the rate of then, where its bundle will be smaller by then."""
    coupons = outlook.coupons_of(addition.subscription_id)
    if coupons is None:
        return addition
    then = estimates.of_start(account.customer.provider_id, price=addition.price, coupons=coupons)
    return replace(addition, estimate=replace(addition.estimate, renewal=then.renewal or then.now))


def _member_of(addition: Addition) -> Member:
    return Member(
        subscription_id=addition.subscription_id,
        bills_at=addition.estimate.next_billing_at,
        ends_at=None,
        coupons=addition.coupons,
    )


def _lines(
    holdings: Sequence[Holding],
    difference: Difference,
    additions: Sequence[Addition],
    outlook: Outlook,
    period: str,
) -> list[Line]:
    """Return the lines in catalogue order, kept and added ones together."""
    held = [(one.plan, outlook.line_of(one, bills=_will_bill(one, difference))) for one in holdings]
    added = [(one.plan, Line(period, one.next_bill)) for one in additions]
    return [line for _, line in sorted([*held, *added], key=_place)]


def _place(planned: tuple[Plan, Line]) -> int:
    return catalog.catalogue_position(planned[0].id)


def _will_bill(holding: Holding, difference: Difference) -> bool:
    return holding in difference.kept_again or (holding.will_bill and holding not in difference.removed)


def _effective_at(difference: Difference, now: datetime) -> datetime | None:
    """What is added or kept takes effect at once; where something only ends, the first end counts."""
    if difference.added or difference.kept_again:
        return now
    ends = [now if one.is_paused else endings.ends_at(one) for one in difference.removed]
    return min((end for end in ends if end is not None), default=None)


def _body(
    holdings: Sequence[Holding],
    difference: Difference,
    additions: Sequence[Addition],
    figures: Figures,
    period: str,
) -> dict[str, Any]:
    plans = [plan for one in holdings if (plan := _plan_after(one, difference)) is not None]
    plans += [added_plan(one.plan, amount=_full(one), period_unit=period) for one in additions]
    added = {one.plan.service for one in additions}
    left = [one for one in holdings if not (one in difference.removed and one.is_paused)]
    offered = plans_to_add(left, period_unit=figures.own.period_unit)
    return {
        "existing_plans": sorted(plans, key=lambda plan: catalog.catalogue_position(plan["id"])),
        "plans": [plan for plan in offered if plan["service"] not in added],
        **changing.money(figures),
        "effective_at": iso(figures.effective_at),
        "added": [plan.id for plan in difference.added],
        "removed": [one.plan.id for one in difference.removed],
        "kept_again": [one.plan.id for one in difference.kept_again],
    }


def _full(addition: Addition) -> int:
    return addition.next_bill.full


def _plan_after(holding: Holding, difference: Difference) -> dict[str, Any] | None:
    """Return a held plan as it will be; None for one that ends at once."""
    plan = held_plan(holding)
    if holding in difference.removed:
        if holding.is_paused:
            return None
        ending = {"status": NON_RENEWING, "cancelAt": iso(endings.ends_at(holding)), "nextBillingAt": None}
        unpaused = {"hasScheduledPause": False, "pauseDate": None, "resumeDate": None}
        return {**plan, **ending, **unpaused, "hasScheduledChange": False, "scheduledPlan": None}
    if holding in difference.kept_again:
        status = IN_TRIAL if holding.subscription.status == "in_trial" else ACTIVE
        return {**plan, "status": status, "cancelAt": None, "nextBillingAt": iso(endings.ends_at(holding))}
    return plan


def _steps(account: Account, shown: Preview) -> list[dict[str, Any]]:
    """Return what is asked of the provider: what may be refused for want of money first."""
    started = [
        operations.step(
            START,
            one.subscription_id,
            customer_id=account.customer.provider_id,
            price=one.price,
            coupons=list(one.coupons),
        )
        for one in shown.additions
    ]
    kept = [operations.step(KEEP, one.subscription.provider_id) for one in shown.difference.kept_again]
    ended = [step for one in shown.difference.removed for step in endings.steps_of(one)]
    return [*started, *kept, *ended, *alignment.steps_of(shown.swaps)]


def _told(command: Command, subscriptions: list[Subscription]) -> Told | None:
    started = parts.concerned(command, subscriptions, START)
    kept = parts.concerned(command, subscriptions, KEEP)
    ended = parts.concerned(command, subscriptions, CANCEL_AT_TERM_END, CANCEL_NOW)
    set_aside = parts.concerned(command, subscriptions, *endings.SETS_ASIDE)
    if not (started or kept or ended):
        return (
            Told("scheduled_set_aside", leaving_words.scheduled_set_aside(set_aside)) if set_aside else None
        )
    receipt = plan_words.services_changed(
        started=started, kept=kept, ended=ended, charges=charged_by(command, started)
    )
    return Told("services_changed", receipt)


def _is_live(found: SubscriptionSnapshot, **_: Any) -> bool:
    return found.status in ("active", "in_trial")


operations.register_operation(START, operations.Operation(send=changes.start, holds=_is_live))
parts.register(KIND, _told)
