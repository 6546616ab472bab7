"""The admin of accounts, one module per topic."""

from accounts.admin import audit_log, brands, events, outbox, sign_in, site, users
from accounts.admin.desk import front_page, subscriber_actions, timeline_sources

__all__ = [
    "audit_log",
    "brands",
    "events",
    "front_page",
    "outbox",
    "sign_in",
    "site",
    "subscriber_actions",
    "timeline_sources",
    "users",
]
