"""The OpenAPI document: true about the case of keys and about every way an operation can fail."""

from __future__ import annotations

from typing import Any

from drf_spectacular.openapi import AutoSchema

from portal.api.case import to_camel

ERROR = "Error"
ERROR_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "Every failure has this shape; some codes add to it.",
    "required": ["code", "message", "fields", "requestId"],
    "properties": {
        "code": {"type": "string", "description": "Stable; what a client branches on."},
        "message": {"type": "string", "description": "A sentence for the subscriber."},
        "fields": {
            "type": "object",
            "nullable": True,
            "additionalProperties": {"type": "array", "items": {"type": "string"}},
        },
        "requestId": {"type": "string"},
    },
    "additionalProperties": True,
}

ANYWHERE = {
    "400": "The input is malformed or invalid.",
    "404": "There is no such thing, or it is somebody else's.",
    "405": "The method is not one of this address.",
    "406": "The address answers in JSON only.",
    "429": "Too many tries; `Retry-After` says how long to wait.",
    "500": "Something went wrong on our side.",
    "503": "The billing provider does not answer, or has not confirmed the change yet.",
}
SIGNED_IN = {"401": "No, a wrong, an expired or a revoked token."}
WITH_BODY = {"413": "The body is too large.", "415": "The body is not JSON."}
CHANGES = {
    "402": "The provider could not collect; nothing was changed.",
    "403": "Operators have switched this off.",
    "409": "The thing exists, but not in a state that allows this.",
    "502": "Of several subscriptions some were done; the body holds the state as it now is.",
}


def only_the_api(endpoints: list[Any], **kwargs: Any) -> list[Any]:
    """Leave out the address that serves the document itself."""
    return [endpoint for endpoint in endpoints if endpoint[0] != "/api/schema/"]


class PortalSchema(AutoSchema):
    """Adds the failures that the error handler can answer to each operation."""

    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
        """Return the operation with every status it can answer."""
        operation: dict[str, Any] | None = super().get_operation(*args, **kwargs)
        if operation is not None:
            for status, description in self._failures(operation).items():
                operation["responses"].setdefault(status, _failure(description))
        return operation

    def _failures(self, operation: dict[str, Any]) -> dict[str, str]:
        failures = dict(ANYWHERE)
        if any(operation.get("security", [])):
            failures |= SIGNED_IN
        if self.method != "GET":
            failures |= WITH_BODY | CHANGES
        return failures


def _failure(description: str) -> dict[str, Any]:
    reference = {"$ref": f"#/components/schemas/{ERROR}"}
    return {"description": description, "content": {"application/json": {"schema": reference}}}


def camelise(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """Spell every property and query parameter as it is on the wire, and add the error's schema."""
    schemas = result.setdefault("components", {}).setdefault("schemas", {})
    for schema in schemas.values():
        _camelise_schema(schema)
    schemas[ERROR] = ERROR_SCHEMA
    for operations in result["paths"].values():
        for operation in operations.values():
            _camelise_operation(operation)
    return result


def _camelise_operation(operation: dict[str, Any]) -> None:
    for parameter in operation.get("parameters", []):
        if parameter["in"] == "query":
            parameter["name"] = to_camel(parameter["name"])
    for response in operation["responses"].values():
        for content in response.get("content", {}).values():
            _camelise_schema(content.get("schema", {}))


def _camelise_schema(schema: Any) -> None:
    if isinstance(schema, list):
        for item in schema:
            _camelise_schema(item)
    if not isinstance(schema, dict):
        return
    if isinstance(schema.get("properties"), dict):
        schema["properties"] = {to_camel(name): value for name, value in schema["properties"].items()}
        for value in schema["properties"].values():
            _camelise_schema(value)
    if isinstance(schema.get("required"), list):
        schema["required"] = [to_camel(name) for name in schema["required"]]
    for key in ("items", "allOf", "anyOf", "oneOf", "additionalProperties"):
        _camelise_schema(schema.get(key))
