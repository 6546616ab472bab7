"""What billing holds on an account, for the subscriber themselves: a fixed number of queries, however much it is.

Cards and PayPal accounts are as the provider masks them. `details` are the provider's own words: cents, epoch seconds.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from accounts.activity import who
from accounts.models import Account
from billing.models import (
    CancellationFeedback,
    CodeRedemption,
    Command,
    Customer,
    Invoice,
    OfferClaim,
    PauseSchedule,
    PaymentSource,
    RetentionEvent,
    Subscription,
    Transaction,
)
from billing.models.mirrored import Mirrored
from billing.queries.invoices import invoice_rows


def export_part(account: Account) -> Mapping[str, object]:
    """Return everything that is held on an account, by the names a subscriber knows it under."""
    invoices = {row["number"]: row for row in invoice_rows(account)}
    return {
        "customer": _mirrored(Customer.objects.filter(account=account)),
        "plans": _plans(account),
        "invoices": [
            {**invoices.get(row["id"], {}), **row}
            for row in _mirrored(Invoice.objects.filter(customer__account=account).order_by("-issued_at"))
        ],
        "payments": _mirrored(Transaction.objects.filter(customer__account=account)),
        "payment_methods": _mirrored(PaymentSource.objects.filter(customer__account=account)),
        "pause_schedules": _pauses(account),
        "codes": list(
            CodeRedemption.objects.filter(account=account).values("code", "subscription_id", "redeemed_at")
        ),
        "free_months": list(
            OfferClaim.objects.filter(account=account).values("subscription_id", "claimed_at")
        ),
        "changes": _changes(account),
        **_leaving(account),
    }


def _mirrored(rows: Iterable[Mirrored]) -> list[dict[str, Any]]:
    return [{"id": row.provider_id, "deleted": row.deleted, "details": row.payload} for row in rows]


def _plans(account: Account) -> list[dict[str, Any]]:
    found = Subscription.objects.filter(customer__account=account).order_by("-created_at")
    return [
        {
            "id": row.provider_id,
            "service": row.service,
            "plan": row.plan_id,
            "status": row.status.upper(),
            "created_at": row.created_at,
            "details": row.payload,
        }
        for row in found
    ]


def _pauses(account: Account) -> list[dict[str, Any]]:
    found = PauseSchedule.objects.filter(subscription__customer__account=account)
    fields = ("subscription__provider_id", "state", "pause_date", "resume_date", "created_at", "closed_at")
    return [{"subscription_id": row.pop("subscription__provider_id"), **row} for row in found.values(*fields)]


def _changes(account: Account) -> list[dict[str, Any]]:
    fields = ("kind", "actor", "state", "shown", "created_at", "finished_at")
    found = Command.objects.filter(account=account).order_by("-created_at").values(*fields)
    return [{**row, "actor": who(row["actor"])} for row in found]


def _leaving(account: Account) -> dict[str, object]:
    answers = ("at", "reason", "satisfaction", "usage", "offer")
    return {
        "feedback": list(
            CancellationFeedback.objects.filter(account=account).values(*answers, "services", "outcome")
        ),
        "retention_events": list(
            RetentionEvent.objects.filter(account=account).values(
                *answers, "kind", "subscription_id", "service"
            )
        ),
    }
