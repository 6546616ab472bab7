"""Billing's part of a subscriber's data export. The number of queries is fixed.

Cards and PayPal accounts are masked by the provider. `details` is the provider's payload: cents, epoch seconds.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from django.db.models import QuerySet

from accounts.models import Account
from accounts.profile.activity import public_actor
from billing.models import (
    CancellationFeedback,
    ChurnEvent,
    CodeRedemption,
    Command,
    CreditNote,
    Customer,
    Invoice,
    OfferClaim,
    PauseSchedule,
    PaymentSource,
    PromotionalCredit,
    RefusedCode,
    Subscription,
    Transaction,
)
from billing.models.mirror_row import MirroredResource
from billing.queries.customers import customers_with_data_of
from billing.queries.payments.invoices import invoice_rows
from billing.queries.subscriptions.holdings import attach_plans


def export_part(account: Account) -> Mapping[str, object]:
    """Return everything billing stores about an account, by section."""
    invoices = {row.number: asdict(row) for row in invoice_rows(account)}
    customers = customers_with_data_of(account)
    return {
        "customer": _mirror_rows(customers),
        "plans": _subscription_rows(customers),
        "invoices": [
            {**invoices.get(row["id"], {}), **row}
            for row in _mirror_rows(Invoice.objects.filter(customer__in=customers).order_by("-issued_at"))
        ],
        "credit_notes": _mirror_rows(CreditNote.objects.filter(customer__in=customers).order_by("-issued_at")),
        "credits": _mirror_rows(PromotionalCredit.objects.filter(customer__in=customers).order_by("-created_at")),
        "payments": _mirror_rows(Transaction.objects.filter(customer__in=customers)),
        "payment_methods": _mirror_rows(PaymentSource.objects.filter(customer__in=customers)),
        "pause_schedules": _pause_schedule_rows(customers),
        "codes": list(CodeRedemption.objects.filter(account=account).values("code", "subscription_id", "redeemed_at")),
        "refused_codes": list(RefusedCode.objects.filter(account=account).values("code", "reason", "at")),
        "free_months": list(OfferClaim.objects.filter(account=account).values("subscription_id", "claimed_at")),
        "changes": _command_rows(account),
        **_churn_sections(account),
    }


def _mirror_rows(rows: Iterable[MirroredResource]) -> list[dict[str, Any]]:
    return [{"id": row.provider_id, "deleted": row.deleted, "details": row.payload} for row in rows]


def _subscription_rows(customers: QuerySet[Customer]) -> list[dict[str, Any]]:
    subscriptions = list(Subscription.objects.filter(customer__in=customers).order_by("-created_at"))
    attach_plans(subscriptions)
    return [
        {
            "id": subscription.provider_id,
            "service": subscription.plan.service,
            "plan": subscription.plan.id,
            "status": subscription.status.upper(),
            "created_at": subscription.created_at,
            "details": subscription.payload,
        }
        for subscription in subscriptions
    ]


def _pause_schedule_rows(customers: QuerySet[Customer]) -> list[dict[str, Any]]:
    schedules = PauseSchedule.objects.filter(subscription__customer__in=customers)
    fields = ("subscription__provider_id", "state", "pause_date", "resume_date", "created_at", "closed_at")
    return [{"subscription_id": row.pop("subscription__provider_id"), **row} for row in schedules.values(*fields)]


def _command_rows(account: Account) -> list[dict[str, Any]]:
    fields = ("kind", "actor", "state", "shown", "created_at", "finished_at")
    commands = Command.objects.filter(account=account).order_by("-created_at").values(*fields)
    return [{**row, "actor": public_actor(row["actor"])} for row in commands]


def _churn_sections(account: Account) -> dict[str, object]:
    answers = ("at", "reason", "satisfaction", "usage", "offer")
    return {
        "feedback": list(CancellationFeedback.objects.filter(account=account).values(*answers, "services", "outcome")),
        "retention_events": list(
            ChurnEvent.objects.filter(account=account).values(*answers, "kind", "subscription_id", "service")
        ),
    }
