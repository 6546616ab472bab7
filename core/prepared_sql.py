"""Statements that almost every request runs: PostgreSQL plans them once for each connection, not each time.

Planning the session's statement costs several times as much as running it. Django's cursors write the arguments into
the text, which no plan could be kept for; these statements leave them to the server.

Behind PgBouncer nothing is prepared: its connections are of several clients, whose statements have the same names.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

# How often a connection runs a statement before it prepares it.
PREPARE_THRESHOLD = 1


def listen_for_connections() -> None:
    """Connect to new connections."""
    connection_created.connect(_allow_preparing, dispatch_uid="core.prepared_sql")


def fetch_row(sql: str, parameters: Sequence[str | int | datetime | None]) -> tuple[Any, ...] | None:
    """Run a literal statement and return its first row, or None; on PostgreSQL it is prepared."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            from django.db.backends.postgresql.base import ServerBindingCursor

            cursor.cursor = ServerBindingCursor(connection.connection)  # type: ignore[call-arg]  # psycopg's own
        cursor.execute(sql, parameters)
        row: tuple[Any, ...] | None = cursor.fetchone()
    return row


def _allow_preparing(*, connection: BaseDatabaseWrapper, **_: Any) -> None:
    if connection.vendor != "postgresql":
        return
    server = connection.connection
    # PgBouncer names a number of its own at the connection, not the process that runs a statement.
    if server.execute("SELECT pg_backend_pid()").fetchone()[0] == server.info.backend_pid:
        server.prepare_threshold = PREPARE_THRESHOLD
