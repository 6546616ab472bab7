"""What operators see and may do, one topic per module."""

from accounts.admin import events, outbox, people, sign_in, site

__all__ = ["events", "outbox", "people", "sign_in", "site"]
