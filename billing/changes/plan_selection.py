"""Add and remove services: the subscriber selects the whole set of plans (docs/rules.md, rule 5)."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from accounts.models import Account
from billing.changes.cancellation import continuing_holdings, lost_perks
from billing.changes.discounts import bundle_coupons
from billing.changes.plan_change import main_steps
from billing.changes.preview import (
    BillForecast,
    PlanLine,
    check_can_pay,
    compute_figures,
    done_figures,
    translate_estimate_errors,
)
from billing.changes.targets import (
    CANCEL_OPERATIONS,
    SET_ASIDE_OPERATIONS,
    CanceledSubscription,
    KeptSubscription,
    RestorableChanges,
    Target,
    are_ended_alike,
    members_after,
    plans_after,
    restorable_changes,
    targets_by_id,
    term_end,
)
from billing.commands.command_kind import CommandKind
from billing.commands.confirmation import Change, NoChange, Preview, compute_basis, confirm_change
from billing.errors import InvalidState
from billing.gateway import estimates
from billing.gateway.estimates import Bill, ChangeEstimate
from billing.mirror.next_bills import bill_before_balances
from billing.models import Command, Customer, ItemPrice, Plan, Subscription
from billing.models.steps import Step, StepOperation, subscription_step
from billing.queries import bundles
from billing.queries.bundles import BundleMember, RateTable
from billing.queries.commands import subscriptions_with_step
from billing.queries.documents import account_totals, terms_of_additions
from billing.queries.next_bills import BilledPlan, Payer
from billing.queries.payments.past_due import owing_subscription_ids
from billing.queries.subscriptions.holdings import ACTIVE, NON_RENEWING, Holding, holdings_of
from billing.queries.subscriptions.ownership import live_holdings
from billing.queries.subscriptions.plans import PlanRow, plans_to_add, prices_at_terms
from billing.receipts.charges import command_charges
from billing.receipts.delivery import ActivityReceipt
from billing.receipts.texts import cancellation
from billing.receipts.texts import plans as plan_texts
from billing.terms import BillingTerms
from core.errors import InvalidInput

NOT_FOR_SALE = "This plan isn't for sale."
OTHER_PERIOD = "New services are billed with the ones you have."


@dataclass(frozen=True)
class SelectionDiff:
    """A selection compared with the subscriptions: plans to start, cancellations to remove, subscriptions to cancel."""

    added: tuple[Plan, ...]
    kept_again: tuple[KeptSubscription, ...]
    removed: tuple[CanceledSubscription, ...]

    @property
    def targets(self) -> tuple[Target, ...]:
        """What the held subscriptions are to become."""
        return (*self.kept_again, *self.removed)

    @property
    def plan_ids(self) -> dict[str, list[str]]:
        """The plan ids by what becomes of the plans, as the response names them."""
        return {
            "added": [plan.id for plan in self.added],
            "removed": [target.holding.plan.id for target in self.removed],
            "kept_again": [target.holding.plan.id for target in self.kept_again],
        }


@dataclass(frozen=True)
class PlanAddition:
    """A plan to start: the id of its new subscription, its price, its first coupons, and its estimate.

    `next_bill` is the bill after the first period. It equals the first one, because the coupons of a start are bundle
    rates, which stay; only another size of the bundle, or a first bill for part of a period, makes it differ.
    """

    plan: Plan
    subscription_id: str
    price: ItemPrice
    coupons: tuple[str, ...]
    estimate: ChangeEstimate
    next_bill: Bill


def preview_selection(
    account: Account,
    *,
    plan_ids: Sequence[str],
    now: datetime,
    period_unit: str | None = None,
    must_pay: bool = False,
) -> Preview:
    """Return what selecting exactly these plans changes, and the figures.

    Added plans start at the account's terms; without a live plan, `period_unit` (`month` or `year`) may choose others.
    With `must_pay`, an addition requires a payment method; without it anybody may see the price. Raises InvalidInput,
    NoChange, InvalidState, PaymentMethodRequired, BillingUnavailable.
    """
    holdings = live_holdings(account)
    difference = _diff_selection(account, holdings, plan_ids)
    if not (difference.added or difference.targets):
        raise NoChange
    if must_pay and difference.added:
        check_can_pay(account)
    with translate_estimate_errors():
        return _build_preview(account, holdings, difference, period_unit, now)


def change_selection(
    account: Account,
    *,
    plan_ids: Sequence[str],
    quote: str | None,
    key: str,
    actor: str,
    now: datetime,
    period_unit: str | None = None,
    intents: Sequence[str] = (),
) -> dict[str, Any]:
    """Start and cancel services so that exactly these plans remain; return the figures and what was charged.

    `period_unit` is as in `preview_selection`. The charges are paid with `intents` if there are any (see
    `confirm_change`). Additions start at once, removals end with the term (a paused one at once). A repeated request
    finishes a change that was done in part. Raises QuoteChanged, PaymentProcessingFailed (nothing was changed), and
    what `preview_selection` and a command raise.
    """
    change = ChangeSelection(account, ADD_REMOVE_SERVICE, plan_ids, period_unit)
    return done_figures(confirm_change(change, quote=quote, key=key, actor=actor, now=now, intents=intents))


@dataclass(frozen=True)
class ChangeSelection(Change):
    """The selection of exactly these plans, and the billing period of those that start (None: the account's)."""

    plan_ids: Sequence[str]
    period_unit: str | None

    def needs_fresh_subscriptions(self) -> bool:
        """Return whether a plan starts, which customer service may have started meanwhile, or ends at once."""
        difference = _diff_selection(self.account, live_holdings(self.account), self.plan_ids)
        return bool(difference.added) or any(target.is_at_once for target in difference.removed)

    def preview(self, now: datetime) -> Preview:
        """Return what the selection changes. Raises as `preview_selection`."""
        return preview_selection(
            self.account, plan_ids=self.plan_ids, now=now, period_unit=self.period_unit, must_pay=True
        )

    def repeats(self, earlier: Command) -> bool:
        """Return whether exactly what an earlier command left is still to be changed.

        What it has done holds then, so both lead to the same plans.
        """
        left = [step for step in main_steps(earlier) if not step.has_ended]
        difference = _diff_selection(self.account, live_holdings(self.account), self.plan_ids)
        others = {step.subscription_id for step in left if step.operation != StepOperation.START_SUBSCRIPTION}
        return _prices_to_start(earlier) == self._added_prices(difference) and others == set(
            targets_by_id(difference.targets)
        )

    def can_finish(self, earlier: Command) -> bool:
        """Return whether what an earlier command left would be started and ended so now: it may have changed since."""
        difference = _diff_selection(self.account, live_holdings(self.account), self.plan_ids)
        starts = _prices_to_start(earlier)
        return starts <= self._added_prices(difference) and are_ended_alike(difference.removed, earlier)

    def _added_prices(self, difference: SelectionDiff) -> set[str]:
        """Return the provider's ids of the prices of the plans to start."""
        terms = _terms_of_additions(self.account, holdings_of(self.account), self.period_unit)
        prices = prices_at_terms((plan.id for plan in difference.added), terms)
        return {price.provider_id for price in prices.values()}

    def coupon_steps(self) -> list[Step]:
        """Return the swaps of bundle coupons that the account needs by the mirror."""
        return bundle_coupons.pending_steps(self.account)


def _prices_to_start(earlier: Command) -> set[str]:
    """Return the provider's ids of the prices of the plans that an earlier command has left to start."""
    left = (step for step in earlier.steps if not step.has_ended)
    return {step.arguments["price"] for step in left if step.operation == StepOperation.START_SUBSCRIPTION}


def _diff_selection(account: Account, holdings: Sequence[Holding], plan_ids: Sequence[str]) -> SelectionDiff:
    selected = _selected_plans(plan_ids)
    held_ids = {holding.plan.id for holding in holdings}
    services = {holding.plan.service for holding in holdings}
    added = tuple(plan for plan in selected if plan.id not in held_ids)
    if any(plan.service in services for plan in added):
        # Another plan of the service is live: an account has at most one live plan per service.
        raise InvalidState
    if any(not plan.on_sale for plan in added):
        raise InvalidInput(fields={"planIds": [NOT_FOR_SALE]})
    selected_ids = {plan.id for plan in selected}
    changeable = [holding for holding in holdings if holding.is_changeable]
    ending = [holding for holding in changeable if holding.status == NON_RENEWING]
    return SelectionDiff(
        added=added,
        kept_again=tuple(_keep_again(account, holding) for holding in ending if holding.plan.id in selected_ids),
        removed=tuple(
            CanceledSubscription(holding)
            for holding in changeable
            if holding.plan.id not in selected_ids and holding not in ending
        ),
    )


def _keep_again(account: Account, holding: Holding) -> KeptSubscription:
    """Return a plan that is wanted again, with the end that customer service has agreed on, if it had one."""
    bills_left = restorable_changes(account, holding).bills_left
    return KeptSubscription(holding, RestorableChanges(bills_left=bills_left))


def _selected_plans(plan_ids: Sequence[str]) -> list[Plan]:
    plans = sorted(Plan.objects.filter(pk__in=plan_ids), key=lambda plan: plan.sort_key)
    if not plans or len(plans) < len(set(plan_ids)):
        raise InvalidInput(fields={"planIds": ["Choose at least one available plan."]})
    if len({plan.service for plan in plans}) < len(plans):
        raise InvalidInput(fields={"planIds": ["Choose one plan for each service."]})
    return plans


def _terms_of_additions(account: Account, holdings: Sequence[Holding], period_unit: str | None) -> BillingTerms:
    """Return the terms of added plans: the account's, or without a live plan those of the chosen period.

    Raises InvalidInput if a live plan sets another period.
    """
    terms = terms_of_additions(account, holdings)
    if period_unit in (None, terms.period_unit):
        return terms
    if any(holding.is_changeable and not holding.is_cancelled for holding in holdings):
        raise InvalidInput(fields={"periodUnit": [OTHER_PERIOD]})
    return terms.other_period


def _build_preview(
    account: Account,
    holdings: Sequence[Holding],
    difference: SelectionDiff,
    period_unit: str | None,
    now: datetime,
) -> Preview:
    rates = RateTable.load_current()
    members = members_after(holdings, difference.targets)
    every_holding = holdings_of(account)
    terms = _terms_of_additions(account, every_holding, period_unit)
    additions = _build_additions(account, difference.added, members, rates, terms, now)
    all_members = [*members, *(_addition_member(addition) for addition in additions)]
    swaps = bundles.required_swaps(all_members, rates)
    # Who starts for the first time, or again, has no holding that tells the payer.
    payer = Payer.of_customer(Customer.objects.get(account=account))
    forecast = BillForecast.of_holdings(holdings, payer, members=all_members, swaps=swaps, now=now)
    additions = [_with_next_bill(account, addition, forecast) for addition in additions]
    effective_at = _effective_at(difference, now)
    figures = compute_figures(
        _preview_lines(holdings, difference, additions, forecast, terms),
        default_terms=account_totals(account, every_holding)[0].terms,
        forecast=forecast,
        charges={addition.subscription_id: addition.estimate for addition in additions},
        due_currency=terms.currency,
        effective_at=effective_at,
        at_once=effective_at == now,
        about=_change_marks(difference),
    )
    shown = {**figures, **difference.plan_ids}
    plans = _plans_after(holdings, difference, additions, terms)
    offered = plans_to_add({row.plan.service for row in plans}, terms=terms)
    return Preview(
        basis=compute_basis(holdings),
        body={**shown, "existing_plans": plans, "plans": offered},
        shown=shown,
        # Steps that charge come first: if the payment is declined, nothing has been changed.
        steps=[
            *(_start_step(account, addition) for addition in additions),
            *(step for target in difference.targets for step in target.steps()),
            *bundle_coupons.steps_to_swap(swaps),
        ],
    )


def _change_marks(difference: SelectionDiff) -> list[str]:
    kept = [f"={provider_id}" for provider_id in targets_by_id(difference.kept_again)]
    removed = [f"-{provider_id}" for provider_id in targets_by_id(difference.removed)]
    return [*(f"+{plan.id}" for plan in difference.added), *kept, *removed]


def _start_step(account: Account, addition: PlanAddition) -> Step:
    return subscription_step(
        StepOperation.START_SUBSCRIPTION,
        addition.subscription_id,
        customer_id=account.customer.provider_id,
        price=addition.price.provider_id,
        coupons=list(addition.coupons),
    )


def _build_additions(
    account: Account,
    plans: Sequence[Plan],
    members: Sequence[BundleMember],
    rates: RateTable,
    terms: BillingTerms,
    now: datetime,
) -> list[PlanAddition]:
    live = sum(member.is_live_after(now) for member in members)
    coupons = rates.coupon_for(live + len(plans))
    prices = prices_at_terms((plan.id for plan in plans), terms)
    if len(prices) < len(plans):
        raise InvalidInput(fields={"planIds": [NOT_FOR_SALE]})
    return [_build_addition(account, plan, coupons, prices[plan.id]) for plan in plans]


def _build_addition(account: Account, plan: Plan, coupons: tuple[str, ...], price: ItemPrice) -> PlanAddition:
    customer_id = account.customer.provider_id
    estimate = estimates.estimate_start(customer_id, price=price.provider_id, coupons=coupons)
    return PlanAddition(
        plan=plan,
        subscription_id=uuid.uuid4().hex,
        price=price,
        coupons=coupons,
        estimate=estimate,
        next_bill=estimate.now,
    )


def _with_next_bill(account: Account, addition: PlanAddition, forecast: BillForecast) -> PlanAddition:
    """Return an addition with its next bill: for a whole period, at the rate of its bundle by then.

    The provider estimates no bill after the first one, so that of a start at its date stands in for it.
    """
    coupons = forecast.coupons_after(addition.subscription_id)
    if coupons is None and addition.estimate.now.full_price == addition.price.cents("price"):
        return addition
    later = estimates.estimate_start(
        account.customer.provider_id,
        price=addition.price.provider_id,
        coupons=addition.coupons if coupons is None else coupons,
        starts_at=addition.estimate.next_billing_at,
    )
    return replace(addition, next_bill=replace(later.first_bill, ends_at=None))


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
    terms: BillingTerms,
) -> list[PlanLine]:
    """Return the lines of held and added plans, in catalog order."""
    kept, removed = targets_by_id(difference.kept_again), targets_by_id(difference.removed)
    held = []
    for holding in holdings:
        provider_id = holding.subscription.provider_id
        bills = provider_id in kept or (holding.will_bill and provider_id not in removed)
        held.append((holding.plan, forecast.forecast_line(holding, bills=bills, ends=provider_id in removed)))
    added = [
        (addition.plan, PlanLine(terms, addition.next_bill, _addition_billed(addition, forecast, terms)))
        for addition in additions
    ]
    in_order = sorted([*held, *added], key=lambda planned: planned[0].sort_key)
    return [line for _, line in in_order]


