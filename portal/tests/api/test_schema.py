"""The API's document says what the API does."""

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


def test_it_is_a_sound_document(document):
    validate_schema(document)


@pytest.mark.shows("request-1")
def test_it_spells_every_property_in_camel_case(document):
    names = [name for schema in document["components"]["schemas"].values() for name in schema.get("properties", {})]
    assert names
    assert [name for name in names if "_" in name] == []


def test_it_tells_how_every_operation_fails(document):
    for method, path, operation in api_operations(document):
        assert {"400", "404", "405", "429", "500", "503"} <= set(operation["responses"]), (method, path)


@pytest.mark.shows("request-2")
def test_it_tells_which_operations_want_a_token(document):
    wanting = {path for _, path, operation in api_operations(document) if "401" in operation["responses"]}
    assert wanting.isdisjoint(PUBLIC_PATHS)
    assert "/api/account" in wanting


@pytest.mark.shows("request-2")
@pytest.mark.django_db
def test_every_operation_that_wants_a_token_refuses_to_do_without(document):
    wanting = [
        (method, path) for method, path, operation in api_operations(document) if "401" in operation["responses"]
    ]
    answers = {
        (method, path): getattr(Client(), method)(path.replace("{", "").replace("}", "")).status_code
        for method, path in wanting
    }
    assert answers == dict.fromkeys(wanting, 401)


@pytest.mark.shows("security-27")
@pytest.mark.django_db
@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
)
def test_no_form_of_another_site_can_change_anything(document, content_type):
    changes = [path for method, path, _ in api_operations(document) if method == "post"]
    origin = {"Origin": "https://evil.example.com", "Sec-Fetch-Site": "cross-site"}
    answers = {
        path: Client().post(path, "email=ava@example.com", content_type=content_type, headers=origin)
        for path in changes
    }
    assert {answer.status_code for answer in answers.values()} == {401, 415}
    names = {name.lower() for answer in answers.values() for name in answer.headers}
    assert [name for name in names if name.startswith("access-control-") or name == "set-cookie"] == []


def test_it_is_served_where_it_is_nobodys_secret(client):
    assert client.get("/api/schema/").json()["openapi"].startswith("3.")
