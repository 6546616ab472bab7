"""The free month: one free billing period, once in twelve months (docs/rules.md, rule 8)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from accounts.brands import site
from accounts.models import Account
from billing import clock
from billing.changes.discounts import bundle_coupons
from billing.changes.preview import forecast_bills_with_coupon, translate_estimate_errors
from billing.clock import format_iso_utc
from billing.commands.command_kind import CommandKind
from billing.commands.confirmation import Change, Preview, compute_basis, confirm_change
from billing.commands.quotes import compute_quote
from billing.errors import BillingError
from billing.gateway import estimates
from billing.mirror import churn_events
from billing.models import Command, OfferClaim, Subscription
from billing.models.steps import Step
from billing.queries.bundles import bundle_members
from billing.queries.discounts import FREE_MONTH_COUPON
from billing.queries.next_bills import NextBill, billed_plan, date_after_bill
from billing.queries.subscriptions.holdings import ACTIVE, Holding
from billing.queries.subscriptions.ownership import live_holdings
from billing.queries.subscriptions.plans import held_plan
from billing.receipts.delivery import ActivityReceipt
from billing.receipts.texts import perks
from billing.survey import FREE_MONTH, Survey
from billing.terms import DEFAULT_CURRENCY, MONTH, BillingTerms

CLAIM_INTERVAL = timedelta(days=365)

NOT_OFFERED, NOT_MONTHLY, NO_ACTIVE_PLAN = "not_offered", "not_monthly", "no_active_plan"
ALREADY_CLAIMED, ALREADY_WAITING = "already_claimed", "already_waiting"
INELIGIBLE_REASONS = (NOT_OFFERED, NOT_MONTHLY, NO_ACTIVE_PLAN, ALREADY_CLAIMED, ALREADY_WAITING)


class OfferAlreadyClaimed(BillingError):
    """The account has claimed its free month within the last twelve months."""

    code = "offer_already_claimed"
    status = 409
    message = "You've already had a free month in the last 12 months."


class OfferNotAvailable(BillingError):
    """The free month is switched off, or the account is not eligible."""

    code = "offer_not_available"
    status = 409
    message = "The free month isn't available for your account."


@dataclass(frozen=True)
class FreeMonthOffer:
    """A free month on the plan `holding`, or the `reason` why the account is not eligible; amounts in cents.

    `basis` are the versions of the subscriptions that it was computed from, `next_bills` those of the plan, and
    `paid_again_at` is when the first of them comes that is not free (UTC).
    """

    reason: str | None
    holding: Holding | None = None
    amount_saved: int = 0
    basis: str = ""
    next_bills: Sequence[NextBill] = ()
    paid_again_at: datetime | None = None

    def response_body(self) -> dict[str, Any]:
        """Return the offer as the API shows it."""
        holding = self.holding
        bills_at = holding.next_billing_at if holding else None
        return {
            "eligible": self.reason is None,
            "reason": self.reason,
            "amount_saved": self.amount_saved,
            "currency_code": holding.terms.currency if holding else DEFAULT_CURRENCY,
            "next_billing_at": format_iso_utc(bills_at),
            "new_next_billing_at": format_iso_utc(self.paid_again_at),
            "plans": [held_plan(holding)] if holding else [],
            "next_bills": [bill.as_json() for bill in self.next_bills],
            "quote": self.quote,
        }

    @property
    def quote(self) -> str:
        """The quote of these figures."""
        concerned = self.holding.subscription.provider_id if self.holding else ""
        return compute_quote({"reason": self.reason, "saved": self.amount_saved, "about": concerned})


def estimate_free_month(account: Account, *, now: datetime) -> dict[str, Any]:
    """Return whether the account is eligible, what the free month saves, and the next billing dates.

    Raises BillingUnavailable.
    """
    return _build_offer(account, now).response_body()


def claim_free_month(account: Account, *, quote: str | None, key: str, actor: str, now: datetime) -> dict[str, Any]:
    """Claim the free month for the most expensive monthly plan; return the confirmed offer.

    Raises OfferAlreadyClaimed, OfferNotAvailable, QuoteChanged, ChangeInProgress if a subscription has changed since
    the estimate, and what a command raises.
    """
    change = ClaimFreeMonth(account, CLAIM_FREE_MONTH)
    shown: dict[str, Any] = confirm_change(change, quote=quote, key=key, actor=actor, now=now).shown
    # Claims of earlier versions have no bills.
    return {"next_bills": [], **shown}


@dataclass(frozen=True)
class ClaimFreeMonth(Change):
    """The claim of the free month."""

    def preview(self, now: datetime) -> Preview:
        """Return what the free month saves. Raises OfferAlreadyClaimed, OfferNotAvailable, BillingUnavailable."""
        offer = _build_offer(self.account, now)
        if offer.reason in (ALREADY_CLAIMED, ALREADY_WAITING):
            raise OfferAlreadyClaimed
        if offer.holding is None:
            raise OfferNotAvailable
        body = offer.response_body()
        return Preview(
            # A plan canceled meanwhile would never use the month; a change scheduled meanwhile would be lost.
            basis=offer.basis,
            body=body,
            shown={**body, "plans": []},
            steps=[bundle_coupons.step_to_add_coupon(offer.holding, FREE_MONTH_COUPON, now=now)],
        )

    def plan_steps(self, command: Command, preview: Preview | None) -> list[Step]:
        """Return the steps. Raises OfferAlreadyClaimed: of two requests at once, one claims."""
        if _has_recent_claim(self.account, command.first_sent_at or clock.billing_now()):
            raise OfferAlreadyClaimed
        return super().plan_steps(command, preview)


def waiting_free_month(account: Account) -> dict[str, Any]:
    """Return the free month after it was claimed, with the plan whose next bill it waits for."""
    holdings = [holding for holding in live_holdings(account) if holding.has_waiting_discount("free_month")]
    return {
        "eligible": False,
        "reason": ALREADY_WAITING,
        "plans": [held_plan(holding) for holding in holdings],
    }


def _build_offer(account: Account, now: datetime) -> FreeMonthOffer:
    holdings = live_holdings(account)
    reason = _ineligible_reason(account, holdings, now)
    if reason is not None:
        return FreeMonthOffer(reason=reason)
    eligible = _eligible_holdings(holdings)
    # Prices in different currencies cannot be compared: the first plan's currency counts.
    comparable = [holding for holding in eligible if holding.terms == eligible[0].terms]
    chosen = max(comparable, key=lambda holding: holding.subscription.amount)
    subscription = chosen.subscription
    billed = billed_plan(chosen, None, bundle_members(holdings))
    with translate_estimate_errors():
        saved = estimates.estimate_next_bill(subscription.provider_id).total
    return FreeMonthOffer(
        reason=None,
        holding=chosen,
        amount_saved=saved,
        basis=compute_basis(holdings),
        next_bills=forecast_bills_with_coupon(holdings, chosen, coupon_id=FREE_MONTH_COUPON, now=now),
        paid_again_at=None if billed is None else date_after_bill(billed),
    )


def _ineligible_reason(account: Account, holdings: list[Holding], now: datetime) -> str | None:
    if not site.site_settings().free_month_on:
        return NOT_OFFERED
    if any(holding.has_waiting_discount("free_month") for holding in holdings):
        return ALREADY_WAITING
    if _has_recent_claim(account, now):
        return ALREADY_CLAIMED
    if not _active_holdings(holdings):
        return NO_ACTIVE_PLAN
    return None if _eligible_holdings(holdings) else NOT_MONTHLY


def _active_holdings(holdings: list[Holding]) -> list[Holding]:
    return [holding for holding in holdings if holding.status == ACTIVE and not holding.has_scheduled_pause]


def _eligible_holdings(holdings: list[Holding]) -> list[Holding]:
    return [
        holding
        for holding in _active_holdings(holdings)
        if holding.is_changeable and {holding.terms.period_unit, _next_terms(holding).period_unit} == {MONTH}
    ]


def _next_terms(holding: Holding) -> BillingTerms:
    """Return the terms of the next bill, which would use the free month."""
    return holding.terms if holding.changing_to is None else holding.changing_to.terms


def _has_recent_claim(account: Account, now: datetime) -> bool:
    return OfferClaim.objects.filter(account=account, claimed_at__gt=now - CLAIM_INTERVAL).exists()


def _record_claim(command: Command, subscriptions: list[Subscription], now: datetime) -> None:
    subscription = subscriptions[0]
    OfferClaim.objects.create(account=command.account, subscription_id=subscription.provider_id, claimed_at=now)
    churn_events.record_taken_offer(subscription, Survey(offer=FREE_MONTH), command=command, at=now)


def _compose_receipt(command: Command, subscriptions: list[Subscription]) -> ActivityReceipt:
    receipt = perks.free_month_receipt(subscriptions[0], command.shown["amount_saved"])
    return ActivityReceipt("free_month_claimed", receipt)


CLAIM_FREE_MONTH = CommandKind("claim_free_month", compose_receipt=_compose_receipt, finish=_record_claim)
