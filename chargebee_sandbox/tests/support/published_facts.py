"""What the provider publishes about the sandbox's operations and resources, read from the facts in ``tests/facts``.

``operations.json`` has of each operation the ``call`` (method and path below /api/v2), the ``params``, the resources
of the ``answer``, the ``sorts`` of a list, and whether it is ``idempotent``. ``events.json`` has the content keys of
each event type. ``resources.json`` has the attributes of each resource: ``!`` marks a required one, ``[]`` a list. A
value is a type, an array of enum values, an object's attributes, or ``@`` with the name of a resource. A ``time`` is
in seconds UTC, a ``version`` in milliseconds; the key ``*`` permits further attributes. ``build_facts`` rebuilds the
files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FACTS = Path(__file__).resolve().parents[1] / "facts"
_MAX_TIME = 99_999_999_999
_MIN_VERSION = 10**12


@dataclass(frozen=True)
class PublishedOperation:
    """An operation as published; ``answer`` tells of each key whether it is always there."""

    call: str
    idempotent: bool
    params: frozenset[str]
    sorts: frozenset[str]
    answer: dict[str, bool]


@cache
def published_operations() -> dict[str, PublishedOperation]:
    """Return the published operations by name."""
    return {
        name: PublishedOperation(
            call=facts["call"],
            idempotent=facts.get("idempotent", False),
            params=frozenset(facts.get("params", "").split()),
            sorts=frozenset(facts.get("sorts", "").split()),
            answer={key.removesuffix("!"): key.endswith("!") for key in facts["answer"].split()},
        )
        for name, facts in _read_facts("operations").items()
    }


def event_content_keys(event_type: str) -> set[str]:
    """Return the keys that an event's content may have."""
    return set(_read_facts("events")[event_type].split())


def find_faults(resource: str, body: dict[str, Any]) -> list[str]:
    """Return where a body differs from the published resource; further attributes are faults unless permitted."""
    facts = _read_facts("resources")[resource]
    published = {_attribute_name(key) for key in facts}
    unknown = [name for name in body if name not in published and not name.startswith("cf_")]
    undeclared = [] if "*" in facts else [f"{resource}.{name} is not published" for name in unknown]
    return [*undeclared, *_attribute_faults(facts, body, resource)]


@cache
def _read_facts(name: str) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((FACTS / f"{name}.json").read_text())
    return facts


def _attribute_name(key: str) -> str:
    return key.removesuffix("!").removesuffix("[]")


def _attribute_faults(facts: dict[str, Any], body: dict[str, Any], place: str) -> Iterator[str]:
    for key, expected in facts.items():
        name = _attribute_name(key)
        if name in body and key.removesuffix("!").endswith("[]"):
            yield from _list_faults(expected, body[name], f"{place}.{name}")
        elif name in body:
            yield from _value_faults(expected, body[name], f"{place}.{name}")
        elif key.endswith("!"):
            yield f"{place}.{name} is required"


def _list_faults(expected: Any, values: Any, place: str) -> Iterator[str]:
    if not isinstance(values, list):
        yield f"{place}: {values!r} is not a list"
        return
    for value in values:
        yield from _value_faults(expected, value, f"{place}[]")


def _value_faults(expected: Any, value: Any, place: str) -> Iterator[str]:
    match expected:
        case dict() if isinstance(value, dict):
            yield from _attribute_faults(expected, value, place)
        case str() if expected.startswith("@") and isinstance(value, dict):
            yield from (f"{place}: {fault}" for fault in find_faults(expected.removeprefix("@"), value))
        case list() if value in expected:
            return
        case str() if _has_type(expected, value):
            return
        case _:
            yield f"{place}: {value!r} is not {expected}"


def _has_type(kind: str, value: Any) -> bool:
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    return {
        "any": True,
        "string": isinstance(value, str),
        "boolean": isinstance(value, bool),
        "integer": is_integer,
        "number": is_integer or isinstance(value, float),
        "time": is_integer and 0 <= value <= _MAX_TIME,
        "version": is_integer and value >= _MIN_VERSION,
        "object": isinstance(value, dict),
    }.get(kind, False)
