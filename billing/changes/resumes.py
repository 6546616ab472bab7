"""Resume paused subscriptions at once (docs/rules.md, rules 1 and 3); `billing/jobs/resumes` has scheduled resumes."""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import chain
from typing import Any

from django.db.models import Q

from accounts.models import Account
from billing.changes.discounts import bundle_coupons
from billing.changes.plan_change import SubscriptionsChange, ids_left
from billing.changes.preview import translate_estimate_errors
from billing.commands import pages
from billing.commands.command_kind import CommandKind
from billing.commands.confirmation import Preview, compute_basis, confirm_change
from billing.commands.pages import PlannedCommand
from billing.commands.quotes import compute_quote
from billing.errors import BillingError, BillingPartial, QuoteChanged, SeveralCurrencies
from billing.gateway import estimates
from billing.gateway.estimates import ChangeEstimate
from billing.mirror.next_bills import amounts_due, bill_before_balances, estimate_bill
from billing.models import Command, Customer, PauseSchedule, Subscription
from billing.models.commands import SYSTEM_ACTOR
from billing.models.steps import Step, StepOperation, subscription_step
from billing.queries.bundles import bundle_members
from billing.queries.next_bills import (
    Balances,
    BilledPlan,
    NextBill,
    Payer,
    billed_plan,
    date_after_bill,
    known_bills,
    project_bills,
)
from billing.queries.subscriptions.holdings import Holding, shown_subscriptions_of
from billing.queries.subscriptions.ownership import chosen_holdings, live_holdings, named_subscriptions
from billing.receipts.charges import command_charges
from billing.receipts.delivery import ActivityReceipt
from billing.receipts.texts import pauses


class NothingToResume(BillingError):
    """A named subscription is not paused, or none is."""

    code = "nothing_to_resume"
    status = 409
    message = "There's no paused subscription to resume."


@dataclass(frozen=True)
class ResumeEstimate:
    """What resuming would charge (cents, tax included) and when (UTC), with the quote of the charges.

    `charges` are by the provider's id of the subscription, in the order in which they are made. `next_bills` are those
    of the resumed subscriptions that follow, in values of JSON; empty for a later resume.
    """

    resume_date: datetime
    amount_due: int
    charges: Mapping[str, int]
    currency_code: str
    quote: str
    next_bills: Sequence[Mapping[str, Any]] = ()


def resume_subscriptions(
    account: Account,
    *,
    subscription_ids: Sequence[str] | None,
    quote: str | None,
    key: str,
    actor: str,
    now: datetime,
    intents: Sequence[str] = (),
    reason: str = "",
) -> None:
    """Resume paused subscriptions at once; `subscription_ids` None means every one of the account.

    `intents` and `reason` are as in `confirm_change`. A repeated request for the same subscriptions finishes one that
    was done in part. Raises NotFound, NothingToResume, QuoteChanged, PaymentProcessingFailed (still paused) and what a
    command raises.
    """
    is_priced = quote is not None or bool(intents)
    change = ResumeSubscriptions(account, RESUME, subscription_ids, is_priced=is_priced)
    confirm_change(change, quote=quote, key=key, actor=actor, now=now, intents=intents, reason=reason)
    # The provider refuses changes of a paused subscription: its coupons are aligned now (docs/rules.md, rule 6).
    bundle_coupons.align_if_possible(account, now=now)


@dataclass(frozen=True)
class ScheduledResume:
    """A resume of a paused subscription, given by the provider's id, at its time; `key` is its idempotency key."""

    account: Account
    subscription_id: str
    key: str


def resume_page(
    page: Iterable[ScheduledResume], *, now: datetime, pool: Executor
) -> dict[ScheduledResume, Exception | None]:
    """Make resumes of different accounts together, as `resume_subscriptions` makes one for the system.

    The provider is asked from the threads of a pool. Return what each has ended with: None if it is done, else what
    `resume_subscriptions` would raise. What is missing has to be made by itself: there is more to it.
    """
    planned = {plan.key: plan for plan in page}
    accounts = [plan.account for plan in planned.values()]
    begun = Command.objects.filter(Q(key__in=planned) | Q(error_code=BillingPartial.code), kind=RESUME.name)
    special = set(begun.filter(account__in=accounts).values_list("account", flat=True))
    commands = pages.open_page(
        [
            PlannedCommand(plan.account, plan.key, subscription_step(StepOperation.RESUME, plan.subscription_id))
            for plan in planned.values()
            if plan.account.pk not in special
        ],
        RESUME,
        now=now,
        keep_valid=_keep_paused,
    )
    ended = pages.run_page(commands, RESUME, now=now, pool=pool)
    bundle_coupons.align_accounts(
        [command.account for command, error in ended.items() if error is None], now=now, pool=pool
    )
    return {planned[command.key]: error for command, error in ended.items()}


