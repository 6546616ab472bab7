"""What operators see and may do in billing, one topic per module."""

from billing.admin import (
    acts,
    catalogue,
    commands,
    content,
    documents,
    inbox,
    jobs,
    machinery,
    mail_samples,
    mirror,
    pausing,
    reconcile_runs,
    retention,
    retention_report,
    story,
)

__all__ = [
    "acts",
    "catalogue",
    "commands",
    "content",
    "documents",
    "inbox",
    "jobs",
    "machinery",
    "mail_samples",
    "mirror",
    "pausing",
    "reconcile_runs",
    "retention",
    "retention_report",
    "story",
]
