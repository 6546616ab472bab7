"""One clock for all that several machines have a part in, however many there are: the database's.

A code is asked for at one machine, sent by another and tried at a third; what one works on, another looks at. If each
went by its own clock, a worker that is a minute behind would not send yet what a web server says is due, a code would
live a minute more or less, and a worker that is ahead would take over what others are at.
"""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import connection
from django.utils import timezone


def now() -> datetime:
    """Return the present instant; SQLite is on the machine that asks, so there that machine's clock is the one."""
    if not settings.DATABASE_CLOCK or connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        instant: datetime = cursor.fetchone()[0]
    return instant