def estimate_resume(
    account: Account, *, subscription_ids: Sequence[str] | None, days: int | None, now: datetime
) -> ResumeEstimate:
    """Return when the subscriptions would resume and what that would charge.

    `days` None means now, else that many days after the pause date; with `days`, subscriptions that could be paused
    count too. Raises NotFound, NothingToResume, SeveralCurrencies, BillingUnavailable, InvalidState.
    """
    if days is None:
        return _build_estimate_now(account, _paused_subscriptions(account, subscription_ids), now)
    resumes = [
        (date + timedelta(days=days), holding)
        for holding in chosen_holdings(account, subscription_ids)
        if (date := _pause_date(holding)) is not None
    ]
    if not resumes:
        raise NothingToResume
    resumes.sort(key=lambda resume: resume[0])
    subscriptions = [holding.subscription for _, holding in resumes]
    _common_currency(subscriptions)
    charges = {
        holding.subscription.provider_id: _estimate_later_charge(holding, resume_at, now)
        for resume_at, holding in resumes
    }
    return _build_estimate(resumes[0][0], charges, subscriptions)


def count_overdue_resumes(*, now: datetime) -> int:
    """Return how many pauses are past their resume date and still in effect, including those whose resumes failed."""
    return PauseSchedule.objects.filter(state=PauseSchedule.State.PAUSED, resume_date__lte=now).count()


@dataclass(frozen=True)
class ResumeSubscriptions(SubscriptionsChange):
    """The resume of paused subscriptions; with no names, of all of the account.

    It is priced if there is a quote or an intent, which its charges must equal.
    """

    is_priced: bool

    def preview(self, now: datetime) -> Preview | None:
        """Return the charges of the resumes, if it is priced. Raises NothingToResume, BillingUnavailable."""
        if not self.is_priced:
            return None
        paused = _paused_subscriptions(self.account, self.subscription_ids)
        estimate = _build_estimate_now(self.account, paused, now)
        return Preview(
            basis=compute_basis(live_holdings(self.account)),
            body=vars(estimate),
            shown={
                "quote": estimate.quote,
                "charges": dict(estimate.charges),
                "due_now": estimate.amount_due,
                "due_currency": estimate.currency_code,
                "next_bills": list(estimate.next_bills),
            },
        )

    def plan_steps(self, command: Command, preview: Preview | None) -> list[Step]:
        """Return the steps. Raises NothingToResume."""
        return [
            subscription_step(StepOperation.RESUME, subscription.provider_id)
            for subscription in _paused_subscriptions(self.account, self.subscription_ids)
        ]

    def remaining_ids(self) -> set[str]:
        """Return the ids of the requested subscriptions that are paused."""
        subscriptions = _requested_subscriptions(self.account, self.subscription_ids)
        return {subscription.provider_id for subscription in subscriptions if subscription.status == "paused"}

    def confirmed_figures(self, earlier: Command, quote: str | None, now: datetime) -> Mapping[str, Any]:
        """Return the earlier figures, with the present charges of what is left. Raises QuoteChanged if those differ.

        The quote includes the subscriptions that the earlier command has resumed; they are not charged again.
        """
        shown: Mapping[str, Any] = earlier.shown
        if not self.is_priced:
            return shown
        left = named_subscriptions(self.account, sorted(ids_left(earlier)))
        estimate = _build_estimate_now(self.account, left, now)
        together = {**shown.get("charges", {}), **estimate.charges}
        current = compute_quote(together)
        if quote not in (None, current):
            raise QuoteChanged(extra=vars(replace(estimate, quote=current)))
        return {**shown, "charges": together}


def _estimate_now(subscriptions: Sequence[Subscription]) -> dict[str, ChangeEstimate]:
    """Return the estimate of resuming each subscription now. Raises SeveralCurrencies, BillingUnavailable."""
    _common_currency(subscriptions)
    with translate_estimate_errors():
        return {
            subscription.provider_id: estimates.estimate_resume(subscription.provider_id)
            for subscription in subscriptions
        }


def _paused_subscriptions(account: Account, subscription_ids: Sequence[str] | None) -> list[Subscription]:
    subscriptions = _requested_subscriptions(account, subscription_ids)
    paused = [subscription for subscription in subscriptions if subscription.status == "paused"]
    if not paused or (subscription_ids is not None and len(paused) < len(subscriptions)):
        raise NothingToResume
    return paused


def _requested_subscriptions(account: Account, subscription_ids: Sequence[str] | None) -> list[Subscription]:
    if subscription_ids is None:
        return shown_subscriptions_of(account)
    return named_subscriptions(account, subscription_ids)


def _keep_paused(commands: Sequence[Command]) -> list[Command]:
    """Return the commands whose subscription is still paused and their account's. One query."""
    ids = [command.steps[0].subscription_id for command in commands]
    paused = Subscription.objects.filter(provider_id__in=ids, status="paused", deleted=False)
    owners = dict(paused.values_list("provider_id", "customer__account"))
    return [command for command in commands if owners.get(command.steps[0].subscription_id) == command.account_id]


