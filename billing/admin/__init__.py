"""Billing in the admin: pages, actions and account sections, one topic per module."""

from billing.admin import cancel_screen, content, health, mail_samples, pause_schedules, refund_limits
from billing.admin.acts import addresses as address_acts
from billing.admin.acts import cancellations as cancellation_acts
from billing.admin.acts import pauses as pause_acts
from billing.admin.acts import payments as payment_acts
from billing.admin.acts import perks as perk_acts
from billing.admin.acts import plans as plan_acts
from billing.admin.acts import records as record_acts
from billing.admin.acts import refunds as refund_acts
from billing.admin.catalog import plans, prices
from billing.admin.churn import records as churn_records
from billing.admin.churn import report as churn_report
from billing.admin.desk import account_page, panels, timeline
from billing.admin.records import commands, credit_notes, documents, jobs, mirror, refused_codes, transactions, webhooks
from billing.admin.revenue import report as revenue_report

__all__ = [
    "account_page",
    "address_acts",
    "cancel_screen",
    "cancellation_acts",
    "churn_records",
    "churn_report",
    "commands",
    "content",
    "credit_notes",
    "documents",
    "health",
    "jobs",
    "mail_samples",
    "mirror",
    "panels",
    "pause_acts",
    "pause_schedules",
    "payment_acts",
    "perk_acts",
    "plan_acts",
    "plans",
    "prices",
    "record_acts",
    "refund_acts",
    "refund_limits",
    "refused_codes",
    "revenue_report",
    "timeline",
    "transactions",
    "webhooks",
]
