"""Rebuilds ``tests/facts`` from a directory with the provider's published schemas. Run by hand::

    python -m chargebee_sandbox.tests.support.build_facts DIRECTORY

The directory holds ``operations.json`` (operations by name, with method, path, parameters, and response keys) and
``resources.schema.json`` (JSON schemas by resource, and the content keys of each event type). The facts are names,
types, and enum values alone. They are limited to what the sandbox could send: to names that its source contains, and to
required attributes. ``published_facts`` describes their format.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from chargebee_sandbox.tests.support.http_caller import built_operations
from chargebee_sandbox.tests.support.published_facts import FACTS

_PRODUCT = Path(__file__).resolve().parents[2]
_API_PREFIX = "/api/v2"
_MAX_LINE = 110


def main(directory: Path) -> None:
    """Write the three files of facts."""
    operations = json.loads((directory / "operations.json").read_text())["operations"]
    schemas = json.loads((directory / "resources.schema.json").read_text())
    words = _source_words()
    built = {name: operations[name] for name in sorted(built_operations()) if name in operations}
    event_types = sorted(words & schemas["x-event-content-by-type"].keys())
    event_keys = {name: schemas["x-event-content-by-type"][name] for name in event_types}
    resources = {name: schema for name, schema in schemas["$defs"].items() if name in words}
    _write_facts("operations", {name: _operation_facts(built[name], words) for name in built})
    _write_facts("events", {name: _join_names(words & keys.keys()) for name, keys in event_keys.items()})
    _write_facts("resources", {name: _object_facts(schema, words) for name, schema in resources.items()})


def _source_words() -> set[str]:
    sources = [
        path.read_text()
        for path in _PRODUCT.rglob("*.py")
        if not {"tests", "migrations"} & set(path.relative_to(_PRODUCT).parts)
    ]
    return {word for source in sources for word in re.findall(r"[a-z][a-z0-9_]*", source)}


def _operation_facts(operation: Mapping[str, Any], words: set[str]) -> dict[str, Any]:
    keys = operation["response_keys"]
    is_list = "list" in keys
    facts = {
        "call": f"{operation['method']} {operation['path'].removeprefix(_API_PREFIX)}",
        "idempotent": operation["idempotent_flag"],
        # A list has to refuse the filters of other lists, so that all their names are facts.
        "params": _join_names(operation["params"] if is_list else words & operation["params"].keys()),
        "sorts": _join_names(operation.get("sort_by_attributes", ())),
        "answer": _answer_facts(keys["list"][0] if is_list else keys, words),
    }
    return {name: value for name, value in facts.items() if value}


def _answer_facts(keys: Mapping[str, Any], words: set[str]) -> str:
    marked = {name: name if key["optional"] else f"{name}!" for name, key in keys.items()}
    return _join_names(mark for name, mark in marked.items() if name in words or mark.endswith("!"))


def _object_facts(schema: Mapping[str, Any], words: set[str]) -> dict[str, Any]:
    required = set(schema.get("required", ()))
    facts = {}
    for name, attribute in schema["properties"].items():
        if name in words or name in required:
            key, value = _attribute_facts(name, attribute, words)
            facts[f"{key}!" if name in required else key] = value
    if schema.get("additionalProperties") is True:
        facts["*"] = "any"
    return facts


def _attribute_facts(name: str, schema: Mapping[str, Any], words: set[str]) -> tuple[str, Any]:
    """Return the key and the value of an attribute's fact; the key of a list has the suffix []."""
    if schema.get("type") == "array":
        return f"{name}[]", _value_facts(schema.get("items", {}), words)
    return name, _value_facts(schema, words)


def _value_facts(schema: Mapping[str, Any], words: set[str]) -> Any:
    match schema:
        case {"$ref": str() as reference}:
            return f"@{reference.rpartition('/')[2]}"
        case {"const": str() as value}:
            return [value]
        case {"enum": [*values]}:
            return [value for value in values if value in words]
        case {"type": "object", "properties": dict()}:
            return _object_facts(schema, words)
        case _:
            return _type_name(schema)


def _type_name(schema: Mapping[str, Any]) -> str:
    if schema.get("type") != "integer":
        return str(schema.get("type", "any"))
    if schema.get("format") == "unix-time":
        return "time"
    return "version" if schema.get("minimum") else "integer"


def _join_names(names: Iterable[str]) -> str:
    return " ".join(sorted(names))


def _write_facts(name: str, facts: Mapping[str, Any]) -> None:
    lines = [f" {json.dumps(key)}: {_render_value(value, 1, len(key))}" for key, value in facts.items()]
    (FACTS / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


def _render_value(value: Any, depth: int, offset: int) -> str:
    """Return JSON with one attribute per line; an object below a resource that fits stays on its line."""
    line = json.dumps(value)
    if not isinstance(value, dict) or (depth > 1 and depth + offset + len(line) < _MAX_LINE):
        return line
    indent = " " * (depth + 1)
    lines = [f"{indent}{json.dumps(key)}: {_render_value(part, depth + 1, len(key))}" for key, part in value.items()]
    return "{\n" + ",\n".join(lines) + "\n" + " " * depth + "}"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
