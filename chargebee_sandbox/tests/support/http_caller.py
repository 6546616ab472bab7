"""Calls the sandbox's operations over plain HTTP and records every answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).resolve().parents[3]
_PRINT_ROUTES = """
import django, json
django.setup()
import chargebee_sandbox.operations
from chargebee_sandbox.api.router import registered_operations
rows = [
    [operation.name, operation.method, operation.path, operation.takes, operation.is_write]
    for operation in registered_operations
]
print(json.dumps(rows))
"""


@dataclass(frozen=True)
class BuiltOperation:
    """An operation of the sandbox; `takes` is None for a list, which checks its filters itself."""

    name: str
    method: str
    path: str
    takes: list[str] | None
    idempotent: bool


@cache
def built_operations() -> dict[str, BuiltOperation]:
    """Return every operation of the sandbox by name, read in a process with the sandbox's settings."""
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "chargebee_sandbox.settings"}
    command = [sys.executable, "-c", _PRINT_ROUTES]
    run = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return {name: BuiltOperation(name, *rest) for name, *rest in json.loads(run.stdout)}


@dataclass
class HttpCaller:
    """A client of one sandbox."""

    http: httpx.Client
    answers: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    refusals: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def send_request(self, name: str, handle: str = "", params: Mapping[str, object] | None = None) -> httpx.Response:
        """Call an operation and return the response."""
        operation = built_operations()[name]
        path = operation.path.replace("{handle}", handle).removeprefix("/")
        flat = dict(flatten_params(params or {}))
        if operation.method == "GET":
            return self.http.get(path, params=flat)
        return self.http.post(path, data=flat)

    def call_operation(self, name: str, handle: str = "", /, **params: object) -> dict[str, Any]:
        """Call an operation that must succeed, record the answer, and return it."""
        response = self.send_request(name, handle, params)
        assert response.status_code == 200, f"{name}: {response.status_code} {response.text}"
        answer: dict[str, Any] = response.json()
        self.answers.append((name, answer))
        return answer

    def call_disabled_operation(self, name: str, handle: str) -> None:
        """Call an operation of a feature that the site has not enabled, and record the refusal."""
        response = self.send_request(name, handle)
        refusal: dict[str, Any] = response.json()
        assert (response.status_code, refusal["api_error_code"]) == (400, "configuration_incompatible"), name
        self.refusals.append((name, refusal))

    def list_entries(self, name: str, /, **params: object) -> list[dict[str, Any]]:
        """Return every entry of a list, page by page."""
        answer = self.call_operation(name, limit=100, **params)
        entries: list[dict[str, Any]] = answer["list"]
        while "next_offset" in answer:
            answer = self.call_operation(name, limit=100, offset=answer["next_offset"], **params)
            entries += answer["list"]
        return entries


def flatten_params(params: Mapping[str, object], prefix: str = "") -> list[tuple[str, str]]:
    """Return nested parameters in the provider's form encoding, lists of objects column by column."""
    flat: list[tuple[str, str]] = []
    for name, value in params.items():
        key = f"{prefix}[{name}]" if prefix else name
        match value:
            case dict():
                flat += flatten_params(value, key)
            case [dict(), *_]:
                flat += _flatten_columns(key, value)
            case list():
                flat += [(f"{key}[{index}]", str(item)) for index, item in enumerate(value)]
            case bool():
                flat.append((key, str(value).lower()))
            case _:
                flat.append((key, str(value)))
    return flat


def _flatten_columns(key: str, rows: Sequence[Any]) -> list[tuple[str, str]]:
    cells = [(index, column, cell) for index, row in enumerate(rows) for column, cell in row.items()]
    return [(f"{key}[{column}][{index}]", str(cell)) for index, column, cell in cells]
