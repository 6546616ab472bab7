"""What operators see and may do in billing, one topic per module."""

from billing.admin import catalogue, commands, content, documents, inbox, jobs, mirror, pausing

__all__ = ["catalogue", "commands", "content", "documents", "inbox", "jobs", "mirror", "pausing"]
