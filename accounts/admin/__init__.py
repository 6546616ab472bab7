"""The admin of accounts, one module per topic."""

from accounts.admin import audit_log, brands, events, outbox, sign_in, site, users

__all__ = ["audit_log", "brands", "events", "outbox", "sign_in", "site", "users"]
