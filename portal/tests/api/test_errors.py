"""Every error has the same format, suits the client, and reveals no internals."""

import pytest
from django.test import Client

GENERIC_MESSAGE = "Something went wrong, If you are continuing to have problems. Please contact support."
SECRET = "the secret of the house"


def error_envelope(response):
    body = response.json()
    assert body["requestId"] == response["X-Request-ID"]
    assert response["Cache-Control"] == "no-store"
    return {key: body[key] for key in ("code", "message", "fields")}


@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete", "options"])
@pytest.mark.parametrize("path", ["/api", "/api/", "/api/nothing", "/api/account/nothing/at/all", "/webhooks/nobody"])
def test_an_unknown_api_path_gets_a_json_404(visitor, method, path):
    response = getattr(visitor, method)(path)
    assert response.status_code == 404
    assert response.json()["code"] == "not_found"
    assert response.json()["fields"] is None
    assert response.json()["requestId"] == response["X-Request-ID"]


def test_a_path_with_an_extra_slash_is_not_redirected(visitor):
    assert visitor.get("/api/account/").status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        "{'single': 1}",
        '{"email": NaN}',
        "nonsense",
        b"\xff\xfe{}",
        "[" * 100_000,
        '{"n": ' + "9" * 5_000 + "}",
    ],
    ids=["empty", "cut", "quotes", "nan", "words", "not-utf-8", "nested", "huge-number"],
)
def test_malformed_json_is_a_validation_error(post_json, body):
    response = post_json("/api/auth/send-otp", body)
    assert response.status_code == 400
    assert error_envelope(response)["code"] == "validation_error"


def test_it_refuses_a_key_in_both_spellings(post_json):
    response = post_json("/api/test/echo", '{"planIds": ["a"], "plan_ids": ["b"]}')
    assert response.status_code == 400
    assert error_envelope(response)["code"] == "validation_error"


@pytest.mark.shows("error-28")
@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/xml"],
)
def test_it_accepts_only_json(visitor, content_type):
    response = visitor.post("/api/test/echo", "email=ava@example.com", content_type=content_type)
    assert response.status_code == 415
    assert error_envelope(response)["code"] == "unsupported_media_type"


@pytest.mark.shows("error-28", "security-67")
@pytest.mark.parametrize("content_type", ["*/*", "application/*"])
def test_a_pattern_of_types_is_not_json(visitor, content_type):
    response = visitor.generic("POST", "/api/test/echo", '{"a": 1}', content_type=content_type)
    assert response.status_code == 415
    assert error_envelope(response)["code"] == "unsupported_media_type"


@pytest.mark.shows("error-28", "security-67")
@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "gzip, gzip"])
def test_it_refuses_a_compressed_body(visitor, encoding):
    response = visitor.generic(
        "POST", "/api/test/echo", '{"a": 1}', content_type="application/json", headers={"Content-Encoding": encoding}
    )
    assert response.status_code == 415
    assert error_envelope(response)["code"] == "unsupported_media_type"


@pytest.mark.shows("security-67")
@pytest.mark.parametrize("body", ['{"a": 1, "a": 2}', '{"a": 1, "a": 1}', '{"a": [{"b": 1, "b": 2}]}'])
def test_it_refuses_a_name_that_is_given_twice(post_json, body):
    response = post_json("/api/test/echo", body)
    assert response.status_code == 400
    assert error_envelope(response)["code"] == "validation_error"


@pytest.mark.shows("error-27")
def test_it_refuses_a_body_of_one_megabyte(post_json):
    response = post_json("/api/test/echo", '{"a": "' + "x" * 1_000_000 + '"}')
    assert response.status_code == 413
    assert error_envelope(response)["code"] == "payload_too_large"


@pytest.mark.shows("security-34")
def test_it_refuses_a_large_webhook_too(post_json):
    assert post_json("/webhooks/chargebee", "x" * 1_000_000).status_code == 413


def test_it_accepts_a_body_just_under_the_limit(post_json, settings):
    room = settings.API_BODY_LIMIT - len('{"a": ""}')
    assert post_json("/api/test/echo", '{"a": "' + "x" * room + '"}').status_code == 200


