"""Billing in the admin: pages, actions and account sections, one topic per module."""

from billing.admin import (
    account_page,
    cancel_screen,
    catalog,
    commands,
    content,
    credit_notes,
    desk,
    documents,
    health,
    jobs,
    mail_samples,
    mirror,
    pause_schedules,
    plans,
    refund_limits,
    timeline,
    webhooks,
)
from billing.admin.acts import addresses as address_acts
from billing.admin.acts import cancellations as cancellation_acts
from billing.admin.acts import pauses as pause_acts
from billing.admin.acts import payments as payment_acts
from billing.admin.acts import perks as perk_acts
from billing.admin.acts import plans as plan_acts
from billing.admin.acts import records as record_acts
from billing.admin.acts import refunds as refund_acts
from billing.admin.churn import records as churn_records
from billing.admin.churn import report as churn_report
from billing.admin.revenue import report as revenue_report

__all__ = [
    "account_page",
    "address_acts",
    "cancel_screen",
    "cancellation_acts",
    "catalog",
    "churn_records",
    "churn_report",
    "commands",
    "content",
    "credit_notes",
    "desk",
    "documents",
    "health",
    "jobs",
    "mail_samples",
    "mirror",
    "pause_acts",
    "pause_schedules",
    "payment_acts",
    "perk_acts",
    "plan_acts",
    "plans",
    "record_acts",
    "refund_acts",
    "refund_limits",
    "revenue_report",
    "timeline",
    "webhooks",
]
