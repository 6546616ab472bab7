"""The OpenAPI document describes what the API does."""

import re

import pytest
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema

PUBLIC_PATHS = {"/api/auth/send-otp", "/api/auth/verify-otp", "/api/site"}
METHODS = ("get", "post", "put", "patch", "delete")


@pytest.fixture(scope="module")
def document():
    return SchemaGenerator().get_schema(request=None, public=True)


def api_operations(document):
    return [
        (method, path, operation)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    ]


def test_it_is_a_valid_openapi_document(document):
    validate_schema(document)


@pytest.mark.shows("request-1")
def test_every_property_name_is_in_camel_case(document):
    names = [name for schema in document["components"]["schemas"].values() for name in schema.get("properties", {})]
    assert names
    assert [name for name in names if "_" in name] == []


def test_every_operation_documents_its_error_responses(document):
    for method, path, operation in api_operations(document):
        assert {"400", "404", "405", "429", "500", "503"} <= set(operation["responses"]), (method, path)


@pytest.mark.shows("request-2")
def test_only_protected_operations_document_a_401(document):
    protected = {path for _, path, operation in api_operations(document) if "401" in operation["responses"]}
    assert protected.isdisjoint(PUBLIC_PATHS)
    assert "/api/account" in protected


@pytest.mark.shows("request-2")
@pytest.mark.django_db
def test_every_protected_operation_refuses_a_request_without_a_token(document):
    protected = [
        (method, path) for method, path, operation in api_operations(document) if "401" in operation["responses"]
    ]
    answers = {
        (method, path): getattr(Client(), method)(re.sub("{.*}", "2026", path)).status_code
        for method, path in protected
    }
    assert answers == dict.fromkeys(protected, 401)


@pytest.mark.shows("security-27")
@pytest.mark.django_db
@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
)
def test_a_cross_site_form_cannot_change_anything(document, content_type):
    changes = [path for method, path, _ in api_operations(document) if method == "post"]
    origin = {"Origin": "https://evil.example.com", "Sec-Fetch-Site": "cross-site"}
    answers = {
        path: Client().post(path, "email=ava@example.com", content_type=content_type, headers=origin)
        for path in changes
    }
    assert {answer.status_code for answer in answers.values()} == {401, 415}
    names = {name.lower() for answer in answers.values() for name in answer.headers}
    assert [name for name in names if name.startswith("access-control-") or name == "set-cookie"] == []


def test_it_is_served_outside_production(client):
    assert client.get("/api/schema/").json()["openapi"].startswith("3.")
