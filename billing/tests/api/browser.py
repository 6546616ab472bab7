"""A signed-in API client that validates every response against the OpenAPI document."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it ships no types
from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIClient

from accounts.models import Account, SessionToken
from billing import clock
from billing.mirror import next_bills


class Browser(APIClient):
    """Sends the account's session token, and validates every response against the OpenAPI document."""

    def __init__(self, account: Account) -> None:
        super().__init__()
        _, token = SessionToken.objects.create(user=account.user)
        self.token: str = token
        self.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
        _strict_document()  # built before threads start: the generator is not thread-safe

    def request(self, **environ: Any) -> Any:
        """Send a request, and assert that the response is documented and must not be cached."""
        response = super().request(**environ)
        assert response.headers["Cache-Control"] == "no-store"
        if response.headers.get("Content-Type", "").startswith("application/json"):
            assert_documented(environ["REQUEST_METHOD"], environ["PATH_INFO"], response)
        return response


def read_bills(account: Account) -> list[dict[str, Any]]:
    """Return the next bills after the estimates that the first read has requested."""
    browser = Browser(account)
    browser.get("/api/account")
    next_bills.estimate_wanted_bills(account.pk, now=clock.billing_now())
    bills: list[dict[str, Any]] = browser.get("/api/account").json()["nextBills"]
    assert browser.get("/api/account/manage-plans").json()["nextBills"] == bills
    return bills


def is_refusal(response: Any, status: int, code: str) -> bool:
    """Return whether a response is this refusal."""
    return (response.status_code, response.json()["code"]) == (status, code)


def pick_fields(response: Any, names: Iterable[str]) -> dict[str, Any]:
    """Return some fields of a response's body."""
    body = response.json()
    return {name: body[name] for name in names}


def timeless_figures(figures: dict[str, Any]) -> dict[str, Any]:
    """Return a change's figures without the second in which they were asked for, so that two requests compare."""
    bills = [{**bill, "date": bill["date"][:10]} for bill in figures["nextBills"]]
    return {**figures, "effectiveAt": None, "nextBills": bills}


def assert_documented(method: str, path: str, response: Any) -> None:
    """Validate a response's status, keys and types against the documented responses of its operation."""
    operation = _find_operation(method.lower(), path.split("?", maxsplit=1)[0])
    if operation is None:
        return
    documented = operation["responses"].get(str(response.status_code))
    assert documented is not None, f"{method} {path} answers {response.status_code}, which is not documented"
    schema = documented["content"]["application/json"]["schema"]
    full_schema = {**schema, "components": _strict_document()["components"]}
    jsonschema.validate(response.json(), full_schema, format_checker=jsonschema.FormatChecker())


def _find_operation(method: str, path: str) -> dict[str, Any] | None:
    for template, operations in _strict_document()["paths"].items():
        if re.fullmatch(re.sub(r"\\\{\w+\\\}", ".+", re.escape(template)), path):
            operation: dict[str, Any] | None = operations.get(method)
            return operation
    return None


@functools.cache
def _strict_document() -> dict[str, Any]:
    """Return the document as JSON Schema that refuses undocumented keys and nulls."""
    document = SchemaGenerator().get_schema(request=None, public=True)
    strict: dict[str, Any] = _strict_schema(document)
    return strict


def _strict_schema(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict_schema(item) for item in node]
    if not isinstance(node, dict):
        return node
    plain = {name: _strict_schema(value) for name, value in node.items() if name != "nullable"}
    if isinstance(plain.get("properties"), dict) and plain.get("type") == "object" and "allOf" not in plain:
        plain.setdefault("additionalProperties", False)
    return {"anyOf": [plain, {"type": "null"}]} if node.get("nullable") is True else plain
