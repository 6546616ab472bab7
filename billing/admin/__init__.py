"""Billing in the admin: pages, actions and account sections, one topic per module."""

from billing.admin import (
    account_actions,
    account_page,
    catalog,
    churn,
    churn_report,
    commands,
    content,
    documents,
    health,
    jobs,
    mail_samples,
    mirror,
    pause_schedules,
    reconcile_runs,
    webhooks,
)

__all__ = [
    "account_actions",
    "account_page",
    "catalog",
    "churn",
    "churn_report",
    "commands",
    "content",
    "documents",
    "health",
    "jobs",
    "mail_samples",
    "mirror",
    "pause_schedules",
    "reconcile_runs",
    "webhooks",
]
