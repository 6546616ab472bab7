"""Callers that use the official SDKs and turn what the SDKs read back into answers."""

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

from chargebee_sandbox.tests.support.http_caller import ROOT, HttpCaller

_REPLAYED = "chargebee-idempotency-replayed"
_NODE_SDK = Path(__file__).with_name("node_sdk.mjs")
_ENVELOPE_ATTRIBUTES = {"headers", "http_status_code", "is_idempotency_replayed"}


@dataclass
class SdkAnswer:
    """An answer as an SDK read it; the body of an error has the error's attributes."""

    status: int
    body: dict[str, Any]
    replayed: bool


@dataclass
class SdkCaller(HttpCaller, ABC):
    """A caller that uses an SDK and records its answers, including errors."""

    recorded: list[tuple[str, SdkAnswer]] = field(default_factory=list)

    def ask_sdk(
        self,
        name: str,
        handle: str = "",
        params: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> SdkAnswer:
        """Call an operation through the SDK, record the answer, and return it."""
        answer = self._call_sdk(name, handle, dict(params or {}), dict(headers or {}))
        self.recorded.append((name, answer))
        return answer

    def send_request(self, name: str, handle: str = "", params: Mapping[str, object] | None = None) -> httpx.Response:
        """Call an operation and return the response."""
        answer = self.ask_sdk(name, handle, params)
        return httpx.Response(answer.status, json=answer.body)

    @abstractmethod
    def _call_sdk(self, name: str, handle: str, params: dict[str, object], headers: dict[str, str]) -> SdkAnswer:
        """Call an operation through this SDK."""


@dataclass
class PythonSdk(SdkCaller):
    """The Python SDK, whose typed answers are read attribute by attribute."""

    client: Chargebee = field(kw_only=True)

    def _call_sdk(self, name: str, handle: str, params: dict[str, object], headers: dict[str, str]) -> SdkAnswer:
        resource, operation = name.split(".")
        act = getattr(getattr(self.client, resource.title().replace("_", "")), operation)
        try:
            answer = act(*(part for part in (handle, params) if part), headers=headers)
        except APIError as error:
            body = {key: value for key, value in error.json_obj.items() if key != "http_status_code"}
            return SdkAnswer(error.http_status_code, body, _REPLAYED in error.http_headers)
        replayed = getattr(answer, "is_idempotency_replayed", False)
        return SdkAnswer(answer.http_status_code, _plain_value(answer), replayed)


@dataclass
class NodeSdk(SdkCaller):
    """The Node SDK, in a process of its own."""

    process: subprocess.Popen[str] = field(kw_only=True)

    def _call_sdk(self, name: str, handle: str, params: dict[str, object], headers: dict[str, str]) -> SdkAnswer:
        assert self.process.stdin
        assert self.process.stdout
        request = {"name": name, "handle": handle, "params": params, "headers": headers}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer, f"the Node SDK gave up at {name}"
        return SdkAnswer(**json.loads(answer))


@contextmanager
def run_node_sdk(http: httpx.Client, endpoint: str, api_key: str) -> Iterator[NodeSdk]:
    """Run the Node SDK for as long as the block lasts."""
    command = ["node", str(_NODE_SDK), endpoint, api_key]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        yield NodeSdk(http, process=process)


def _plain_value(answer: Any) -> Any:
    """Return a typed answer as plain JSON; None stands for an attribute that was not sent."""
    match answer:
        case Model():
            return {name: _plain_value(getattr(answer, name)) for name in answer.raw_data}
        case list():
            return [_plain_value(item) for item in answer]
        case object(__dataclass_fields__=_):
            parts = {name: value for name, value in vars(answer).items() if name not in _ENVELOPE_ATTRIBUTES}
            return {name: _plain_value(value) for name, value in parts.items() if value is not None}
        case _:
            return answer