def _pause_date(holding: Holding) -> datetime | None:
    return holding.subscription.current_term_end if holding.can_be_paused else holding.pause_date


def _estimate_later_charge(holding: Holding, resume_at: datetime, now: datetime) -> ChangeEstimate:
    identifier = holding.subscription.provider_id
    with translate_estimate_errors():
        if not holding.is_paused:
            return ChangeEstimate(now=estimates.estimate_renewal(identifier))
        # A pause past its resume date would be resumed now.
        at = max(holding.resume_date or resume_at, now + timedelta(minutes=1))
        return estimates.estimate_resume(identifier, at=at)


def _common_currency(subscriptions: Sequence[Subscription]) -> str:
    """Return the currency of subscriptions whose charges are added. Raises SeveralCurrencies."""
    currency, *others = {subscription.terms.currency for subscription in subscriptions}
    if others:
        raise SeveralCurrencies
    return currency


def _build_estimate(
    resume_date: datetime, charges: Mapping[str, ChangeEstimate], subscriptions: Sequence[Subscription]
) -> ResumeEstimate:
    customer = Customer.objects.get(pk=subscriptions[0].customer_id)
    currency = _common_currency(subscriptions)
    due, _ = amounts_due(charges, Balances.of_customer(customer), currency=currency)
    # The quote leaves the dates out: it stays valid however long the subscriber reads it.
    return ResumeEstimate(
        resume_date=resume_date,
        amount_due=sum(due.values()),
        charges=due,
        currency_code=currency,
        quote=compute_quote(due),
    )


def _build_estimate_now(account: Account, paused: Sequence[Subscription], now: datetime) -> ResumeEstimate:
    charges = _estimate_now(paused)
    next_bills = [bill.as_json() for bill in _next_bills(account, charges, now)]
    return replace(_build_estimate(now, charges, paused), next_bills=next_bills)


def _next_bills(account: Account, charges: Mapping[str, ChangeEstimate], now: datetime) -> list[NextBill]:
    """Return the bills of subscriptions that follow their resume, by date.

    The other bills of the account are projected with them: what the customer has pays all of them in turn, and the
    provider estimates what the mirror does not know. Raises BillingUnavailable, InvalidState.
    """
    held = [
        _resume_holding(holding, charges.get(holding.subscription.provider_id)) for holding in live_holdings(account)
    ]
    payer = Payer.of_holdings(held)
    known = known_bills(held, payer)
    members = bundle_members(holding for holding in held if not holding.is_cancelled)
    plans = []
    for holding in held:
        estimate = charges.get(holding.subscription.provider_id)
        bill = known.get(holding.subscription.pk) if estimate is None else bill_before_balances(estimate.first_bill)
        if bill is None:
            with translate_estimate_errors():
                bill = estimate_bill(holding, now=now)
        plan = billed_plan(holding, bill, members)
        if plan is not None:
            is_charged = estimate is not None and estimate.renewal is None
            plans.append(replace(plan, at=now, anchor_day=now.day) if is_charged else plan)
    bills = project_bills(plans, members, payer, payer.balances)
    resumed = [plan for plan in plans if plan.subscription_id in charges]
    following = [_bills_after_charge(plan, bills, charges[plan.subscription_id], now) for plan in resumed]
    return sorted(chain.from_iterable(following), key=lambda bill: bill.date)


def _resume_holding(holding: Holding, estimate: ChangeEstimate | None) -> Holding:
    """Return a holding as it would be after its resume; as it is without an estimate of one."""
    if estimate is None or estimate.next_billing_at is None:
        return holding
    subscription = copy(holding.subscription)
    subscription.status = "active"
    subscription.payload = {
        **subscription.payload,
        "status": subscription.status,
        "pause_date": None,
        "next_billing_at": int(estimate.next_billing_at.timestamp()),
    }
    return replace(holding, subscription=subscription, schedule=None)


def _bills_after_charge(
    plan: BilledPlan, bills: Iterable[NextBill], estimate: ChangeEstimate, now: datetime
) -> list[NextBill]:
    """Return a plan's bills without the charge of its resume; the next one has the date that the provider tells.

    A bill like the one before it is not among `bills`: then the next one is like the charge.
    """
    first, *later = [bill for bill in bills if bill.subscription_id == plan.subscription_id]
    if estimate.next_billing_at is None:
        return []
    if first.date > now:
        return [first, *later]
    differs_from_charge = bool(later) and later[0].date == date_after_bill(plan)
    upcoming = later.pop(0) if differs_from_charge else first
    return [replace(upcoming, date=estimate.next_billing_at, follows=False), *later]


def _compose_receipt(command: Command, subscriptions: list[Subscription]) -> ActivityReceipt:
    receipt = pauses.resume_receipt(subscriptions, command_charges(command, subscriptions))
    return ActivityReceipt("resumed", receipt, is_joint=command.actor == SYSTEM_ACTOR)


RESUME = CommandKind("resume", compose_receipt=_compose_receipt)
