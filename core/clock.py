"""The database's clock, which all machines share.

Machines' clocks differ. With its own clock, a worker that is a minute behind would not process what a web server has
made due, a sign-in code would expire early or late, and a worker that is ahead would claim rows that are still held.
"""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import connection
from django.utils import timezone


def database_now() -> datetime:
    """Return the current time (UTC) of the database server; with SQLite, of this machine."""
    if not settings.DATABASE_CLOCK or connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        instant: datetime = cursor.fetchone()[0]
    return instant