def _addition_billed(addition: PlanAddition, forecast: BillForecast, terms: BillingTerms) -> BilledPlan | None:
    """Return how an added plan bills after its first period."""
    member = next(row for row in forecast.members if row.subscription_id == addition.subscription_id)
    if member.bills_at is None:
        return None
    coupons = forecast.coupons_after(addition.subscription_id)
    return BilledPlan(
        plan=addition.plan,
        subscription_id="",
        at=member.bills_at,
        terms=terms,
        price_id=addition.price.provider_id,
        bill=bill_before_balances(addition.next_bill),
        coupon_rows=[{"coupon_id": coupon} for coupon in (addition.coupons if coupons is None else coupons)],
        anchor_day=forecast.now.day,
        member=member,
        full_price=addition.price.cents("price"),
    )


def _effective_at(difference: SelectionDiff, now: datetime) -> datetime | None:
    """Return now if a plan is added or kept, else the first end of a removed plan (UTC)."""
    if difference.added or difference.kept_again:
        return now
    removed = [target.holding for target in difference.removed]
    ends = [now if holding.ends_at_once else term_end(holding) for holding in removed]
    return min((end for end in ends if end is not None), default=None)


def _plans_after(
    holdings: Sequence[Holding], difference: SelectionDiff, additions: Sequence[PlanAddition], terms: BillingTerms
) -> list[PlanRow]:
    """Return the held and added plans after the change, in catalog order."""
    added = [
        PlanRow(addition.plan, price, terms, status=ACTIVE, amount_today=price)
        for addition in additions
        for price in [addition.price.cents("price")]
    ]
    after = [*plans_after(holdings, difference.targets), *added]
    return sorted(after, key=lambda row: row.plan.sort_key)


