"""Copies of a customer's rows with other ids, words and times: so many customers cost the time of a few."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from chargebee_sandbox.models import Event, Resource

Row = Resource | Event
# A whole number of ten digits in a row is a time in seconds.
_TIME = r'(?<![\w".-])([1-3]\d{9})(?![\w".-])'


class RowCopier:
    """Copies rows that refer to each other. `words` are all strings in them that differ in each copy."""

    def __init__(self, rows: Sequence[Row], words: Iterable[str]) -> None:
        self._texts = [(type(row), json.dumps(_column_values(row))) for row in rows]
        spellings = "|".join(re.escape(json.dumps(word)) for word in words)
        self._variable = re.compile(f"({spellings})|{_TIME}")

    def copy_rows(self, words: Mapping[str, str], *, seconds: int) -> list[Row]:
        """Return unsaved copies, in which each of the words is another one and times are `seconds` later."""
        spellings = {json.dumps(word): json.dumps(other) for word, other in words.items()}

        def replace(found: re.Match[str]) -> str:
            word, instant = found.groups()
            return spellings[word] if word else str(int(instant) + seconds)

        return [model(**json.loads(self._variable.sub(replace, text))) for model, text in self._texts]


def insert_rows(rows: Iterable[Row]) -> int:
    """Insert unsaved rows, those of one kind together in their order; return how many."""
    rows_by_model: dict[type[Row], list[Any]] = {}
    for row in rows:
        rows_by_model.setdefault(type(row), []).append(row)
    inserted = 0
    for model, found in rows_by_model.items():
        inserted += len(model._default_manager.bulk_create(found))
    return inserted


def _column_values(row: Row) -> dict[str, object]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields if not field.primary_key}
