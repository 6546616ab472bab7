"""What an account holds: its newest subscription of each service, in catalog order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from accounts.models import Account
from billing.catalog import Plan, build_item_price_id, catalog_position, find_plan
from billing.models import Customer, ItemPrice, PauseSchedule, Subscription
from billing.queries.discounts import CouponBook, Discount, Price, discounted_price
from billing.queries.totals import MONTH, YEAR

ACTIVE, IN_TRIAL, NON_RENEWING = "ACTIVE", "IN_TRIAL", "NON_RENEWING"
PAUSED, CANCELLED = "PAUSED", "CANCELLED"
STATUSES = (IN_TRIAL, ACTIVE, NON_RENEWING, CANCELLED, PAUSED)

_STATUS_BY_PROVIDER_STATUS = {
    # Not started yet: like a trial, its first bill is still to come.
    "future": IN_TRIAL,
    "in_trial": IN_TRIAL,
    "active": ACTIVE,
    "non_renewing": NON_RENEWING,
    "paused": PAUSED,
    "cancelled": CANCELLED,
    "transferred": CANCELLED,
}

# Raw SQL, because nearly every request runs this query, and the ORM takes twice as long to compile it as the database
# and the driver take to run it.
_SUBSCRIPTIONS_SQL = f"""
    SELECT subscription.*
    FROM {Subscription._meta.db_table} subscription
    JOIN {Customer._meta.db_table} customer ON customer.id = subscription.customer_id
    WHERE customer.account_id = %s AND NOT subscription.deleted
    ORDER BY subscription.created_at DESC, subscription.id DESC
"""  # noqa: S608  (our own tables' names)


@dataclass(frozen=True)
class Holding:
    """One subscription as the subscriber sees it, with its open pause schedule and its discounts.

    `changing_to` is the price it is scheduled to change to, None without a scheduled change. `other_period_price` is
    its plan's price at the other billing period, None when that is not on sale.
    """

    subscription: Subscription
    plan: Plan
    schedule: PauseSchedule | None
    discounts: tuple[Discount, ...]
    changing_to: ItemPrice | None = None
    other_period_price: ItemPrice | None = None

    @property
    def status(self) -> str:
        """The status shown to the subscriber. A trial that will not renew is NON_RENEWING."""
        if self.subscription.has_scheduled_cancellation:
            return NON_RENEWING
        return _STATUS_BY_PROVIDER_STATUS[self.subscription.status]

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
        """Whether a pause is scheduled."""
        return self.subscription.has_scheduled_pause

    @property
    def will_bill(self) -> bool:
        """Whether it counts toward the total. One with a scheduled pause or change does."""
        return self.status in (ACTIVE, IN_TRIAL)

    @property
    def can_be_paused(self) -> bool:
        """Whether it can be paused: active, with no pause, cancellation or change scheduled (docs/rules.md, rule 1)."""
        return (
            self.status == ACTIVE
            and not self.has_scheduled_pause
            and not self.subscription.has_scheduled_changes
            and self.subscription.current_term_end is not None
        )

    @property
    def cancel_at(self) -> datetime | None:
        """When access ends or ended; None while it renews."""
        subscription = self.subscription
        if self.status == NON_RENEWING:
            return subscription.cancelled_at or subscription.trial_end or subscription.current_term_end
        return subscription.cancelled_at

    @property
    def next_billing_at(self) -> datetime | None:
        """When it bills next; None when it will not bill, or not before a pause."""
        if not self.will_bill or self.has_scheduled_pause:
            return None
        return self.subscription.next_billing_at

    @property
    def pause_date(self) -> datetime | None:
        """When its pause starts or started; None without a pause."""
        if not self.is_paused and not self.has_scheduled_pause:
            return None
        return self.schedule.pause_date if self.schedule else self.subscription.pause_date

    @property
    def resume_date(self) -> datetime | None:
        """When its pause ends automatically; None without a pause or without an end date."""
        if not self.is_paused and not self.has_scheduled_pause:
            return None
        return self.schedule.resume_date if self.schedule else self.subscription.instant("resume_date")

    @property
    def waiting_discounts(self) -> tuple[Discount, ...]:
        """The discounts that apply to its next bill."""
        bill = self.subscription.next_billing_at or self.subscription.current_term_end
        return tuple(discount for discount in self.discounts if discount.is_in_force_at(bill))

    @property
    def price(self) -> Price:
        """What its next period costs, before tax."""
        return discounted_price(self.subscription.amount, self.waiting_discounts)

    def has_waiting_discount(self, kind: str) -> bool:
        """Return whether a discount of a kind (`bundle`, `free_month`, `code`) applies to its next bill."""
        return not self.is_cancelled and any(discount.kind == kind for discount in self.waiting_discounts)


def holdings_of(account: Account) -> list[Holding]:
    """Return what an account holds, canceled subscriptions included. Five queries at most.

    Subscriptions of plans that are not in the catalog are left out.
    """
    return holdings_of_subscriptions(subscriptions_of(account))


def newest_subscriptions(account: Account) -> list[Subscription]:
    """Return an account's newest subscription of each service, in catalog order. One query."""
    return newest_per_service(subscriptions_of(account))


