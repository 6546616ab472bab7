"""Redeem a coupon code on the subscription where it saves most (docs/rules.md, rule 9)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from accounts.models import Account
from billing.changes.discounts import bundle_coupons
from billing.changes.preview import BillForecast, compute_figures, translate_estimate_errors
from billing.changes.refused_codes import record_refused_code
from billing.commands.command_kind import CommandKind
from billing.commands.confirmation import Change, Preview, compute_basis, confirm_change
from billing.errors import BillingError, BillingUnavailable, ChangeInProgress, NoLongerExists
from billing.gateway import coupons as gateway
from billing.gateway import estimates
from billing.gateway.coupons import FoundCode
from billing.gateway.errors import Missing, NotSent, Refused
from billing.gateway.estimates import Bill, ChangeEstimate
from billing.models import CodeRedemption, Command, Coupon, RefusedCode, Subscription
from billing.queries import bundles
from billing.queries.commands import has_open_command
from billing.queries.discounts import FREE_MONTH_COUPON, ITEM_LEVEL
from billing.queries.documents import account_totals
from billing.queries.subscriptions.holdings import ACTIVE, IN_TRIAL, Holding
from billing.queries.subscriptions.ownership import live_holdings
from billing.queries.subscriptions.plans import held_plan
from billing.receipts.delivery import ActivityReceipt
from billing.receipts.texts import perks
from core.errors import InvalidInput

MAX_CODE_LENGTH = 30  # docs/specification.md, coupon-4
# The code becomes part of a request's path at the provider: a slash would request something else.
CODE_PATTERN = re.compile(r"[A-Za-z0-9_.\-]+")


class CouponNotFound(BillingError):
    """The code does not exist, or subscribers cannot redeem it."""

    code = "coupon_not_found"
    status = 404
    message = "We don't know this code. Please check it and try again."


class CouponExpired(BillingError):
    """The code has expired or reached its redemption limit."""

    code = "coupon_expired"
    status = 409
    message = "This code has expired or was already used."


class CouponNotValidYet(BillingError):
    """The code can be redeemed from a later time on."""

    code = "coupon_not_valid_yet"
    status = 409
    message = "This code can't be used yet. Please try again later."


class CouponAlreadyApplied(BillingError):
    """The account has redeemed this code before."""

    code = "coupon_already_applied"
    status = 409
    message = "You've already used this code."


class CouponNotApplicable(BillingError):
    """The code saves nothing on any subscription of the account."""

    code = "coupon_not_applicable"
    status = 409
    message = "This code can't be used with the subscriptions you have."


class NoActiveSubscription(BillingError):
    """The account has no active subscription or trial."""

    code = "no_active_subscription"
    status = 409
    message = "You need an active subscription to use a code."


REFUSALS = (
    CouponNotFound,
    CouponExpired,
    CouponNotValidYet,
    CouponAlreadyApplied,
    CouponNotApplicable,
    NoActiveSubscription,
)


@dataclass(frozen=True)
class CodePlacement:
    """A subscription that a code can be redeemed on, its next bill with the code, and the discount (cents)."""

    holding: Holding
    bill: Bill
    saved: int


def redeem_code(
    account: Account, *, code: str, quote: str | None, key: str, actor: str, now: datetime
) -> dict[str, Any]:
    """Redeem a code on the subscription where it saves most; return the new figures and `applied_to`.

    A code that cannot be redeemed is remembered for support. Raises InvalidInput, the errors of this module,
    QuoteChanged, BillingUnavailable and what a command raises.
    """
    change = RedeemCode(account, REDEEM_CODE, code)
    try:
        figures = confirm_change(change, quote=quote, key=key, actor=actor, now=now).shown
    except REFUSALS as refusal:
        record_refused_code(account, code, RefusedCode.Reason(refusal.code), now=now)
        raise
    return {"next_bills": [], **figures}


@dataclass(frozen=True)
class RedeemCode(Change):
    """The redemption of a coupon code."""

    code: str

    def preview(self, now: datetime) -> Preview:
        """Return the figures with the code on the subscription where it saves most."""
        found = _look_up_code(_validate_code(self.code))
        holdings = live_holdings(self.account)
        _check_unused(self.account, found, holdings)
        try:
            placement = _best_placement(found, holdings)
        except CouponNotApplicable:
            _check_concurrent_redemption(self.account, found.code)
            raise
        return _build_preview(self.account, found, placement, holdings, now)


def _validate_code(code: str) -> str:
    text = code.strip()
    if not text or len(text) > MAX_CODE_LENGTH:
        raise InvalidInput(fields={"code": [f"A code has 1 to {MAX_CODE_LENGTH} characters."]})
    if not CODE_PATTERN.fullmatch(text):
        raise CouponNotFound
    return text


def _look_up_code(code: str) -> FoundCode:
    found = _find_in_any_case(code)
    coupon = found.coupon
    if coupon.payload.get("apply_on") == ITEM_LEVEL or coupon.id == FREE_MONTH_COUPON:
        raise CouponNotFound  # a coupon that only the portal places
    return found


def _find_in_any_case(code: str) -> FoundCode:
    """Return the code whose spelling differs in case only; the spelling as typed comes first."""
    for spelling in _possible_spellings(code):
        try:
            return gateway.find_code(spelling)
        except Refused:
            continue
        except NotSent as error:
            raise BillingUnavailable(retry_after=error.retry_after) from error
    return _find_single_use_code(code)


def _find_single_use_code(code: str) -> FoundCode:
    """Return the single-use code that mixes upper and lower case otherwise than it was typed."""
    try:
        spelling = gateway.find_code_spelling(code)
        if spelling is not None:
            return gateway.find_code(spelling)
    except Refused as error:
        raise CouponNotFound from error
    except NotSent as error:
        raise BillingUnavailable(retry_after=error.retry_after) from error
    raise CouponNotFound


def _possible_spellings(code: str) -> list[str]:
    """Return the spellings to look up, since the provider may find exact ones only.

    The spelling of a coupon is in the mirror; that of a single-use code is not.
    """
    mirrored = Coupon.objects.filter(provider_id__iexact=code).order_by("pk").values_list("provider_id", flat=True)
    return list(dict.fromkeys([code, *mirrored, code.upper(), code.lower()]))


def _check_unused(account: Account, found: FoundCode, holdings: Sequence[Holding]) -> None:
    used = CodeRedemption.objects.filter(account=account, code=found.code).exists()
    is_placed = any(found.coupon.id == row["coupon_id"] for holding in holdings for row in holding.subscription.coupons)
    if used or is_placed:
        raise CouponAlreadyApplied
    if found.is_early:
        raise CouponNotValidYet
    if not found.is_usable:
        raise CouponExpired


def _check_concurrent_redemption(account: Account, code: str) -> None:
    """Check that no other request is redeeming this code: there it would save nothing more.

    Raises ChangeInProgress, CouponAlreadyApplied, CouponExpired, CouponNotValidYet.
    """
    if has_open_command(account):
        raise ChangeInProgress(retry_after=1)
    _check_unused(account, _look_up_code(code), live_holdings(account))


def _best_placement(found: FoundCode, holdings: Sequence[Holding]) -> CodePlacement:
    active = [holding for holding in holdings if holding.status in (ACTIVE, IN_TRIAL)]
    if not active:
        raise NoActiveSubscription
    # What it saves in one currency cannot be compared with what it saves in another: the first plan's counts.
    placements = [
        placement
        for holding in active
        if holding.is_changeable
        and holding.terms.currency == active[0].terms.currency
        and (placement := _estimate_placement(found, holding)) is not None
        and placement.saved > 0
    ]
    if not placements:
        raise CouponNotApplicable
    # `max` returns the first of equals, and the holdings are in catalog order.
    return max(placements, key=lambda placement: placement.saved)


def _estimate_placement(found: FoundCode, holding: Holding) -> CodePlacement | None:
    """Return what a code would save on a subscription; None if the provider refuses it there, or no bill follows.

    The provider must accept it at the present price, where it is placed, and at the price of the next bill, which uses
    it.
    """
    subscription = holding.subscription
    coupons = [*(str(row.get("coupon_code") or row["coupon_id"]) for row in subscription.coupons), found.code]
    try:
        estimate = estimates.estimate_coupons(subscription.provider_id, coupons)
        saved = _saving_on_next_bill(holding, estimate, coupons)
    except NotSent as error:
        raise BillingUnavailable(retry_after=error.retry_after) from error
    except Refused as error:
        if isinstance(error, Missing) and error.is_subject:
            raise NoLongerExists from error
        return None
    if estimate.renewal is None or saved is None:
        return None
    return CodePlacement(holding=holding, bill=estimate.renewal, saved=saved)


def _saving_on_next_bill(holding: Holding, estimate: ChangeEstimate, coupons: Sequence[str]) -> int | None:
    """Return what these coupons take off the next bill compared with the present ones; None if no bill follows.

    `estimate` is that of the present price with them.
    """
    subscription_id, scheduled_price = holding.subscription.provider_id, holding.scheduled_price
    if not scheduled_price.price:
        renewal, without = estimate.renewal, estimates.estimate_next_bill(subscription_id)
    else:
        scheduled = estimates.estimate_change(
            subscription_id,
            price=scheduled_price.price,
            unit_price=scheduled_price.unit_price,
            coupons=coupons,
            at_term_end=True,
        )
        renewal, without = scheduled.renewal, estimates.estimate_scheduled_bill(subscription_id)
    return None if renewal is None else without.total - renewal.total


def _build_preview(
    account: Account, found: FoundCode, placement: CodePlacement, holdings: Sequence[Holding], now: datetime
) -> Preview:
    subscription = placement.holding.subscription
    added = {"coupon_id": found.coupon.id, "coupon_code": found.code}
    forecast = BillForecast.of_holdings(
        holdings,
        members=bundles.bundle_members(holdings),
        swaps=(),
        now=now,
        bills={subscription.provider_id: placement.bill},
        coupon_rows={subscription.provider_id: [*subscription.coupons, added]},
    )
    with translate_estimate_errors():
        lines = [forecast.forecast_line(holding, bills=holding.will_bill) for holding in holdings]
    figures = compute_figures(
        lines,
        forecast=forecast,
        default_terms=account_totals(account, holdings)[0].terms,
        charges={},
        due_currency=placement.holding.terms.currency,
        effective_at=placement.holding.next_billing_at,
        about=[found.code, subscription.provider_id],
    )
    shown = {
        **figures,
        "annual_savings": 0,
        "is_immediate": False,
        "plan_ids": [placement.holding.plan.id],
        "removes_free_month": False,
        "applied_to": subscription.provider_id,
        "code": found.code,
    }
    plans = [
        replace(held_plan(holding), has_upcoming_coupon=True) if holding is placement.holding else held_plan(holding)
        for holding in holdings
    ]
    return Preview(
        basis=compute_basis(holdings),
        body={**shown, "existing_plans": plans},
        shown=shown,
        steps=[bundle_coupons.step_to_add_coupon(placement.holding, found.code, now=now)],
    )


def _record_redemption(command: Command, subscriptions: list[Subscription], now: datetime) -> None:
    subscription, code = subscriptions[0], command.shown["code"]
    CodeRedemption.objects.get_or_create(
        account=command.account,
        code=code,
        defaults={"subscription_id": subscription.provider_id, "redeemed_at": now},
    )


def _compose_receipt(command: Command, subscriptions: list[Subscription]) -> ActivityReceipt:
    return ActivityReceipt("code_redeemed", perks.code_redeemed_receipt(subscriptions[0], command.shown["code"]))


REDEEM_CODE = CommandKind("redeem_code", compose_receipt=_compose_receipt, finish=_record_redemption)
