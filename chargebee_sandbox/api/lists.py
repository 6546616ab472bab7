"""List operations: filters, sorting and pages.

A list declares its filters by kind (``{"status": "enum"}``) and its sort attributes; the operators of each kind are
the provider's. ``in`` takes a JSON array, the documented unquoted ``[a,b]``, and the Python repr the SDK sends.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from django.db.models import Model, Q, QuerySet

from chargebee_sandbox.api.errors import wrong_value
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.body import Body

M = TypeVar("M", bound=Model)

FILTER_OPERATORS: dict[str, tuple[str, ...]] = {
    "string": ("is", "is_not", "starts_with", "in", "not_in", "is_present"),
    "enum": ("is", "is_not", "in", "not_in"),
    "number": ("is", "is_not", "lt", "lte", "gt", "gte", "between", "is_present"),
    "timestamp": ("after", "before", "on", "between", "is_present"),
    "boolean": ("is",),
}
_SHARED_COLUMNS = {"id": "handle", "created_at": "created_at", "updated_at": "updated_at"}
_TEXT_COLUMNS = ("handle", "body__name")
_DAY_SECONDS = 86_400
_PAGE_PARAMETERS = ("limit", "offset", "sort_by")


def list_page(
    rows: QuerySet[M],
    params: Params,
    *,
    filters: Mapping[str, str],
    sorts: tuple[str, ...] = (),
    render: Callable[[M], Body],
    columns: Mapping[str, str] | None = None,
    also: tuple[str, ...] = (),
) -> Body:
    """Return one page of a list, newest first by default.

    ``columns`` maps parameters to database columns; all others are looked up in the row's body. ``also`` are
    parameters the caller has read itself. Raises: ApiError 400 for an unsupported filter, sort, or offset.
    """
    lookups = {**_SHARED_COLUMNS, **(columns or {})}
    params.allow_only((*filters, *_PAGE_PARAMETERS, *also))
    for name, kind in filters.items():
        for operator, value in params.object(name).values.items():
            rows = rows.filter(_filter_condition(name, lookups.get(name, f"body__{name}"), kind, operator, value))
    return _cut_page(rows, params, sorts, lookups, render)


def exclude_deleted(rows: QuerySet[M], params: Params) -> QuerySet[M]:
    """Return the rows without deleted ones, unless the request has ``include_deleted``."""
    return rows if params.boolean("include_deleted") else rows.filter(deleted=False)


def _filter_condition(name: str, column: str, kind: str, operator: str, value: Any) -> Q:
    if operator not in FILTER_OPERATORS[kind] or not isinstance(value, str):
        raise wrong_value(f"{name}[{operator}]", "is not a filter of this list")
    if operator == "is_present":
        return Q(**{f"{column}__isnull": value != "true"})
    if operator in ("in", "not_in", "between"):
        return _list_condition(
            name, column, kind, operator, [_typed_value(name, kind, item) for item in parse_list(value)]
        )
    return _single_value_condition(column, operator, _typed_value(name, kind, value))


def _single_value_condition(column: str, operator: str, value: Any) -> Q:
    match operator:
        case "is":
            return Q(**{column: value})
        case "is_not":
            return ~Q(**{column: value})
        case "starts_with":
            return Q(**{f"{column}__startswith": value})
        case "on":
            midnight = value - value % _DAY_SECONDS
            return Q(**{f"{column}__gte": midnight, f"{column}__lt": midnight + _DAY_SECONDS})
        case _:
            return Q(**{f"{column}__{ {'after': 'gt', 'before': 'lt'}.get(operator, operator) }": value})


def _list_condition(name: str, column: str, kind: str, operator: str, values: list[Any]) -> Q:
    if operator == "in":
        return Q(**{f"{column}__in": values})
    if operator == "not_in":
        return ~Q(**{f"{column}__in": values})
    if len(values) != 2:
        raise wrong_value(f"{name}[between]", "takes two values")
    return Q(**{f"{column}__gte": values[0], f"{column}__lte": values[1]})


def _typed_value(name: str, kind: str, value: str) -> Any:
    if kind == "boolean":
        return Params({name: value}).boolean(name)
    if kind == "timestamp":
        return Params({name: value}).instant(name)
    return Params({name: value}).integer(name) if kind == "number" else value


def parse_list(value: str) -> list[str]:
    """Return the items of a list in any of the three forms clients send."""
    for parse in (json.loads, ast.literal_eval):
        try:
            items = parse(value)
        except (ValueError, SyntaxError, RecursionError):
            continue
        return [str(item) for item in items] if isinstance(items, list) else [str(items)]
    return [item.strip() for item in value.strip("[]").split(",") if item.strip()]


def _cut_page(
    rows: QuerySet[M],
    params: Params,
    sorts: tuple[str, ...],
    lookups: Mapping[str, str],
    render: Callable[[M], Body],
) -> Body:
    limit = params.integer("limit", least=1, most=100) or 10
    order, column = _sort_order(params, sorts, lookups)
    sign, beyond = ("", "gt") if order == "asc" else ("-", "lt")
    if offset := params.text("offset", longest=1000):
        value, seq = _decode_offset(offset, column)
        rows = rows.filter(Q(**{f"{column}__{beyond}": value}) | Q(**{column: value, f"seq__{beyond}": seq}))
    page = list(rows.order_by(f"{sign}{column}", f"{sign}seq")[: limit + 1])
    answer: Body = {"list": [render(row) for row in page[:limit]]}
    if len(page) > limit:
        last = page[limit - 1]
        answer["next_offset"] = json.dumps([_sort_value(last, column), last.pk])
    return answer


def _sort_order(params: Params, sorts: tuple[str, ...], lookups: Mapping[str, str]) -> tuple[str, str]:
    for direction, name in params.object("sort_by").values.items():
        if direction not in ("asc", "desc") or name not in sorts:
            raise wrong_value(f"sort_by[{direction}]", f"should be one of [{', '.join(sorts)}]")
        return direction, lookups.get(name, f"body__{name}")
    return "desc", "seq"


def _sort_value(row: Any, column: str) -> Any:
    return row.body[column.removeprefix("body__")] if column.startswith("body__") else getattr(row, column)


def _decode_offset(offset: str, column: str) -> tuple[Any, int]:
    kind = str if column in _TEXT_COLUMNS else int
    try:
        value, seq = json.loads(offset)
    except (ValueError, TypeError):
        value, seq = None, None
    if type(value) is not kind or type(seq) is not int:
        raise wrong_value("offset", "is not one this list gave")
    return value, seq
