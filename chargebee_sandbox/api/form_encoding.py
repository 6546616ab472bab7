"""Nested form encoding: ``a[b]`` is an object, ``a[0]`` a list, ``a[b][0]`` a column of a list of objects."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from chargebee_sandbox.api.errors import wrong_value

_KEY_PATTERN = re.compile(r"^([^\[\]]+)((?:\[[^\[\]]*\])*)$")
_PART_PATTERN = re.compile(r"\[([^\[\]]*)\]")
_MAX_DEPTH = 4
_MAX_SHOWN_KEY = 100


def decode_form(pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return nested parameters from flat pairs; an empty value, which means null, stays an empty string.

    Raises: ApiError 400 for a malformed key, or one that is both a value and an object.
    """
    tree: dict[Any, Any] = {}
    for key, value in pairs:
        _insert_value(tree, _key_path(key), value, key)
    return {name: _build_value(branch) for name, branch in tree.items()}


def _key_path(key: str) -> list[str | int]:
    match = _KEY_PATTERN.match(key)
    parts = [match[1], *_PART_PATTERN.findall(match[2])] if match else []
    if not 1 <= len(parts) <= _MAX_DEPTH:
        raise wrong_value(key[:_MAX_SHOWN_KEY], "is not a parameter name")
    return [int(part) if part.isdecimal() else _lower_part(part) for part in parts]


def _lower_part(part: str) -> str:
    return part if part.startswith("cf_") else part.lower()


def _insert_value(tree: dict[Any, Any], path: list[str | int], value: str, key: str) -> None:
    *branches, leaf = path
    for branch in branches:
        tree = tree.setdefault(branch, {})
        if not isinstance(tree, dict):
            raise wrong_value(key, "is given both as a value and as an object")
    tree[leaf] = value


def _build_value(branch: Any) -> Any:
    if not isinstance(branch, dict):
        return branch
    if branch and all(isinstance(part, int) for part in branch):
        return [_build_value(branch[index]) for index in sorted(branch)]
    if branch and all(_is_column(column) for column in branch.values()):
        return _column_rows(branch)
    return {str(part): _build_value(value) for part, value in branch.items()}


def _is_column(column: Any) -> bool:
    return isinstance(column, dict) and bool(column) and all(isinstance(index, int) for index in column)


def _column_rows(columns: dict[Any, Any]) -> list[dict[str, Any]]:
    indices = sorted({index for column in columns.values() for index in column})
    return [
        {str(name): _build_value(column[index]) for name, column in columns.items() if index in column}
        for index in indices
    ]
