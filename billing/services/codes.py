"""Redeeming a code: it goes to one subscription, the one where it saves most (contract, rule 9)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts.models import Account
from billing.errors import BillingError, BillingUnavailable, ChangeInProgress
from billing.gateway import coupons as gateway
from billing.gateway import estimates
from billing.gateway.coupons import FoundCode
from billing.gateway.errors import NotSent, Refused
from billing.gateway.estimates import Bill
from billing.models import CodeRedemption, Command, Subscription
from billing.queries.discounts import FREE_MONTH_COUPON, ITEM_LEVEL
from billing.queries.documents import account_totals
from billing.queries.holdings import ACTIVE, IN_TRIAL, Holding
from billing.queries.instants import iso
from billing.queries.owned import live_holdings
from billing.queries.plans import held_plan
from billing.services import (
    alignment,
    bundles,
    carrying_out,
    changing,
    commands,
    perk_words,
    receipts,
)
from billing.services.bundles import Swap
from billing.services.figures import asking, figures_of
from billing.services.outlook import Outlook
from portal.errors import InvalidInput

KIND = "redeem_code"
LONGEST_CODE = 30  # specification, section 5
# What an id at the provider is made of; a slash, for one, would ask for something else.
CODE = re.compile(r"[A-Za-z0-9_.\-]+")
# What is kept of a redemption, and not part of its answer.
INTERNAL = ("basis", "changing_to", "code", "figures")


class CouponNotFound(BillingError):
    """There is no such code, or it is not one that subscribers redeem."""

    code = "coupon_not_found"
    status = 404
    message = "We don't know this code. Please check it and try again."


class CouponExpired(BillingError):
    """The code was good once: it is expired, exhausted or spent."""

    code = "coupon_expired"
    status = 409
    message = "This code has expired or was already used."


class CouponAlreadyApplied(BillingError):
    """The account redeemed this code before."""

    code = "coupon_already_applied"
    status = 409
    message = "You have already used this code."


class CouponNotApplicable(BillingError):
    """The code does not go with anything the account has."""

    code = "coupon_not_applicable"
    status = 409
    message = "This code can't be used with the subscriptions you have."


class NoActiveSubscription(BillingError):
    """There is nothing that a code could take something off."""

    code = "no_active_subscription"
    status = 409
    message = "You need an active subscription to use a code."


@dataclass(frozen=True)
class Best:
    """The subscription that a code goes to, its next bill with it, and what the code takes off (cents)."""

    holding: Holding
    bill: Bill
    saved: int


def redeem(
    account: Account, *, code: str, quote: str | None, key: str, actor: str, now: datetime
) -> dict[str, Any]:
    """Put a code on the subscription where it saves most; return the figures from then on and `applied_to`.

    Raises InvalidInput, the errors of this module, QuoteChanged, BillingUnavailable and what a command raises.
    """
    if commands.exists(account, key=key):
        return _perform(account, None, key=key, actor=actor, now=now)
    found = _found(_checked(code))
    holdings = live_holdings(account)
    _check_unused(account, found, holdings)
    try:
        with_code = _best(found, holdings)
    except CouponNotApplicable:
        _check_not_redeemed_meanwhile(account, found.code)
        raise
    shown = _shown(found, with_code, holdings)
    changing.check_quote(quote, shown["figures"], _public(shown))
    return _perform(account, shown, key=key, actor=actor, now=now)


def _checked(code: str) -> str:
    text = code.strip()
    if not text or len(text) > LONGEST_CODE:
        raise InvalidInput(fields={"code": [f"A code has 1 to {LONGEST_CODE} characters."]})
    if not CODE.fullmatch(text):
        raise CouponNotFound
    return text


def _found(code: str) -> FoundCode:
    try:
        found = gateway.find(code)
    except Refused as error:
        raise CouponNotFound from error
    except NotSent as error:
        raise BillingUnavailable(retry_after=error.retry_after) from error
    coupon = found.coupon
    if coupon.payload.get("apply_on") == ITEM_LEVEL or coupon.id == FREE_MONTH_COUPON:
        raise CouponNotFound  # the portal's own
    return found


def _check_unused(account: Account, found: FoundCode, holdings: Sequence[Holding]) -> None:
    used = CodeRedemption.objects.filter(account=account, code=found.code).exists()
    carried = any(found.coupon.id == row["coupon_id"] for one in holdings for row in one.subscription.coupons)
    if used or carried:
        raise CouponAlreadyApplied
    if not found.usable:
        raise CouponExpired


def _check_not_redeemed_meanwhile(account: Account, code: str) -> None:
    """Tell a code that another tab redeems at this moment, which saves nothing more, from one that goes with nothing.

    Raises ChangeInProgress, CouponAlreadyApplied, CouponExpired.
    """
    if commands.is_open(account):
        raise ChangeInProgress(retry_after=1)
    _check_unused(account, _found(code), live_holdings(account))


def _best(found: FoundCode, holdings: Sequence[Holding]) -> Best:
    candidates = [one for one in holdings if one.status in (ACTIVE, IN_TRIAL)]
    if not candidates:
        raise NoActiveSubscription
    offers = [best for one in candidates if (best := _offer(found, one)) is not None and best.saved > 0]
    if not offers:
        raise CouponNotApplicable
    # `max` keeps the first of equals, and the holdings are in catalogue order.
    return max(offers, key=lambda best: best.saved)


def _offer(found: FoundCode, holding: Holding) -> Best | None:
    """Return what a code would do for one subscription; None where the provider does not take it there."""
    subscription = holding.subscription
    has = [str(row.get("coupon_code") or row["coupon_id"]) for row in subscription.coupons]
    try:
        without = estimates.of_renewal(subscription.provider_id)
        estimate = estimates.of_change(
            subscription.provider_id, price=subscription.item_price_id, coupons=[*has, found.code]
        )
    except NotSent as error:
        raise BillingUnavailable(retry_after=error.retry_after) from error
    except Refused:
        return None
    bill = estimate.renewal or estimate.now
    return Best(holding=holding, bill=bill, saved=without.total - bill.total)


def _shown(found: FoundCode, best: Best, holdings: Sequence[Holding]) -> dict[str, Any]:
    subscription = best.holding.subscription
    outlook = Outlook(
        members=bundles.members_of(holdings), swaps=(), bills={subscription.provider_id: best.bill}
    )
    with asking():
        lines = [outlook.line_of(one, bills=one.will_bill) for one in holdings]
    figures = figures_of(
        lines,
        otherwise=account_totals(holdings)[0].period_unit,
        due_now=0,
        effective_at=best.holding.next_billing_at,
        about=[found.code, subscription.provider_id],
    )
    plans = [held_plan(one) for one in holdings]
    return {
        "figures": figures,
        "basis": changing.basis_of(holdings),
        "code": found.code,
        "changing_to": subscription.text("scheduled_item_price_id"),
        "existing_plans": [
            {**plan, "hasUpcomingCoupon": True} if plan["subId"] == subscription.provider_id else plan
            for plan in plans
        ],
        **changing.money(figures),
        "credits": 0,
        "annual_savings": 0,
        "effective_at": iso(figures.effective_at),
        "is_immediate": False,
        "plan_ids": [best.holding.plan.id],
        "removes_free_month": False,
        "applied_to": subscription.provider_id,
    }


def _public(shown: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in shown.items() if name not in INTERNAL}


def _perform(
    account: Account, shown: dict[str, Any] | None, *, key: str, actor: str, now: datetime
) -> dict[str, Any]:
    def plan() -> list[dict[str, Any]]:
        if shown is None:
            raise BillingUnavailable  # what the key stood for has failed this very moment, before it was begun
        changing.check_basis(account, shown["basis"])
        swap = Swap(shown["applied_to"], add=(shown["code"],), remove=(), changing_to=shown["changing_to"])
        return alignment.steps_of([swap])

    kept = {} if shown is None else {**_public(shown), "code": shown["code"], "existing_plans": []}
    command = commands.perform(account, kind=KIND, key=key, actor=actor, now=now, plan=plan, shown=kept)
    return _public(command.shown)


def _finished(command: Command, subscriptions: list[Subscription], now: datetime) -> None:
    subscription, code = subscriptions[0], command.shown["code"]
    CodeRedemption.objects.get_or_create(
        account=command.account,
        code=code,
        defaults={"subscription_id": subscription.provider_id, "redeemed_at": now},
    )
    receipts.send(command, perk_words.code_redeemed(subscription, code), kind="code_redeemed", now=now)


carrying_out.register_kind(KIND, _finished)
