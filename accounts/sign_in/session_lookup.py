"""Looks up the session of a token. Every request does, so the SQL is built once, and planned once.

Building the query with the ORM each time costs several times as much as running it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, models

from accounts.models import Account, SessionToken, User
from core.prepared_sql import fetch_row

Columns = Sequence[Any]  # model fields; the stubs disagree on their types

# No request needs the other columns, such as the password hash. They are deferred.
_USER_FIELDS = ("id", "is_active")
_LOADED_MODELS: tuple[tuple[type[models.Model], Columns], ...] = (
    (SessionToken, SessionToken._meta.concrete_fields),
    (User, [User._meta.get_field(name) for name in _USER_FIELDS]),
    (Account, Account._meta.concrete_fields),
)
_SELECTED_FIELDS: list[Any] = [field for _model, fields in _LOADED_MODELS for field in fields]
_SESSION_TABLE, _USER_TABLE, _ACCOUNT_TABLE = (model._meta.db_table for model, _fields in _LOADED_MODELS)


def open_session_sql(columns: str, *, joins: str = "") -> str:
    """Return a statement that reads an open session with its user and account, by token digest and the time now.

    A caller may join more, and add conditions at the end.
    """
    return f"""
        SELECT {columns}
        FROM {_SESSION_TABLE}
        JOIN {_USER_TABLE} ON {_USER_TABLE}.id = {_SESSION_TABLE}.user_id
        JOIN {_ACCOUNT_TABLE} ON {_ACCOUNT_TABLE}.user_id = {_USER_TABLE}.id
        {joins}
        WHERE {_SESSION_TABLE}.digest = %s AND {_SESSION_TABLE}.expiry > %s AND {_USER_TABLE}.is_active
    """  # noqa: S608  (our own tables' names)


_OPEN_SESSION_SQL = open_session_sql(
    ", ".join(f'"{field.model._meta.db_table}"."{field.column}"' for field in _SELECTED_FIELDS)
)


def find_open_session(digest: str, *, now: datetime) -> SessionToken | None:
    """Return the session with this token digest, its user and their account loaded, in one query.

    Return None if it is unknown, revoked or expired at `now` (UTC), or if its user is inactive or not a subscriber.
    """
    row = fetch_row(_OPEN_SESSION_SQL, [digest, connection.ops.adapt_datetimefield_value(now)])
    if row is None:
        return None
    session, user, account = _build_instances(_convert_values(list(row)))
    account.user, session.user = user, user
    return session  # type: ignore[no-any-return]  # knox has no types


def _build_instances(values: list[Any]) -> Iterator[Any]:
    """Yield an instance of each model from its part of the row."""
    end = 0
    for model, fields in _LOADED_MODELS:
        start, end = end, end + len(fields)
        yield model.from_db(DEFAULT_DB_ALIAS, [field.attname for field in fields], values[start:end])


def _convert_values(values: list[Any]) -> list[Any]:
    """Convert database values to Python values in place: SQLite has neither datetimes nor UUIDs."""
    for index, column, convert in _value_converters(connection.vendor):
        values[index] = convert(values[index], column, connection)
    return values


@cache
def _value_converters(_vendor: str) -> list[tuple[int, Any, Any]]:
    converters = []
    for index, field in enumerate(_SELECTED_FIELDS):
        column = field.cached_col
        functions = connection.ops.get_db_converters(column) + field.get_db_converters(connection)
        converters += [(index, column, convert) for convert in functions]
    return converters
