"""The only writer of the ledger of monthly recurring revenue, which follows the mirror's subscriptions.

A row is the difference between what a subscription brings in and the sum of its earlier rows. So the ledger adds up to
the mirror whichever road a change took, and a snapshot that is applied twice is recorded once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Min, Q, Sum

from billing.models import RevenueMovement, Subscription
from billing.models.mirror_row import MirroredResource

Payload = Mapping[str, Any]
Kind = RevenueMovement.Kind


@dataclass
class _Ledger:
    """The earlier rows, added up: by subscription and currency, by customer, and when each customer's first one was."""

    by_subscription: dict[str, Counter[str]] = field(default_factory=dict)
    by_customer: Counter[str] = field(default_factory=Counter)
    first_at: dict[str, datetime] = field(default_factory=dict)

    @classmethod
    def for_subscriptions(cls, subscriptions: Sequence[Subscription]) -> _Ledger:
        """Return the sums of these subscriptions and of their customers. One query."""
        ids = [subscription.provider_id for subscription in subscriptions]
        customers = {subscription.customer.provider_id for subscription in subscriptions}
        rows = RevenueMovement.objects.filter(Q(subscription_id__in=ids) | Q(customer_id__in=customers))
        sums = rows.order_by().values_list("customer_id", "subscription_id", "currency")
        ledger = cls()
        for customer, subscription, currency, cents, first_at in sums.annotate(Sum("amount"), Min("first_at")):
            ledger.by_subscription.setdefault(subscription, Counter())[currency] += cents
            ledger.by_customer[customer] += cents
            ledger.first_at[customer] = min(first_at, ledger.first_at.get(customer, first_at))
        return ledger


def record_movements(written: Mapping[MirroredResource, Payload | None], *, now: datetime) -> None:
    """Record what has changed in the monthly revenue of the subscriptions among rows, in the caller's transaction.

    `written` has the payload that each row had before, None if the row is new. `now` (UTC) is the movements' time,
    except that a new row is dated back to the activation of its subscription.
    """
    rows = [(row, payload) for row, payload in written.items() if isinstance(row, Subscription)]
    if not rows:
        return
    ledger = _Ledger.for_subscriptions([row for row, _ in rows])
    movements: list[RevenueMovement] = []
    for row, payload in sorted(rows, key=lambda pair: (pair[0].created_at, pair[0].provider_id)):
        movements.extend(_movements_of(row, payload, ledger, now))
    RevenueMovement.objects.bulk_create(movements)


def _movements_of(
    subscription: Subscription, payload: Payload | None, ledger: _Ledger, now: datetime
) -> list[RevenueMovement]:
    """Return the movements of one subscription, two if its currency changed, and add them to the ledger."""
    customer = subscription.customer.provider_id
    before = ledger.by_subscription.setdefault(subscription.provider_id, Counter())
    after = Counter({subscription.terms.currency: subscription.monthly_revenue})
    # A pause or a cancellation that the import found has no row in the ledger.
    was_over = payload is not None and payload.get("status") in ("paused", "cancelled")
    is_return = bool(before) or was_over or _has_left(ledger, customer)
    was_paying = any(before.values())
    at = now
    if payload is None and not before:
        at = min(now, subscription.instant("activated_at") or subscription.created_at)
    movements = []
    for currency in sorted(before.keys() | after.keys()):
        change = after[currency] - before[currency]
        if not change:
            continue
        kind = _kind_of_change(subscription, change, was_paying=was_paying, is_return=is_return)
        first_at = ledger.first_at.setdefault(customer, at)
        movements.append(
            RevenueMovement(
                at=at,
                kind=kind,
                customer_id=customer,
                subscription_id=subscription.provider_id,
                currency=currency,
                amount=change,
                first_at=first_at,
            )
        )
        before[currency] += change
        ledger.by_customer[customer] += change
    return movements


def _has_left(ledger: _Ledger, customer: str) -> bool:
    """Return whether a customer brought something in earlier, and nothing now."""
    return customer in ledger.first_at and not ledger.by_customer[customer]


def _kind_of_change(subscription: Subscription, change: int, *, was_paying: bool, is_return: bool) -> Kind:
    if change > 0 and not was_paying:
        return Kind.REACTIVATION if is_return else Kind.NEW
    if change > 0:
        return Kind.EXPANSION
    if subscription.monthly_revenue:
        return Kind.CONTRACTION
    is_paused = subscription.status == "paused" and not subscription.deleted
    return Kind.PAUSE if is_paused else Kind.CHURN
