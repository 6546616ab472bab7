"""Billing in the admin: pages, actions and account sections, one topic per module."""

from billing.admin import (
    account_actions,
    account_page,
    catalog,
    commands,
    content,
    documents,
    health,
    jobs,
    mail_samples,
    mirror,
    pause_schedules,
    plans,
    webhooks,
)
from billing.admin.churn import records as churn_records
from billing.admin.churn import report as churn_report

__all__ = [
    "account_actions",
    "account_page",
    "catalog",
    "churn_records",
    "churn_report",
    "commands",
    "content",
    "documents",
    "health",
    "jobs",
    "mail_samples",
    "mirror",
    "pause_schedules",
    "plans",
    "webhooks",
]
