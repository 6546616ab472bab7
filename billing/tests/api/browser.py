"""A signed-in browser, and the OpenAPI document as the judge of every answer it gets."""

from __future__ import annotations

import functools
import re
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it ships no types
from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIClient

from accounts.models import Account, SessionToken


class Browser(APIClient):
    """Sends the account's token, and holds every answer against what the OpenAPI document says of it."""

    def __init__(self, account: Account) -> None:
        super().__init__()
        _, token = SessionToken.objects.create(user=account.user)
        self.token: str = token
        self.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
        _document()  # made before browsers act at once: the generator is not made for threads

    def request(self, **environ: Any) -> Any:
        """Send a request and check that its answer is as documented, and that nothing in between keeps it."""
        response = super().request(**environ)
        assert response.headers["Cache-Control"] == "no-store"
        if response.headers.get("Content-Type", "").startswith("application/json"):
            assert_documented(environ["REQUEST_METHOD"], environ["PATH_INFO"], response)
        return response


def is_refusal(answer: Any, status: int, code: str) -> bool:
    """Whether an answer is this refusal."""
    return (answer.status_code, answer.json()["code"]) == (status, code)


def assert_documented(method: str, path: str, response: Any) -> None:
    """Hold an answer against the operation's documented answers: its status, its keys, its types."""
    operation = _operation(method.lower(), path.split("?", maxsplit=1)[0])
    if operation is None:
        return
    documented = operation["responses"].get(str(response.status_code))
    assert documented is not None, f"{method} {path} answers {response.status_code}, which is not documented"
    schema = documented["content"]["application/json"]["schema"]
    whole = {**schema, "components": _document()["components"]}
    jsonschema.validate(response.json(), whole, format_checker=jsonschema.FormatChecker())


def _operation(method: str, path: str) -> dict[str, Any] | None:
    for template, operations in _document()["paths"].items():
        if re.fullmatch(re.sub(r"\\\{\w+\\\}", ".+", re.escape(template)), path):
            found: dict[str, Any] | None = operations.get(method)
            return found
    return None


@functools.cache
def _document() -> dict[str, Any]:
    """The document as plain JSON Schema: nothing nullable but what may be null, and no key that is not named."""
    document = SchemaGenerator().get_schema(request=None, public=True)
    strict: dict[str, Any] = _strict(document)
    return strict


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(one) for one in node]
    if not isinstance(node, dict):
        return node
    plain = {name: _strict(value) for name, value in node.items() if name != "nullable"}
    if isinstance(plain.get("properties"), dict) and plain.get("type") == "object" and "allOf" not in plain:
        plain.setdefault("additionalProperties", False)
    return {"anyOf": [plain, {"type": "null"}]} if node.get("nullable") is True else plain
