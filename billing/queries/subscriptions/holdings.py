"""What an account holds: every live subscription, and the newest of each service that has ended, in catalog order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from accounts.models import Account
from billing.models import Customer, ItemPrice, PauseSchedule, Plan, Subscription
from billing.queries.discounts import CouponBook, Discount, Price, discounted_price
from billing.terms import BillingTerms

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
class ScheduledPrice:
    """What a scheduled change sets: an item price by its id, empty for nothing, and what it costs if that was agreed.

    `unit_price` (cents) is None at the list price: not every site allows another price than that.
    """

    price: str = ""
    unit_price: int | None = None


NOTHING_SCHEDULED = ScheduledPrice()


@dataclass(frozen=True)
class Holding:
    """One subscription as the subscriber sees it, with its open pause schedule and its discounts.

    `changing_to` is the price it is scheduled to change to, None without a scheduled change. `other_period_price` is
    its plan's price at the other billing period and in its currency, None when that is not on sale. `price_today` is
    its plan's price at its own terms for those who start it now, None when it is no longer sold. `is_duplicate` says
    that another live subscription of its service comes first.
    """

    subscription: Subscription
    schedule: PauseSchedule | None
    discounts: tuple[Discount, ...]
    changing_to: ItemPrice | None = None
    other_period_price: ItemPrice | None = None
    price_today: ItemPrice | None = None
    is_duplicate: bool = False

    @property
    def plan(self) -> Plan:
        """Its plan."""
        return self.subscription.plan

    @property
    def terms(self) -> BillingTerms:
        """Its currency and period."""
        return self.subscription.terms

    @property
    def is_changeable(self) -> bool:
        """Whether it can be paused and switched, and is part of the bundle (docs/rules.md, rule 19).

        Any other can be canceled and kept, which does not touch its price.
        """
        is_of_catalog = self.plan.is_arranged and self.terms.is_monthly_or_yearly
        subscription = self.subscription
        has_extras = subscription.has_extras or subscription.will_have_extras
        is_bound = has_extras or subscription.has_ramps or subscription.contract_end is not None
        return is_of_catalog and not is_bound and not self.is_duplicate

    @property
    def status(self) -> str:
        """The status shown to the subscriber. What will end is NON_RENEWING, a trial and what bills before it too."""
        return shown_status(self.subscription)

    @property
    def is_cancelled(self) -> bool:
        """Whether it has ended."""
        return self.status == CANCELLED

    @property
    def is_paused(self) -> bool:
        """Whether its pause is in effect."""
        return self.status == PAUSED

    @property
    def starts_at(self) -> datetime | None:
        """When it starts; None once it has."""
        return self.subscription.period_end if self.subscription.status == "future" else None

    @property
    def ends_at_once(self) -> bool:
        """Whether a cancellation ends it at once: there is no running term to end with (docs/rules.md, rule 7)."""
        return self.is_paused or self.subscription.status == "future"

    @property
    def has_scheduled_pause(self) -> bool:
        """Whether a pause is scheduled."""
        return self.subscription.has_scheduled_pause

    @property
    def has_scheduled_change(self) -> bool:
        """Whether a change is scheduled that can be shown and removed; ramps are not."""
        return self.subscription.has_scheduled_changes and not self.subscription.has_ramps

    @property
    def scheduled_price(self) -> ScheduledPrice:
        """What to schedule again after a write that deletes the scheduled change; nothing if that is not possible."""
        subscription = self.subscription
        price_id = _scheduled_price_id(subscription)
        if not price_id or subscription.will_have_extras:
            return NOTHING_SCHEDULED
        amount = subscription.payload.get("scheduled_amount")
        is_listed = self.changing_to is not None and amount == self.changing_to.cents("price")
        return ScheduledPrice(price_id, unit_price=None if is_listed else amount)

    @property
    def next_amount(self) -> int:
        """The price of a period in cents, before discounts and tax, with its scheduled change."""
        price = self.changing_to
        return self.subscription.amount if price is None else self.subscription.amount_changed_to(price)

    @property
    def will_bill(self) -> bool:
        """Whether it counts toward the total, as with a scheduled pause or change, or with an end after its bill."""
        return self.status in (ACTIVE, IN_TRIAL) or self.subscription.bills_before_end

    @property
    def can_be_canceled(self) -> bool:
        """Whether a cancellation would end it earlier than it ends already (docs/rules.md, rule 7)."""
        if self.status == NON_RENEWING:
            return self.subscription.bills_before_end and self.subscription.contract_end is None
        return not self.is_cancelled

    @property
    def can_be_paused(self) -> bool:
        """Whether it can be paused: active, with no pause, cancellation or change scheduled (docs/rules.md, rule 1)."""
        return (
            self.is_changeable
            and self.status == ACTIVE
            and not self.has_scheduled_pause
            and not self.subscription.has_scheduled_changes
            and self.subscription.current_term_end is not None
        )

    @property
    def cancel_at(self) -> datetime | None:
        """When access ends or ended; None while it renews."""
        subscription = self.subscription
        if self.status == NON_RENEWING:
            return subscription.cancelled_at or subscription.period_end
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
        """When its pause ends automatically, if need be at the next try; None without a pause or an end date.

        None, too, if the subscription has ended by then.
        """
        if not self.is_paused and not self.has_scheduled_pause:
            return None
        date = self.schedule.resumes_at if self.schedule else self.subscription.instant("resume_date")
        return None if date is None or self.subscription.ends_by(date) else date

    @property
    def waiting_discounts(self) -> tuple[Discount, ...]:
        """The discounts that apply to its next bill."""
        bill = self.subscription.next_billing_at or self.subscription.period_end
        return tuple(discount for discount in self.discounts if discount.is_in_force_at(bill))

    @property
    def price(self) -> Price:
        """What its next period costs, before tax."""
        return discounted_price(self.subscription.amount, self.waiting_discounts)

    def has_waiting_discount(self, kind: str) -> bool:
        """Return whether a discount of a kind (`bundle`, `free_month`, `code`) applies to its next bill."""
        return not self.is_cancelled and any(discount.kind == kind for discount in self.waiting_discounts)


def shown_status(subscription: Subscription) -> str:
    """Return the status of a subscription as the subscriber sees it."""
    if subscription.has_scheduled_cancellation:
        return NON_RENEWING
    return _STATUS_BY_PROVIDER_STATUS[subscription.status]


def holdings_of(account: Account) -> list[Holding]:
    """Return what an account holds, canceled subscriptions included. Seven queries at most."""
    return holdings_of_subscriptions(subscriptions_of(account))


def shown_subscriptions_of(account: Account) -> list[Subscription]:
    """Return an account's subscriptions as `shown_subscriptions`. Four queries at most."""
    subscriptions = subscriptions_of(account)
    attach_plans(subscriptions)
    return shown_subscriptions(subscriptions)


