"""What was collected, declined and returned over time, summed by the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.db.models import BigIntegerField, Case, Count, Q, Sum, Value, When
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from billing.models import Transaction
from billing.queries.payments.invoices import REFUND_TYPES
from billing.terms import DEFAULT_CURRENCY

FAILED_STATUSES = ("failure", "late_failure")


class Outcome(StrEnum):
    """What became of a payment."""

    COLLECTED = "collected"
    FAILED = "failed"
    REFUNDED = "refunded"


OUTCOME_FILTERS: Mapping[Outcome, Q] = {
    Outcome.COLLECTED: Q(type="payment", status="success"),
    Outcome.FAILED: Q(type="payment", status__in=FAILED_STATUSES),
    Outcome.REFUNDED: Q(type__in=REFUND_TYPES, status="success"),
}


@dataclass(frozen=True)
class MoneyMoved:
    """How many transactions, and their cents by currency."""

    count: int
    cents: Mapping[str, int]


def money_moved(start: datetime, end: datetime) -> dict[Outcome, MoneyMoved]:
    """Return what was collected, failed and was refunded in a range, its end exclusive. One query."""
    outcome = Case(*(When(condition, then=Value(str(name))) for name, condition in OUTCOME_FILTERS.items()))
    rows = (
        Transaction.objects.filter(made_at__gte=start, made_at__lt=end, deleted=False)
        .order_by()
        .annotate(outcome=outcome, currency=KT("payload__currency_code"))
        .filter(outcome__isnull=False)
        .values("outcome", "currency")
        .annotate(summed=Sum(Cast(KT("payload__amount"), BigIntegerField())), count=Count("pk"))
        .values_list("outcome", "currency", "summed", "count")
    )
    counts: dict[str, int] = {}
    cents: dict[str, dict[str, int]] = {}
    for name, currency, amount, count in rows:
        counts[name] = counts.get(name, 0) + count
        cents.setdefault(name, {})[currency or DEFAULT_CURRENCY] = amount or 0
    return {name: MoneyMoved(counts.get(name, 0), cents.get(name, {})) for name in Outcome}
