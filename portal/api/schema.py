"""Extends the generated OpenAPI document with camelCase keys and the error responses of every operation."""

from __future__ import annotations

from typing import Any

from drf_spectacular.openapi import AutoSchema

from portal.api.case import to_camel

ERROR_SCHEMA_NAME = "Error"
ERROR_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "Every error has these keys; some codes add more.",
    "required": ["code", "message", "fields", "requestId"],
    "properties": {
        "code": {"type": "string", "description": "Stable, for clients to branch on."},
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

COMMON_FAILURES = {
    "400": "The input is malformed or invalid.",
    "404": "The object does not exist, or belongs to another account.",
    "405": "The method is not allowed.",
    "406": "Responses are JSON only.",
    "429": "Too many requests; `Retry-After` says how long to wait.",
    "500": "An unexpected error.",
    "503": "The billing provider does not respond, or has not confirmed the change yet.",
}
SIGNED_IN_FAILURES = {"401": "The token is missing, invalid, expired or revoked."}
BODY_FAILURES = {"413": "The body is too large.", "415": "The body is not JSON."}
CHANGE_FAILURES = {
    "402": "The payment failed; nothing was changed.",
    "403": "Operators have switched this off.",
    "409": "The object's state does not allow this.",
    "502": "Only some of several subscriptions were changed; the body holds the current state.",
}


def exclude_schema_endpoint(endpoints: list[Any], **kwargs: Any) -> list[Any]:
    """Leave out the endpoint of the document itself."""
    return [endpoint for endpoint in endpoints if endpoint[0] != "/api/schema/"]


class PortalSchema(AutoSchema):
    """Adds the error responses to each operation."""

    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
        """Return the operation with all its responses."""
        operation: dict[str, Any] | None = super().get_operation(*args, **kwargs)
        if operation is not None:
            for status, description in self._failure_descriptions(operation).items():
                operation["responses"].setdefault(status, _failure_response(description))
        return operation

    def _failure_descriptions(self, operation: dict[str, Any]) -> dict[str, str]:
        failures = dict(COMMON_FAILURES)
        if any(operation.get("security", [])):
            failures |= SIGNED_IN_FAILURES
        if self.method != "GET":
            failures |= BODY_FAILURES | CHANGE_FAILURES
        return failures


def _failure_response(description: str) -> dict[str, Any]:
    reference = {"$ref": f"#/components/schemas/{ERROR_SCHEMA_NAME}"}
    return {"description": description, "content": {"application/json": {"schema": reference}}}


def camelize_document(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """Convert every property and query parameter to camelCase, and add the error's schema."""
    schemas = result.setdefault("components", {}).setdefault("schemas", {})
    for schema in schemas.values():
        _camelize_schema(schema)
    schemas[ERROR_SCHEMA_NAME] = ERROR_SCHEMA
    for operations in result["paths"].values():
        for operation in operations.values():
            _camelize_operation(operation)
    return result


def _camelize_operation(operation: dict[str, Any]) -> None:
    for parameter in operation.get("parameters", []):
        if parameter["in"] == "query":
            parameter["name"] = to_camel(parameter["name"])
    for response in operation["responses"].values():
        for content in response.get("content", {}).values():
            _camelize_schema(content.get("schema", {}))


def _camelize_schema(schema: Any) -> None:
    if isinstance(schema, list):
        for item in schema:
            _camelize_schema(item)
    if not isinstance(schema, dict):
        return
    if isinstance(schema.get("properties"), dict):
        schema["properties"] = {to_camel(name): value for name, value in schema["properties"].items()}
        for value in schema["properties"].values():
            _camelize_schema(value)
    if isinstance(schema.get("required"), list):
        schema["required"] = [to_camel(name) for name in schema["required"]]
    for key in ("items", "allOf", "anyOf", "oneOf", "additionalProperties"):
        _camelize_schema(schema.get(key))