def subscriptions_of(account: Account) -> list[Subscription]:
    """Return all subscriptions of an account, replaced ones too but not deleted ones, newest first. One query."""
    return list(Subscription.objects.raw(_SUBSCRIPTIONS_SQL, [account.pk]))


def holdings_of_subscriptions(newest_first: Iterable[Subscription]) -> list[Holding]:
    """Return what an account holds, given all its subscriptions. Six queries at most."""
    all_subscriptions = list(newest_first)
    prices = attach_plans(all_subscriptions)
    subscriptions = shown_subscriptions(all_subscriptions)
    schedules = _open_schedules(subscriptions)
    book = CouponBook.for_subscriptions(subscriptions)
    duplicates = _duplicate_ids(subscriptions)
    holdings = [
        Holding(
            subscription=subscription,
            schedule=schedules.get(subscription.pk),
            discounts=book.discounts_of(subscription),
            changing_to=prices.get(_scheduled_price_id(subscription)),
            is_duplicate=subscription.pk in duplicates,
        )
        for subscription in subscriptions
    ]
    return [
        replace(
            holding,
            other_period_price=_other_period_price(holding, prices),
            price_today=_price_today(holding, prices),
        )
        for holding in holdings
    ]


def attach_plans(subscriptions: Sequence[Subscription]) -> dict[str, ItemPrice]:
    """Read the plans of subscriptions together; return all prices of their items, by id. Three queries at most."""
    ids = {subscription.item_price_id for subscription in subscriptions}
    if not ids:
        return {}
    ids_with_scheduled = ids | {_scheduled_price_id(subscription) for subscription in subscriptions}
    items = ItemPrice.objects.filter(provider_id__in=ids_with_scheduled).values("item_id")
    prices = {row.provider_id: row for row in ItemPrice.objects.filter(item_id__in=items).order_by("pk")}
    plans = Plan.objects.by_price({price_id: prices.get(price_id) for price_id in ids})
    for subscription in subscriptions:
        subscription.plan = plans[subscription.item_price_id]
    return prices


def shown_subscriptions(newest_first: Iterable[Subscription]) -> list[Subscription]:
    """Return, in catalog order, every live subscription and the newest of each service that has no live one.

    What bills is never hidden. Outside the catalog, an item counts as a service of its own.
    """
    by_service: dict[str, list[Subscription]] = {}
    for subscription in newest_first:
        if subscription.status in _STATUS_BY_PROVIDER_STATUS:
            plan = subscription.plan
            by_service.setdefault(plan.service or plan.id, []).append(subscription)
    shown = [
        subscription
        for subscriptions in by_service.values()
        for subscription in [row for row in subscriptions if row.is_live] or subscriptions[:1]
    ]
    return sorted(shown, key=lambda subscription: subscription.plan.sort_key)


def _duplicate_ids(shown: Iterable[Subscription]) -> set[int]:
    """Return the keys of all subscriptions of a service but one, which is the newest that renews if any does."""
    firsts: dict[str, Subscription] = {}
    duplicates = set()
    for subscription in shown:
        service = subscription.plan.service or subscription.plan.id
        first = firsts.setdefault(service, subscription)
        if first.has_scheduled_cancellation and not subscription.has_scheduled_cancellation:
            firsts[service] = subscription
            duplicates.add(first.pk)
        elif first is not subscription:
            duplicates.add(subscription.pk)
    return duplicates


def _open_schedules(subscriptions: Iterable[Subscription]) -> dict[int, PauseSchedule]:
    rows = PauseSchedule.objects.filter(subscription__in=list(subscriptions), state__in=PauseSchedule.OPEN)
    return {row.subscription_id: row for row in rows}


def _other_period_price(holding: Holding, prices: Mapping[str, ItemPrice]) -> ItemPrice | None:
    if not holding.is_changeable:
        return None
    return find_price(prices.values(), holding.plan.id, holding.terms.other_period)


def _price_today(holding: Holding, prices: Mapping[str, ItemPrice]) -> ItemPrice | None:
    return find_price(prices.values(), holding.plan.id, holding.terms) if holding.plan.on_sale else None


def find_price(prices: Iterable[ItemPrice], item_id: str, terms: BillingTerms) -> ItemPrice | None:
    """Return the price of an item at these terms, or None if none is on sale."""
    return next((row for row in prices if row.item_id == item_id and row.terms == terms and row.is_on_sale), None)


def _scheduled_price_id(subscription: Subscription) -> str:
    return subscription.text("scheduled_item_price_id") if subscription.has_scheduled_changes else ""
