"""What the provider publishes: its resources as JSON schemas, its operations with their parameters."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it ships no types

ROOT = Path(__file__).resolve().parents[3]
PACK = Path(os.environ.get("SHARED_DIR", str(ROOT.parent / "shared"))) / "chargebee"

needs_the_published_pack = pytest.mark.skipif(
    not (PACK / "operations.json").is_file(),
    reason=f"the provider's published schemas are not at {PACK} (SHARED_DIR says where else to look)",
)


@cache
def _resources() -> dict[str, Any]:
    schemas: dict[str, Any] = json.loads((PACK / "resources.schema.json").read_text())
    return schemas


@cache
def operations() -> dict[str, Any]:
    """The published operations by name."""
    published: dict[str, Any] = json.loads((PACK / "operations.json").read_text())["operations"]
    return published


def event_content(event_type: str) -> dict[str, str]:
    """The keys an event's content may have, with their types."""
    published: dict[str, str] = _resources()["x-event-content-by-type"][event_type]
    return published


@cache
def _validator(definition: str) -> Draft202012Validator:
    schemas = _resources()
    return Draft202012Validator({"$ref": f"#/$defs/{definition}", "$defs": schemas["$defs"]})


def is_published(definition: str) -> bool:
    """Whether a resource's schema is in the pack."""
    return definition in _resources()["$defs"]


def faults(definition: str, body: Any) -> list[str]:
    """What is wrong with a body by its published schema, each with the place where."""
    return [
        f"{definition}.{error.json_path[2:]}: {error.message}"
        for error in _validator(definition).iter_errors(body)
    ]
