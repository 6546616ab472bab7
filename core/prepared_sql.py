"""Statements that almost every request runs: PostgreSQL plans them once for each connection, not each time.

Planning the session's statement costs several times as much as running it. Django's cursors write the arguments into
the text, which no plan could be kept for; these statements leave them to the server.

Behind PgBouncer nothing is prepared: its connections are of several clients, whose statements have the same names.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import Error, connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

Parameters = Sequence[str | int | datetime | None]

# How often a connection runs a statement before it prepares it.
PREPARE_THRESHOLD = 1


def listen_for_connections() -> None:
    """Connect to new connections."""
    connection_created.connect(_allow_preparing, dispatch_uid="core.prepared_sql")


def fetch_row(sql: str, parameters: Parameters) -> tuple[Any, ...] | None:
    """Run a literal statement that only reads, and return its first row, or None; on PostgreSQL it is prepared.

    Django asks the server before the first statement of each request whether the connection still works, which costs as
    much as the statement. Here the statement finds out, and is run again if the server has closed the connection.
    """
    if connection.connection is None or connection.in_atomic_block:
        return _run_statement(sql, parameters)
    connection.health_check_done = True  # type: ignore[attr-defined]  # the stubs lack it
    try:
        return _run_statement(sql, parameters)
    except Error:
        if connection.is_usable():
            raise
        connection.close()
        return _run_statement(sql, parameters)


def _run_statement(sql: str, parameters: Parameters) -> tuple[Any, ...] | None:
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
