"""Form encoding with nesting: ``a[b]`` is an object, ``a[0]`` a list, ``a[b][0]`` a column of a list of objects."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from billing.sandbox.wire.errors import wrong_value

_KEY = re.compile(r"^([^\[\]]+)((?:\[[^\[\]]*\])*)$")
_PART = re.compile(r"\[([^\[\]]*)\]")
_DEEPEST = 4
_SHOWN = 100


def decode(pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Nested parameters from flat ones; an empty value stays an empty string, which means null.

    Raises: ApiError 400 for a key that is no key, or one that is both a value and an object.
    """
    tree: dict[Any, Any] = {}
    for key, value in pairs:
        _plant(tree, _path(key), value, key)
    return {name: _gather(branch) for name, branch in tree.items()}


def _path(key: str) -> list[str | int]:
    match = _KEY.match(key)
    parts = [match[1], *_PART.findall(match[2])] if match else []
    if not 1 <= len(parts) <= _DEEPEST:
        raise wrong_value(key[:_SHOWN], "is not a parameter name")
    return [int(part) if part.isdecimal() else _lowered(part) for part in parts]


def _lowered(part: str) -> str:
    return part if part.startswith("cf_") else part.lower()


def _plant(tree: dict[Any, Any], path: list[str | int], value: str, key: str) -> None:
    *branches, leaf = path
    for branch in branches:
        tree = tree.setdefault(branch, {})
        if not isinstance(tree, dict):
            raise wrong_value(key, "is given both as a value and as an object")
    tree[leaf] = value


def _gather(branch: Any) -> Any:
    if not isinstance(branch, dict):
        return branch
    if branch and all(isinstance(part, int) for part in branch):
        return [_gather(branch[index]) for index in sorted(branch)]
    if branch and all(_is_column(column) for column in branch.values()):
        return _rows(branch)
    return {str(part): _gather(value) for part, value in branch.items()}


def _is_column(column: Any) -> bool:
    return isinstance(column, dict) and bool(column) and all(isinstance(index, int) for index in column)


def _rows(columns: dict[Any, Any]) -> list[dict[str, Any]]:
    indices = sorted({index for column in columns.values() for index in column})
    return [
        {str(name): _gather(column[index]) for name, column in columns.items() if index in column}
        for index in indices
    ]