def _compose_receipt(command: Command, subscriptions: list[Subscription]) -> ActivityReceipt | None:
    started = subscriptions_with_step(command, subscriptions, StepOperation.START_SUBSCRIPTION)
    kept = subscriptions_with_step(command, subscriptions, StepOperation.KEEP)
    ended = subscriptions_with_step(command, subscriptions, *CANCEL_OPERATIONS)
    set_aside = subscriptions_with_step(command, subscriptions, *SET_ASIDE_OPERATIONS)
    if not (started or kept or ended):
        return (
            ActivityReceipt("scheduled_set_aside", cancellation.schedules_removed_receipt(set_aside))
            if set_aside
            else None
        )
    holdings = live_holdings(command.account)
    going_on = [holding.subscription for holding in continuing_holdings(holdings)]
    receipt = plan_texts.services_changed_receipt(
        started=started,
        kept=kept,
        ended=ended,
        # A plan that ends at once bills what waited for a bill.
        charges=command_charges(command, [*started, *ended]),
        # With the bundle, the next bills of the others have changed.
        going_on=[subscription for subscription in going_on if subscription not in [*started, *kept]],
        set_aside=set_aside,
        lost=lost_perks(holdings, ended),
        owing=owing_subscription_ids(command.account),
    )
    return ActivityReceipt("services_changed", receipt)


ADD_REMOVE_SERVICE = CommandKind("add_remove_service", compose_receipt=_compose_receipt)