@pytest.mark.shows("error-9")
def test_an_unsupported_method_gets_405(visitor):
    response = visitor.delete("/api/test/echo")
    assert response.status_code == 405
    assert error_envelope(response)["code"] == "method_not_allowed"


@pytest.mark.parametrize(
    "path", ["/", "/api/test/echo", "/healthz", "/static/portal/message.css", "/webhooks/chargebee"]
)
def test_trace_does_not_echo_the_request(visitor, path):
    response = visitor.trace(path, headers={"Authorization": f"Bearer {SECRET}"})
    assert response.status_code == 405
    assert SECRET not in b"".join(response).decode()


@pytest.mark.shows("error-10")
def test_it_responds_only_in_json(visitor):
    response = visitor.get("/api/test/echo", headers={"Accept": "text/html"})
    assert response.status_code == 406
    assert error_envelope(response)["code"] == "not_acceptable"


@pytest.mark.shows("error-4")
@pytest.mark.django_db
@pytest.mark.parametrize("header", [{}, {"Authorization": "Bearer nonsense"}, {"Authorization": "Basic YTpi"}])
def test_a_request_without_a_valid_token_gets_401(visitor, header):
    response = visitor.get("/api/account", headers=header)
    assert response.status_code == 401
    assert error_envelope(response)["code"] == "not_authenticated"
    assert response["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.shows("request-6", "error-30", "client-5")
def test_an_unexpected_error_reveals_nothing(visitor):
    response = visitor.get("/api/test/crash")
    assert response.status_code == 500
    assert error_envelope(response) == {"code": "internal_error", "message": GENERIC_MESSAGE, "fields": None}
    assert SECRET not in response.content.decode()


def test_an_error_can_add_fields_to_its_body_but_not_replace_any(visitor):
    response = visitor.get("/api/test/refuse")
    assert response.status_code == 409
    assert response.json() == {
        "code": "quote_changed",
        "message": "The price has changed since you looked.",
        "fields": None,
        "requestId": response["X-Request-ID"],
        "newQuote": "abc",
        "amountDue": 699,
    }


def test_validation_errors_use_camel_case_field_names(visitor):
    assert visitor.get("/api/test/invalid").json()["fields"] == {"planIds": ["Choose at least one."]}


@pytest.mark.parametrize(("path", "seconds"), [("/api/test/slow", "3"), ("/api/test/unavailable", "7")])
def test_it_sends_retry_after(visitor, path, seconds):
    assert visitor.get(path)["Retry-After"] == seconds


@pytest.mark.shows("error-43")
@pytest.mark.parametrize("path", ["/api/test/locked", "/api/test/locked-plain"])
def test_a_database_error_gets_503_with_retry_after(visitor, path, caplog):
    response = visitor.get(path)
    assert response.status_code == 503
    assert error_envelope(response)["code"] == "temporarily_unavailable"
    assert response["Retry-After"] == "5"
    assert SECRET not in response.content.decode()
    assert "The database did not answer." in caplog.messages


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/test/crash", 500, "Something went wrong"),
        ("/test/forbid", 403, "You can't open this page"),
        ("/test/suspect", 400, "We couldn't understand that request"),
        ("/static/nothing.js", 404, "Page not found"),
    ],
)
def test_an_error_outside_the_api_shows_a_page(visitor, path, status, words):
    response = visitor.get(path)
    assert response.status_code == status
    assert words in response.content.decode()
    assert SECRET not in response.content.decode()


def test_an_unknown_host_is_refused_without_details(settings):
    settings.ALLOWED_HOSTS = ["portal.example.com"]
    response = Client().get("/api/site", headers={"Host": "evil.example.com"})
    assert response.status_code == 400
    assert response.json()["code"] == "validation_error"
    assert "evil" not in response.content.decode()


def test_it_keeps_the_request_id_from_a_proxy(visitor):
    assert visitor.get("/healthz", headers={"X-Request-ID": "abc-123-def-456"})["X-Request-ID"] == "abc-123-def-456"


@pytest.mark.parametrize("given", ["short", "x" * 200, "with space in it", "<script>alert(1)</script>", ""])
def test_it_replaces_an_invalid_request_id(visitor, given):
    made = visitor.get("/healthz", headers={"X-Request-ID": given})["X-Request-ID"]
    assert made != given
    assert len(made) == 32
