"""Add and remove services: the subscriber selects the whole set of plans (docs/rules.md, rule 5)."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from accounts.models import Account
from billing import catalog
from billing.catalog import Plan
from billing.changes import bundle_coupons, cancellation_steps
from billing.changes.cancellation import CANCEL_OPERATIONS
from billing.changes.preview import (
    BillForecast,
    Figures,
    NoChange,
    PlanLine,
    check_basis,
    check_can_pay,
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
from billing.gateway.estimates import Bill, ChangeEstimate
from billing.models import Command, Subscription
from billing.models.steps import Step, StepOperation, subscription_step
from billing.queries import bundles
from billing.queries.bundles import BundleMember, CouponSwap, RateTable
from billing.queries.commands import confirmed_figures, subscriptions_with_step
from billing.queries.documents import account_totals
from billing.queries.holdings import ACTIVE, IN_TRIAL, NON_RENEWING, Holding, holdings_of
from billing.queries.ownership import live_holdings
from billing.queries.plans import added_plan, held_plan, plans_to_add
from billing.queries.time_format import format_iso_utc
from billing.receipts.charges import command_charges
from billing.receipts.partial_receipts import ActivityReceipt
from billing.receipts.texts import cancellation
from billing.receipts.texts import plans as plan_texts
from core.errors import InvalidInput


@dataclass(frozen=True)
class SelectionDiff:
    """A selection compared with the subscriptions: plans to start, cancellations to remove, subscriptions to cancel."""

    added: tuple[Plan, ...]
    kept_again: tuple[Holding, ...]
    removed: tuple[Holding, ...]


@dataclass(frozen=True)
class PlanAddition:
    """A plan to start: the id of its new subscription, its price, its first coupons, and its estimate."""

    plan: Plan
    subscription_id: str
    price: str
    coupons: tuple[str, ...]
    estimate: ChangeEstimate

    @property
    def next_bill(self) -> Bill:
        """The bill after the first period."""
        return self.estimate.renewal or self.estimate.now


@dataclass(frozen=True)
class SelectionPreview:
    """A change of services, as it is previewed and then confirmed."""

    basis: str
    difference: SelectionDiff
    additions: tuple[PlanAddition, ...]
    swaps: tuple[CouponSwap, ...]
    figures: Figures
    body: dict[str, Any]


def preview_selection(
    account: Account, *, plan_ids: Sequence[str], now: datetime, must_pay: bool = False
) -> SelectionPreview:
    """Return what selecting exactly these plans changes, and the figures.

    With `must_pay`, an addition requires a payment method; without it anybody may see the price. Raises InvalidInput,
    NoChange, InvalidState, PaymentMethodRequired, BillingUnavailable.
    """
    holdings = live_holdings(account)
    difference = _diff_selection(holdings, plan_ids)
    if must_pay and difference.added:
        check_can_pay(account)
    with translate_estimate_errors():
        return _build_preview(account, holdings, difference, now)


def change_selection(
    account: Account, *, plan_ids: Sequence[str], quote: str | None, key: str, actor: str, now: datetime
) -> dict[str, Any]:
    """Start and cancel services so that exactly these plans remain; return the confirmed figures.

    Additions start at once, removals end with the term (a paused one at once). If an earlier request left only the
    bundle coupons undone, they are aligned. Raises QuoteChanged, PaymentProcessingFailed (nothing was changed), and
    what `preview_selection` and a command raise.
    """
    if lifecycle.has_begun_command(account, key=key):
        return _perform_change(account, None, key=key, actor=actor, now=now)
    try:
        shown = preview_selection(account, plan_ids=plan_ids, now=now, must_pay=True)
    except NoChange:
        finished = bundle_coupons.finish_earlier_change(account, kind=ADD_REMOVE_SERVICE.name, now=now)
        finished = finished or confirmed_figures(account, kind=ADD_REMOVE_SERVICE.name, quote=quote)
        if finished is None:
            raise
        return finished
    check_quote(quote, shown.figures, shown.body)
    return _perform_change(account, shown, key=key, actor=actor, now=now)


def _perform_change(
    account: Account, shown: SelectionPreview | None, *, key: str, actor: str, now: datetime
) -> dict[str, Any]:
    def plan() -> list[Step]:
        if shown is None:
            raise BillingUnavailable  # the key's command failed just now, before its first step
        check_basis(account, shown.basis)
        return _build_steps(account, shown)

    command = lifecycle.execute_command(
        account,
        kind=ADD_REMOVE_SERVICE,
        key=key,
        actor=actor,
        now=now,
        plan=plan,
        shown=_stored_fields(shown) if shown else {},
    )
    figures: dict[str, Any] = command.shown
    return figures


def _stored_fields(shown: SelectionPreview) -> dict[str, Any]:
    return {
        name: shown.body[name]
        for name in ("due_now", "effective_at", "quote", "added", "removed", "kept_again")
    }


def _diff_selection(holdings: Sequence[Holding], plan_ids: Sequence[str]) -> SelectionDiff:
    selected = _selected_plans(plan_ids)
    held_ids = {holding.plan.id for holding in holdings}
    services = {holding.plan.service for holding in holdings}
    added = tuple(plan for plan in selected if plan.id not in held_ids)
    if any(plan.service in services for plan in added):
        # Another plan of the service is live: an account has at most one live plan per service.
        raise InvalidState
    if any(not plan.on_sale for plan in added):
        raise InvalidInput(fields={"planIds": ["This plan isn't for sale."]})
    selected_ids = {plan.id for plan in selected}
    difference = SelectionDiff(
        added=added,
        kept_again=tuple(
            holding
            for holding in holdings
            if holding.plan.id in selected_ids and holding.status == NON_RENEWING
        ),
        removed=tuple(
            holding
            for holding in holdings
            if holding.plan.id not in selected_ids and holding.status != NON_RENEWING
        ),
    )
    if not (difference.added or difference.kept_again or difference.removed):
        raise NoChange
    return difference


def _selected_plans(plan_ids: Sequence[str]) -> list[Plan]:
    plans_by_id = {plan_id: catalog.find_plan(plan_id) for plan_id in plan_ids}
    unknown = [plan_id for plan_id, plan in plans_by_id.items() if plan is None]
    if unknown or not plans_by_id:
        raise InvalidInput(fields={"planIds": ["Choose at least one available plan."]})
    plans = sorted(
        (plan for plan in plans_by_id.values() if plan), key=lambda plan: catalog.catalog_position(plan.id)
    )
    if len({plan.service for plan in plans}) < len(plans):
        raise InvalidInput(fields={"planIds": ["Choose one plan for each service."]})
    return plans


def _build_preview(
    account: Account, holdings: Sequence[Holding], difference: SelectionDiff, now: datetime
) -> SelectionPreview:
    rates = RateTable.load_current()
    members = [
        after
        for member in bundles.bundle_members(holdings)
        if (after := _member_after(member, difference)) is not None
    ]
    period = account_totals(holdings_of(account))[0].period_unit
    additions = _build_additions(account, difference.added, members, rates, period, now)
    all_members = [*members, *(_addition_member(addition) for addition in additions)]
    swaps = bundles.required_swaps(all_members, rates)
    forecast = BillForecast(members=all_members, swaps=swaps)
    additions = [_with_next_bill(account, addition, forecast) for addition in additions]
    lines = _preview_lines(holdings, difference, additions, forecast, period)
    effective_at = _effective_at(difference, now)
    figures = compute_figures(
        lines,
        default_period=period,
        due_now=sum(addition.estimate.now.amount_due for addition in additions),
        effective_at=effective_at,
        at_once=effective_at == now,
        about=[*(f"+{plan.id}" for plan in difference.added), *_subscription_marks(difference)],
    )
    return SelectionPreview(
        basis=compute_basis(holdings),
        difference=difference,
        additions=tuple(additions),
        swaps=tuple(swaps),
        figures=figures,
        body=_preview_body(holdings, difference, additions, figures, period),
    )


def _subscription_marks(difference: SelectionDiff) -> list[str]:
    kept = [f"={holding.subscription.provider_id}" for holding in difference.kept_again]
    return kept + [f"-{holding.subscription.provider_id}" for holding in difference.removed]


def _member_after(member: BundleMember, difference: SelectionDiff) -> BundleMember | None:
    for holding in difference.removed:
        if holding.subscription.provider_id == member.subscription_id:
            return cancellation_steps.member_when_canceled(member, holding)
    for holding in difference.kept_again:
        if holding.subscription.provider_id == member.subscription_id:
            return cancellation_steps.member_when_kept(member, holding)
    return member


def _build_additions(
    account: Account,
    plans: Sequence[Plan],
    members: Sequence[BundleMember],
    rates: RateTable,
    period: str,
    now: datetime,
) -> list[PlanAddition]:
    live = sum(member.is_live_after(now) for member in members)
    coupons = rates.coupon_for(live + len(plans))
    return [_build_addition(account, plan, coupons, period) for plan in plans]


def _build_addition(account: Account, plan: Plan, coupons: tuple[str, ...], period: str) -> PlanAddition:
    price = catalog.build_item_price_id(plan.id, period)
    return PlanAddition(
        plan=plan,
        subscription_id=uuid.uuid4().hex,
        price=price,
        coupons=coupons,
        estimate=estimates.estimate_start(account.customer.provider_id, price=price, coupons=coupons),
    )


def _with_next_bill(account: Account, addition: PlanAddition, forecast: BillForecast) -> PlanAddition:
    """Return an addition with its next bill at the rate of its bundle by then, which may be smaller."""
    coupons = forecast.coupons_after(addition.subscription_id)
    if coupons is None:
        return addition
    later = estimates.estimate_start(account.customer.provider_id, price=addition.price, coupons=coupons)
    return replace(addition, estimate=replace(addition.estimate, renewal=later.renewal or later.now))


def _addition_member(addition: PlanAddition) -> BundleMember:
    return BundleMember(
        subscription_id=addition.subscription_id,
        bills_at=addition.estimate.next_billing_at,
        ends_at=None,
        coupons=addition.coupons,
    )


def _preview_lines(
    holdings: Sequence[Holding],
    difference: SelectionDiff,
    additions: Sequence[PlanAddition],
    forecast: BillForecast,
    period: str,
) -> list[PlanLine]:
    """Return the lines of held and added plans, in catalog order."""
    held = [
        (holding.plan, forecast.forecast_line(holding, bills=_will_bill(holding, difference)))
        for holding in holdings
    ]
    added = [(addition.plan, PlanLine(period, addition.next_bill)) for addition in additions]
    return [line for _, line in sorted([*held, *added], key=_catalog_position)]


def _catalog_position(planned: tuple[Plan, PlanLine]) -> int:
    return catalog.catalog_position(planned[0].id)


def _will_bill(holding: Holding, difference: SelectionDiff) -> bool:
    return holding in difference.kept_again or (holding.will_bill and holding not in difference.removed)


def _effective_at(difference: SelectionDiff, now: datetime) -> datetime | None:
    """Return now if a plan is added or kept, else the first end of a removed plan (UTC)."""
    if difference.added or difference.kept_again:
        return now
    ends = [
        now if holding.is_paused else cancellation_steps.term_end(holding) for holding in difference.removed
    ]
    return min((end for end in ends if end is not None), default=None)


def _preview_body(
    holdings: Sequence[Holding],
    difference: SelectionDiff,
    additions: Sequence[PlanAddition],
    figures: Figures,
    period: str,
) -> dict[str, Any]:
    plans = [plan for holding in holdings if (plan := _plan_after(holding, difference)) is not None]
    plans += [
        added_plan(addition.plan, amount=addition.next_bill.full_price, period_unit=period)
        for addition in additions
    ]
    added_services = {addition.plan.service for addition in additions}
    remaining = [holding for holding in holdings if not (holding in difference.removed and holding.is_paused)]
    offered = plans_to_add(remaining, period_unit=figures.own.period_unit)
    return {
        "existing_plans": sorted(plans, key=lambda plan: catalog.catalog_position(plan["id"])),
        "plans": [plan for plan in offered if plan["service"] not in added_services],
        **money_fields(figures),
        "effective_at": format_iso_utc(figures.effective_at),
        "added": [plan.id for plan in difference.added],
        "removed": [holding.plan.id for holding in difference.removed],
        "kept_again": [holding.plan.id for holding in difference.kept_again],
    }


def _plan_after(holding: Holding, difference: SelectionDiff) -> dict[str, Any] | None:
    """Return a held plan after the change; None if it ends at once."""
    plan = held_plan(holding)
    if holding in difference.removed:
        if holding.is_paused:
            return None
        ending = {
            "status": NON_RENEWING,
            "cancelAt": format_iso_utc(cancellation_steps.term_end(holding)),
            "nextBillingAt": None,
        }
        unpaused = {"hasScheduledPause": False, "pauseDate": None, "resumeDate": None}
        return {**plan, **ending, **unpaused, "hasScheduledChange": False, "scheduledPlan": None}
    if holding in difference.kept_again:
        status = IN_TRIAL if holding.subscription.status == "in_trial" else ACTIVE
        return {
            **plan,
            "status": status,
            "cancelAt": None,
            "nextBillingAt": format_iso_utc(cancellation_steps.term_end(holding)),
        }
    return plan


def _build_steps(account: Account, shown: SelectionPreview) -> list[Step]:
    """Return the steps, those that charge first: if the payment is declined, nothing has been changed."""
    started = [
        subscription_step(
            StepOperation.START_SUBSCRIPTION,
            addition.subscription_id,
            customer_id=account.customer.provider_id,
            price=addition.price,
            coupons=list(addition.coupons),
        )
        for addition in shown.additions
    ]
    kept = [
        subscription_step(StepOperation.KEEP, holding.subscription.provider_id)
        for holding in shown.difference.kept_again
    ]
    ended = [
        step for holding in shown.difference.removed for step in cancellation_steps.steps_to_cancel(holding)
    ]
    return [*started, *kept, *ended, *bundle_coupons.steps_to_swap(shown.swaps)]


def _compose_receipt(command: Command, subscriptions: list[Subscription]) -> ActivityReceipt | None:
    started = subscriptions_with_step(command, subscriptions, StepOperation.START_SUBSCRIPTION)
    kept = subscriptions_with_step(command, subscriptions, StepOperation.KEEP)
    ended = subscriptions_with_step(command, subscriptions, *CANCEL_OPERATIONS)
    set_aside = subscriptions_with_step(command, subscriptions, *cancellation_steps.SET_ASIDE_OPERATIONS)
    if not (started or kept or ended):
        return (
            ActivityReceipt("scheduled_set_aside", cancellation.schedules_removed_receipt(set_aside))
            if set_aside
            else None
        )
    receipt = plan_texts.services_changed_receipt(
        started=started, kept=kept, ended=ended, charges=command_charges(command, started)
    )
    return ActivityReceipt("services_changed", receipt)


ADD_REMOVE_SERVICE = CommandKind("add_remove_service", compose_receipt=_compose_receipt)
