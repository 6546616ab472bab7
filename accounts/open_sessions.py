"""Whose session a token opens: asked by every request, so that the query's text is made once and for all.

Putting the same query together anew each time, as the ORM would, costs several times what running it costs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, models

from accounts.models import Account, SessionToken, User

Columns = Sequence[Any]  # its fields, whose types no stubs agree on

# Of a user no request needs more, their password's hash least of all; it would be loaded by a query of its own.
_OF_A_USER = ("id", "is_active")
_LOADED: tuple[tuple[type[models.Model], Columns], ...] = (
    (SessionToken, SessionToken._meta.concrete_fields),
    (User, [User._meta.get_field(name) for name in _OF_A_USER]),
    (Account, Account._meta.concrete_fields),
)
_FIELDS: list[Any] = [field for _model, fields in _LOADED for field in fields]
_SESSION, _USER, _ACCOUNT = (model._meta.db_table for model, _fields in _LOADED)
_OPEN = f"""
    SELECT {", ".join(f'"{field.model._meta.db_table}"."{field.column}"' for field in _FIELDS)}
    FROM {_SESSION}
    JOIN {_USER} ON {_USER}.id = {_SESSION}.user_id
    JOIN {_ACCOUNT} ON {_ACCOUNT}.user_id = {_USER}.id
    WHERE {_SESSION}.digest = %s AND {_SESSION}.expiry > %s AND {_USER}.is_active
"""  # noqa: S608  (our own tables' names)


def open_session(digest: str, *, now: datetime) -> SessionToken | None:
    """Return the session that is open under a digest at `now` (UTC), with its user and their account; one query.

    None where it is unknown, revoked or over, or its user is switched off or no subscriber.
    """
    with connection.cursor() as cursor:
        cursor.execute(_OPEN, [digest, connection.ops.adapt_datetimefield_value(now)])
        row = cursor.fetchone()
    if row is None:
        return None
    session, user, account = _instances(_converted(list(row)))
    account.user, session.user = user, user
    return session  # type: ignore[no-any-return]  # knox has no types


def _instances(values: list[Any]) -> Iterator[Any]:
    """Make an instance of each model from its part of a row."""
    end = 0
    for model, fields in _LOADED:
        start, end = end, end + len(fields)
        yield model.from_db(DEFAULT_DB_ALIAS, [field.attname for field in fields], values[start:end])


def _converted(values: list[Any]) -> list[Any]:
    """Turn what the database gave into what fields hold, in place: SQLite has neither times nor UUIDs of its own."""
    for place, column, convert in _converters(connection.vendor):
        values[place] = convert(values[place], column, connection)
    return values


@cache
def _converters(_vendor: str) -> list[tuple[int, Any, Any]]:
    found = []
    for place, field in enumerate(_FIELDS):
        column = field.cached_col
        converters = connection.ops.get_db_converters(column) + field.get_db_converters(connection)
        found += [(place, column, convert) for convert in converters]
    return found
