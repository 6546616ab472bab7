"""What an account holds: its newest subscription of each service, in catalogue order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from accounts.models import Account
from billing.catalog import Plan, catalogue_position, find_plan, item_price_id
from billing.models import Customer, ItemPrice, PauseSchedule, Subscription
from billing.queries.discounts import CouponBook, Discount, Price, price
from billing.queries.totals import MONTH, YEAR

ACTIVE, IN_TRIAL, NON_RENEWING = "ACTIVE", "IN_TRIAL", "NON_RENEWING"
PAUSED, CANCELLED = "PAUSED", "CANCELLED"
STATUSES = (IN_TRIAL, ACTIVE, NON_RENEWING, CANCELLED, PAUSED)

_STATUS_OF = {
    # A subscription that has not started bills for the first time later, as a trial does.
    "future": IN_TRIAL,
    "in_trial": IN_TRIAL,
    "active": ACTIVE,
    "non_renewing": NON_RENEWING,
    "paused": PAUSED,
    "cancelled": CANCELLED,
    "transferred": CANCELLED,
}

# Constant text: putting the same query together anew costs twice what running it and reading its rows does, and
# nearly all that is done for an account begins with it.
_SUBSCRIPTIONS_OF = f"""
    SELECT subscription.*
    FROM {Subscription._meta.db_table} subscription
    JOIN {Customer._meta.db_table} customer ON customer.id = subscription.customer_id
    WHERE customer.account_id = %s AND NOT subscription.deleted
    ORDER BY subscription.created_at DESC, subscription.id DESC
"""  # noqa: S608  (our own tables' names)


@dataclass(frozen=True)
class Holding:
    """One subscription as the subscriber sees it, with its open pause schedule and the coupons on it.

    `changing_to` is the price that it is scheduled to change to, None when no change waits; `other_period` the one of
    its plan at the other period, None where that is not sold.
    """

    subscription: Subscription
    plan: Plan
    schedule: PauseSchedule | None
    discounts: tuple[Discount, ...]
    changing_to: ItemPrice | None = None
    other_period: ItemPrice | None = None

    @property
    def status(self) -> str:
        """The status shown: a trial that will not go on is NON_RENEWING (contract, section 3)."""
        if self.subscription.has_scheduled_cancellation:
            return NON_RENEWING
        return _STATUS_OF[self.subscription.status]

    @property
    def is_cancelled(self) -> bool:
        """Whether it has ended."""
        return self.status == CANCELLED

    @property
    def is_paused(self) -> bool:
        """Whether its pause is in effect."""
        return self.status == PAUSED

    @property
    def has_scheduled_pause(self) -> bool:
        """Whether a pause waits for its date."""
        return self.subscription.has_scheduled_pause

    @property
    def will_bill(self) -> bool:
        """Whether it counts in the total; one with a scheduled pause or change does (contract, section 1)."""
        return self.status in (ACTIVE, IN_TRIAL)

    @property
    def can_be_paused(self) -> bool:
        """Whether a pause can be placed: active, with no pause, cancellation or change scheduled (rule 1)."""
        return (
            self.status == ACTIVE
            and not self.has_scheduled_pause
            and not self.subscription.has_scheduled_changes
            and self.subscription.current_term_end is not None
        )

    @property
    def cancel_at(self) -> datetime | None:
        """When access ends or ended, for what will not go on."""
        subscription = self.subscription
        if self.status == NON_RENEWING:
            return subscription.cancelled_at or subscription.trial_end or subscription.current_term_end
        return subscription.cancelled_at

    @property
    def next_billing_at(self) -> datetime | None:
        """When it bills next; None when it will not, or not before a pause."""
        if not self.will_bill or self.has_scheduled_pause:
            return None
        return self.subscription.next_billing_at

    @property
    def pause_date(self) -> datetime | None:
        """When its pause starts or started; None while there is none."""
        if not self.is_paused and not self.has_scheduled_pause:
            return None
        return self.schedule.pause_date if self.schedule else self.subscription.pause_date

    @property
    def resume_date(self) -> datetime | None:
        """When the pause ends by itself; None when there is no pause, or nobody set an end."""
        if not self.is_paused and not self.has_scheduled_pause:
            return None
        return self.schedule.resume_date if self.schedule else self.subscription.instant("resume_date")

    @property
    def waiting(self) -> tuple[Discount, ...]:
        """The coupons that its next bill will use."""
        bill = self.subscription.next_billing_at or self.subscription.current_term_end
        return tuple(discount for discount in self.discounts if discount.covers(bill))

    @property
    def price(self) -> Price:
        """What its next period costs, before tax."""
        return price(self.subscription.amount, self.waiting)

    def has_waiting(self, kind: str) -> bool:
        """Whether a coupon of a kind (`bundle`, `free_month`, `code`) waits for its next bill."""
        return not self.is_cancelled and any(discount.kind == kind for discount in self.waiting)


def holdings_of(account: Account) -> list[Holding]:
    """Return what an account holds, cancelled ones included, in five queries at most.

    Subscriptions of plans that the catalogue does not know are left out.
    """
    return holdings_among(subscriptions_of(account))


def newest_of(account: Account) -> list[Subscription]:
    """Return an account's newest subscription of each service, in catalogue order; one query."""
    return newest_per_service(subscriptions_of(account))


