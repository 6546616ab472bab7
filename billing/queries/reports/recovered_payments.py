"""What became of the invoices whose automatic payment failed, by month, summed by the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from zoneinfo import ZoneInfo

from django.db.models import BigIntegerField, Case, Count, IntegerField, Q, Sum, Value, When
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Coalesce, TruncMonth

from billing.models import Invoice
from billing.terms import DEFAULT_CURRENCY

COLLECTED, TRIED, LOST = "collected", "tried", "lost"
IN_PROGRESS = "in_progress"


@dataclass
class RecoveredPayments:
    """The invoices of one month and currency whose automatic payment failed: how many, and their cents by outcome.

    An invoice that is paid in part counts as collected once nothing is due of it; its cents count as they are paid.
    """

    count: int = 0
    collected_count: int = 0
    cents: dict[str, int] = field(default_factory=lambda: dict.fromkeys((COLLECTED, TRIED, LOST), 0))

    @property
    def failed_cents(self) -> int:
        """What was to be collected."""
        return sum(self.cents.values())


def recovered_payments(start: datetime, end: datetime, zone: str) -> Mapping[tuple[str, date], RecoveredPayments]:
    """Return the numbers by currency and month of the invoice, for invoices of a range, its end exclusive. One query.

    The provider sets `dunning_status` on an invoice with the first failed try, and keeps it.
    """
    rows = (
        Invoice.objects.filter(payload__has_key="dunning_status", issued_at__gte=start, issued_at__lt=end)
        .exclude(Q(deleted=True) | Q(status="voided"))
        .order_by()
        .annotate(
            month=TruncMonth("issued_at", tzinfo=ZoneInfo(zone)),
            currency=KT("payload__currency_code"),
            paid=_cents("amount_paid"),
            due=_cents("amount_due"),
            written_off=_cents("write_off_amount"),
            still=Case(When(payload__dunning_status=IN_PROGRESS, then=1), default=0, output_field=IntegerField()),
            settled=Case(When(status="paid", paid__gt=0, then=1), default=0, output_field=IntegerField()),
        )
        .values("month", "currency", "still", "settled")
        .annotate(count=Count("pk"), all_paid=Sum("paid"), all_due=Sum("due"), all_written_off=Sum("written_off"))
    )
    found: dict[tuple[str, date], RecoveredPayments] = {}
    for row in rows:
        month = found.setdefault((row["currency"] or DEFAULT_CURRENCY, row["month"].date()), RecoveredPayments())
        month.count += row["count"]
        month.collected_count += row["count"] if row["settled"] else 0
        month.cents[COLLECTED] += row["all_paid"]
        month.cents[TRIED if row["still"] else LOST] += row["all_due"]
        month.cents[LOST] += row["all_written_off"]
    return found


def _cents(name: str) -> Coalesce:
    return Coalesce(Cast(KT(f"payload__{name}"), BigIntegerField()), Value(0))
