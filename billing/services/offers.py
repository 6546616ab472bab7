"""The free month: one billing period on the house, once in twelve months (contract, rule 8)."""

import calendar
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from accounts import site
from accounts.models import Account
from billing.errors import BillingError, QuoteChanged
from billing.gateway import estimates
from billing.models import Command, OfferClaim, Subscription
from billing.queries.discounts import FREE_MONTH_COUPON
from billing.queries.holdings import ACTIVE, Holding
from billing.queries.instants import iso
from billing.queries.owned import live_holdings
from billing.queries.plans import held_plan
from billing.queries.totals import MONTH
from billing.services import (
    alignment,
    carrying_out,
    changing,
    commands,
    perk_words,
    receipts,
    retention_log,
)
from billing.services.bundles import Swap
from billing.services.figures import asking
from billing.services.quotes import quote_of
from billing.survey import FREE_MONTH, Survey

KIND = "claim_free_month"
ONCE_IN = timedelta(days=365)

NOT_OFFERED, NOT_MONTHLY, NO_ACTIVE_PLAN = "not_offered", "not_monthly", "no_active_plan"
ALREADY_CLAIMED, ALREADY_WAITING = "already_claimed", "already_waiting"
REASONS = (NOT_OFFERED, NOT_MONTHLY, NO_ACTIVE_PLAN, ALREADY_CLAIMED, ALREADY_WAITING)


class OfferAlreadyClaimed(BillingError):
    """The account claimed its free month within the last twelve months."""

    code = "offer_already_claimed"
    status = 409
    message = "You have already had a free month in the last twelve months."


class OfferNotAvailable(BillingError):
    """The free month is not offered, or not to this account."""

    code = "offer_not_available"
    status = 409
    message = "The free month is not available for your account."


@dataclass(frozen=True)
class Offer:
    """What the free month would do: `reason` says why it is not to be had, None when it is; amounts in cents.

    `basis` is the state that it was made of.
    """

    reason: str | None
    holding: Holding | None = None
    amount_saved: int = 0
    basis: str = ""

    def body(self) -> dict[str, Any]:
        """Return the answer that tells it."""
        holding = self.holding
        bills_at = holding.next_billing_at if holding else None
        return {
            "eligible": self.reason is None,
            "reason": self.reason,
            "amount_saved": self.amount_saved,
            "next_billing_at": iso(bills_at),
            "new_next_billing_at": iso(_a_month_later(bills_at)),
            "plans": [held_plan(holding)] if holding else [],
            "quote": self.quote,
        }

    @property
    def quote(self) -> str:
        """What stands for these figures."""
        concerned = self.holding.subscription.provider_id if self.holding else ""
        return quote_of({"reason": self.reason, "saved": self.amount_saved, "about": concerned})


def estimate(account: Account, *, now: datetime) -> dict[str, Any]:
    """Return whether the account may have its free month, what it saves and what it does to the next bill.

    Raises BillingUnavailable.
    """
    return _offer(account, now).body()


def claim(account: Account, *, quote: str | None, key: str, actor: str, now: datetime) -> dict[str, Any]:
    """Claim the free month for the dearest monthly plan.

    Raises OfferAlreadyClaimed, OfferNotAvailable, QuoteChanged, ChangeInProgress when what the account holds is no
    longer as it was estimated, and what a command raises.
    """
    offer = None
    if not commands.exists(account, key=key):
        offer = _offer(account, now)
        _check(offer)
        if quote is not None and quote != offer.quote:
            raise QuoteChanged(extra=offer.body())

    def plan() -> list[dict[str, Any]]:
        # Asked again where no other change can come between: two tabs claim once.
        if offer is None or offer.holding is None or _claimed_lately(account, now):
            raise OfferAlreadyClaimed
        # A plan cancelled meanwhile would take the month and never bill; a change scheduled meanwhile would be deleted.
        changing.check_basis(account, offer.basis)
        subscription = offer.holding.subscription
        swap = Swap(
            subscription.provider_id,
            add=(FREE_MONTH_COUPON,),
            remove=(),
            changing_to=subscription.text("scheduled_item_price_id"),
        )
        return alignment.steps_of([swap])

    kept = {} if offer is None else {**offer.body(), "plans": []}
    command = commands.perform(account, kind=KIND, key=key, actor=actor, now=now, plan=plan, shown=kept)
    shown: dict[str, Any] = command.shown
    return shown


def waiting_now(account: Account) -> dict[str, Any]:
    """Return the free month as it stands after it was claimed: it waits, on the plan that got it."""
    holders = [one for one in live_holdings(account) if one.has_waiting("free_month")]
    return {"eligible": False, "reason": ALREADY_WAITING, "plans": [held_plan(one) for one in holders]}


def _check(offer: Offer) -> None:
    if offer.reason in (ALREADY_CLAIMED, ALREADY_WAITING):
        raise OfferAlreadyClaimed
    if offer.reason is not None:
        raise OfferNotAvailable


def _offer(account: Account, now: datetime) -> Offer:
    holdings = live_holdings(account)
    reason = _reason_against(account, holdings, now)
    if reason is not None:
        return Offer(reason=reason)
    chosen = max(_takers(holdings), key=lambda one: one.subscription.amount)
    subscription = chosen.subscription
    with asking():
        saved = estimates.of_renewal(subscription.provider_id).total
    return Offer(reason=None, holding=chosen, amount_saved=saved, basis=changing.basis_of(holdings))


def _reason_against(account: Account, holdings: list[Holding], now: datetime) -> str | None:
    if not site.site_settings().free_month_on:
        return NOT_OFFERED
    if any(one.has_waiting("free_month") for one in holdings):
        return ALREADY_WAITING
    if _claimed_lately(account, now):
        return ALREADY_CLAIMED
    active = [one for one in holdings if one.status == ACTIVE and not one.has_scheduled_pause]
    if not active:
        return NO_ACTIVE_PLAN
    return None if _takers(holdings) else NOT_MONTHLY


def _takers(holdings: list[Holding]) -> list[Holding]:
    return [
        one
        for one in holdings
        if one.status == ACTIVE and not one.has_scheduled_pause and one.subscription.period_unit == MONTH
    ]


def _claimed_lately(account: Account, now: datetime) -> bool:
    return OfferClaim.objects.filter(account=account, claimed_at__gt=now - ONCE_IN).exists()


def _a_month_later(instant: datetime | None) -> datetime | None:
    """Return the same day of the next month, or its last day."""
    if instant is None:
        return None
    year, month = (instant.year + instant.month // 12, instant.month % 12 + 1)
    day = min(instant.day, calendar.monthrange(year, month)[1])
    return instant.astimezone(UTC).replace(year=year, month=month, day=day)


def _finished(command: Command, subscriptions: list[Subscription], now: datetime) -> None:
    subscription = subscriptions[0]
    OfferClaim.objects.create(
        account=command.account, subscription_id=subscription.provider_id, claimed_at=now
    )
    retention_log.taken(subscription, Survey(offer=FREE_MONTH), command=command, at=now)
    receipt = perk_words.free_month_claimed(subscription, command.shown["amount_saved"])
    receipts.send(command, receipt, kind="free_month_claimed", now=now)


carrying_out.register_kind(KIND, _finished)