def subscriptions_of(account: Account) -> list[Subscription]:
    """Return all subscriptions of an account, replaced ones too but not deleted ones, newest first. One query."""
    return list(Subscription.objects.raw(_SUBSCRIPTIONS_SQL, [account.pk]))


def holdings_of_subscriptions(newest_first: Iterable[Subscription]) -> list[Holding]:
    """Return what an account holds, given all its subscriptions. Four queries at most."""
    subscriptions = newest_per_service(newest_first)
    schedules = _open_schedules(subscriptions)
    book = CouponBook.for_subscriptions(subscriptions)
    prices = _prices_by_id(subscriptions)
    return [
        Holding(
            subscription=subscription,
            plan=plan,
            schedule=schedules.get(subscription.pk),
            discounts=book.discounts_of(subscription),
            changing_to=prices.get(_scheduled_price_id(subscription)),
            other_period_price=_on_sale_or_none(prices.get(_other_price_id(subscription))),
        )
        for subscription in subscriptions
        if (plan := find_plan(subscription.plan_id)) is not None
    ]


def newest_per_service(newest_first: Iterable[Subscription]) -> list[Subscription]:
    """Return one subscription per service. A live one wins over a newer canceled one: what bills is never hidden."""
    newest: dict[str, Subscription] = {}
    for subscription in newest_first:
        plan = find_plan(subscription.plan_id)
        if plan is None or subscription.status not in _STATUS_BY_PROVIDER_STATUS:
            continue
        current = newest.setdefault(plan.service, subscription)
        if subscription.is_live and not current.is_live:
            newest[plan.service] = subscription
    return sorted(newest.values(), key=lambda subscription: catalog_position(subscription.plan_id))


def _open_schedules(subscriptions: Iterable[Subscription]) -> dict[int, PauseSchedule]:
    rows = PauseSchedule.objects.filter(subscription__in=list(subscriptions), state__in=PauseSchedule.OPEN)
    return {row.subscription_id: row for row in rows}


def _prices_by_id(subscriptions: Iterable[Subscription]) -> dict[str, ItemPrice]:
    ids = {price_id(row) for row in subscriptions for price_id in (_scheduled_price_id, _other_price_id)}
    return {row.provider_id: row for row in ItemPrice.objects.filter(provider_id__in=ids)}


def _on_sale_or_none(price: ItemPrice | None) -> ItemPrice | None:
    return price if price is not None and price.is_on_sale else None


def _other_price_id(subscription: Subscription) -> str:
    return build_item_price_id(subscription.plan_id, YEAR if subscription.period_unit == MONTH else MONTH)


def _scheduled_price_id(subscription: Subscription) -> str:
    return subscription.text("scheduled_item_price_id") if subscription.has_scheduled_changes else ""
