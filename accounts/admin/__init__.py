"""The admin of accounts, one module per topic."""

from accounts.admin import (
    audit_log,
    brands,
    desk,
    events,
    outbox,
    sign_in,
    site,
    subscriber_actions,
    timeline_sources,
    users,
)

__all__ = [
    "audit_log",
    "brands",
    "desk",
    "events",
    "outbox",
    "sign_in",
    "site",
    "subscriber_actions",
    "timeline_sources",
    "users",
]
