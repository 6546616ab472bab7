"""What operators see and may do, one topic per module."""

from accounts.admin import brands, erase, events, journal, outbox, people, sign_in, site

__all__ = ["brands", "erase", "events", "journal", "outbox", "people", "sign_in", "site"]
