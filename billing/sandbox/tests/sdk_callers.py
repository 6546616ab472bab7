"""The official SDKs as callers of a sandbox, so that each can take the walk: what they found, as an answer again."""

from __future__ import annotations

import json
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from chargebee import APIError, Chargebee
from chargebee.model import Model

from billing.sandbox.tests.caller import ROOT, Caller

_REPLAYED = "chargebee-idempotency-replayed"
_NODE_SDK = Path(__file__).with_name("node_sdk.mjs")
_AROUND_THE_BODY = {"headers", "http_status_code", "is_idempotency_replayed"}


@dataclass
class Found:
    """What an SDK made of one answer; of an error, its attributes are the body."""

    status: int
    body: dict[str, Any]
    replayed: bool


@dataclass
class SdkCaller(Caller, ABC):
    """A caller that speaks through an SDK and remembers what that found, refusals too."""

    found: list[tuple[str, Found]] = field(default_factory=list)

    def ask(
        self,
        name: str,
        handle: str = "",
        params: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Found:
        """One call through the SDK, whatever its outcome."""
        found = self._ask(name, handle, dict(params or {}), dict(headers or {}))
        self.found.append((name, found))
        return found

    def send(self, name: str, handle: str = "", params: Mapping[str, object] | None = None) -> httpx.Response:
        """One call, whatever its outcome."""
        found = self.ask(name, handle, params)
        return httpx.Response(found.status, json=found.body)

    @abstractmethod
    def _ask(self, name: str, handle: str, params: dict[str, object], headers: dict[str, str]) -> Found:
        """One call through this SDK."""


@dataclass
class PythonSdk(SdkCaller):
    """The Python SDK, its typed answers read attribute by attribute."""

    client: Chargebee = field(kw_only=True)

    def _ask(self, name: str, handle: str, params: dict[str, object], headers: dict[str, str]) -> Found:
        resource, operation = name.split(".")
        act = getattr(getattr(self.client, resource.title().replace("_", "")), operation)
        try:
            answer = act(*(part for part in (handle, params) if part), headers=headers)
        except APIError as error:
            body = {key: value for key, value in error.json_obj.items() if key != "http_status_code"}
            return Found(error.http_status_code, body, _REPLAYED in error.http_headers)
        replayed = getattr(answer, "is_idempotency_replayed", False)
        return Found(answer.http_status_code, _plain(answer), replayed)


@dataclass
class NodeSdk(SdkCaller):
    """The Node SDK, in a process of its own."""

    process: subprocess.Popen[str] = field(kw_only=True)

    def _ask(self, name: str, handle: str, params: dict[str, object], headers: dict[str, str]) -> Found:
        assert self.process.stdin
        assert self.process.stdout
        request = {"name": name, "handle": handle, "params": params, "headers": headers}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer, f"the Node SDK gave up at {name}"
        return Found(**json.loads(answer))


@contextmanager
def node_sdk(http: httpx.Client, endpoint: str, api_key: str) -> Iterator[NodeSdk]:
    """Run the Node SDK for as long as the block lasts."""
    command = ["node", str(_NODE_SDK), endpoint, api_key]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        yield NodeSdk(http, process=process)


def _plain(found: Any) -> Any:
    """A typed answer as what it was read from: what is None was not sent."""
    match found:
        case Model():
            return {name: _plain(getattr(found, name)) for name in found.raw_data}
        case list():
            return [_plain(item) for item in found]
        case object(__dataclass_fields__=_):
            parts = {name: value for name, value in vars(found).items() if name not in _AROUND_THE_BODY}
            return {name: _plain(value) for name, value in parts.items() if value is not None}
        case _:
            return found