def subscriptions_of(account: Account) -> list[Subscription]:
    """Return every subscription of an account that is not deleted, replaced ones too, the newest first; one query."""
    return list(Subscription.objects.raw(_SUBSCRIPTIONS_OF, [account.pk]))


def holdings_among(newest_first: Iterable[Subscription]) -> list[Holding]:
    """Return what an account holds, given all its subscriptions, in four queries at most."""
    subscriptions = newest_per_service(newest_first)
    schedules = _open_schedules(subscriptions)
    book = CouponBook.of(subscriptions)
    prices = _prices(subscriptions)
    return [
        Holding(
            subscription=subscription,
            plan=plan,
            schedule=schedules.get(subscription.pk),
            discounts=book.discounts_of(subscription),
            changing_to=prices.get(_scheduled_price_id(subscription)),
            other_period=_if_on_sale(prices.get(_other_price_id(subscription))),
        )
        for subscription in subscriptions
        if (plan := find_plan(subscription.plan_id)) is not None
    ]


def newest_per_service(newest_first: Iterable[Subscription]) -> list[Subscription]:
    """Return one per service. A live one wins over a newer cancelled one: what bills is not hidden."""
    chosen: dict[str, Subscription] = {}
    for subscription in newest_first:
        plan = find_plan(subscription.plan_id)
        if plan is None or subscription.status not in _STATUS_OF:
            continue
        held = chosen.setdefault(plan.service, subscription)
        if subscription.is_live and not held.is_live:
            chosen[plan.service] = subscription
    return sorted(chosen.values(), key=lambda subscription: catalogue_position(subscription.plan_id))


def _open_schedules(subscriptions: Iterable[Subscription]) -> dict[int, PauseSchedule]:
    rows = PauseSchedule.objects.filter(subscription__in=list(subscriptions), state__in=PauseSchedule.OPEN)
    return {row.subscription_id: row for row in rows}


def _prices(subscriptions: Iterable[Subscription]) -> dict[str, ItemPrice]:
    ids = {name(one) for one in subscriptions for name in (_scheduled_price_id, _other_price_id)}
    return {row.provider_id: row for row in ItemPrice.objects.filter(provider_id__in=ids)}


def _if_on_sale(price: ItemPrice | None) -> ItemPrice | None:
    return price if price is not None and price.is_on_sale else None


def _other_price_id(subscription: Subscription) -> str:
    return item_price_id(subscription.plan_id, YEAR if subscription.period_unit == MONTH else MONTH)


def _scheduled_price_id(subscription: Subscription) -> str:
    return subscription.text("scheduled_item_price_id") if subscription.has_scheduled_changes else ""
