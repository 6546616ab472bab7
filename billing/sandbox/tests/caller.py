"""Calls the sandbox's operations over plain HTTP and remembers every answer, as it came."""

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
import billing.sandbox.operations
from billing.sandbox.wire.router import operations
write = lambda one: one.method == "POST" and not one.estimate
print(json.dumps([[one.name, one.method, one.path, one.takes, write(one)] for one in operations]))
"""


@dataclass(frozen=True)
class Built:
    """An operation the sandbox has; `takes` is None where it is a list, which knows its filters itself."""

    name: str
    method: str
    path: str
    takes: list[str] | None
    idempotent: bool


@cache
def built_operations() -> dict[str, Built]:
    """Every operation the sandbox has, asked of a process with the sandbox's own settings."""
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "billing.sandbox.settings"}
    command = [sys.executable, "-c", _PRINT_ROUTES]
    run = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return {name: Built(name, *rest) for name, *rest in json.loads(run.stdout)}


@dataclass
class Caller:
    """A client of one sandbox."""

    http: httpx.Client
    answers: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def send(self, name: str, handle: str = "", params: Mapping[str, object] | None = None) -> httpx.Response:
        """One call, whatever its outcome."""
        operation = built_operations()[name]
        path = operation.path.replace("{handle}", handle).removeprefix("/")
        flat = dict(flatten(params or {}))
        if operation.method == "GET":
            return self.http.get(path, params=flat)
        return self.http.post(path, data=flat)

    def call(self, name: str, handle: str = "", /, **params: object) -> dict[str, Any]:
        """One call that succeeds; its answer is remembered."""
        response = self.send(name, handle, params)
        assert response.status_code == 200, f"{name}: {response.status_code} {response.text}"
        answer: dict[str, Any] = response.json()
        self.answers.append((name, answer))
        return answer

    def pages(self, name: str, /, **params: object) -> list[dict[str, Any]]:
        """Every entry of a list, page by page."""
        answer = self.call(name, limit=100, **params)
        entries: list[dict[str, Any]] = answer["list"]
        while "next_offset" in answer:
            answer = self.call(name, limit=100, offset=answer["next_offset"], **params)
            entries += answer["list"]
        return entries


def flatten(params: Mapping[str, object], prefix: str = "") -> list[tuple[str, str]]:
    """Nested parameters in the provider's form encoding: lists of objects go column by column."""
    flat: list[tuple[str, str]] = []
    for name, value in params.items():
        key = f"{prefix}[{name}]" if prefix else name
        match value:
            case dict():
                flat += flatten(value, key)
            case [dict(), *_]:
                flat += _columns(key, value)
            case list():
                flat += [(f"{key}[{index}]", str(item)) for index, item in enumerate(value)]
            case bool():
                flat.append((key, str(value).lower()))
            case _:
                flat.append((key, str(value)))
    return flat


def _columns(key: str, rows: Sequence[Any]) -> list[tuple[str, str]]:
    cells = [(index, column, cell) for index, row in enumerate(rows) for column, cell in row.items()]
    return [(f"{key}[{column}][{index}]", str(cell)) for index, column, cell in cells]
