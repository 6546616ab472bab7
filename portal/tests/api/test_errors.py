"""Every failure has one shape, in the caller's form, with nothing about why in it."""

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
def test_it_answers_an_unknown_address_of_the_api_in_json(visitor, method, path):
    response = getattr(visitor, method)(path)
    assert response.status_code == 404
    assert response.json()["code"] == "not_found"
    assert response.json()["fields"] is None
    assert response.json()["requestId"] == response["X-Request-ID"]


def test_it_does_not_redirect_an_address_with_a_slash_too_many(visitor):
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
def test_it_calls_malformed_json_invalid_input(post_json, body):
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
def test_it_takes_json_alone(visitor, content_type):
    response = visitor.post("/api/test/echo", "email=ava@example.com", content_type=content_type)
    assert response.status_code == 415
    assert error_envelope(response)["code"] == "unsupported_media_type"


@pytest.mark.shows("error-27")
def test_it_refuses_a_body_of_a_megabyte(post_json):
    response = post_json("/api/test/echo", '{"a": "' + "x" * 1_000_000 + '"}')
    assert response.status_code == 413
    assert error_envelope(response)["code"] == "payload_too_large"


@pytest.mark.shows("security-34")
def test_it_refuses_a_large_webhook_too(post_json):
    assert post_json("/webhooks/chargebee", "x" * 1_000_000).status_code == 413


def test_it_takes_a_body_just_under_the_limit(post_json, settings):
    room = settings.API_BODY_LIMIT - len('{"a": ""}')
    assert post_json("/api/test/echo", '{"a": "' + "x" * room + '"}').status_code == 200


@pytest.mark.shows("error-9")
def test_it_names_a_method_that_is_not_possible(visitor):
    response = visitor.delete("/api/test/echo")
    assert response.status_code == 405
    assert error_envelope(response)["code"] == "method_not_allowed"


@pytest.mark.parametrize(
    "path", ["/", "/api/test/echo", "/healthz", "/static/portal/message.css", "/webhooks/chargebee"]
)
def test_it_echoes_no_request(visitor, path):
    response = visitor.trace(path, headers={"Authorization": f"Bearer {SECRET}"})
    assert response.status_code == 405
    assert SECRET not in b"".join(response).decode()


@pytest.mark.shows("error-10")
def test_it_answers_in_json_or_not_at_all(visitor):
    response = visitor.get("/api/test/echo", headers={"Accept": "text/html"})
    assert response.status_code == 406
    assert error_envelope(response)["code"] == "not_acceptable"


@pytest.mark.shows("error-4")
@pytest.mark.django_db
@pytest.mark.parametrize("header", [{}, {"Authorization": "Bearer nonsense"}, {"Authorization": "Basic YTpi"}])
def test_it_asks_for_a_token(visitor, header):
    response = visitor.get("/api/account", headers=header)
    assert response.status_code == 401
    assert error_envelope(response)["code"] == "not_authenticated"
    assert response["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.shows("request-6", "error-30", "client-5")
def test_it_says_nothing_about_what_nobody_expected(visitor):
    response = visitor.get("/api/test/crash")
    assert response.status_code == 500
    assert error_envelope(response) == {"code": "internal_error", "message": GENERIC_MESSAGE, "fields": None}
    assert SECRET not in response.content.decode()


def test_it_lets_an_expected_failure_add_to_its_body_and_replace_nothing(visitor):
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


def test_it_names_fields_as_they_are_on_the_wire(visitor):
    assert visitor.get("/api/test/invalid").json()["fields"] == {"planIds": ["Choose at least one."]}


@pytest.mark.parametrize(("path", "seconds"), [("/api/test/slow", "3"), ("/api/test/unavailable", "7")])
def test_it_says_when_to_come_back(visitor, path, seconds):
    assert visitor.get(path)["Retry-After"] == seconds


@pytest.mark.parametrize("path", ["/api/test/locked", "/api/test/locked-plain"])
def test_it_asks_for_patience_while_the_database_does_not_answer(visitor, path, caplog):
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
def test_it_shows_a_page_for_a_failure_outside_the_api(visitor, path, status, words):
    response = visitor.get(path)
    assert response.status_code == status
    assert words in response.content.decode()
    assert SECRET not in response.content.decode()


def test_it_refuses_an_unknown_host_without_detail(settings):
    settings.ALLOWED_HOSTS = ["portal.example.com"]
    response = Client().get("/api/site", headers={"Host": "evil.example.com"})
    assert response.status_code == 400
    assert response.json()["code"] == "validation_error"
    assert "evil" not in response.content.decode()


def test_it_keeps_the_request_id_of_a_proxy(visitor):
    assert visitor.get("/healthz", headers={"X-Request-ID": "abc-123-def-456"})["X-Request-ID"] == "abc-123-def-456"


@pytest.mark.parametrize("given", ["short", "x" * 200, "with space in it", "<script>alert(1)</script>", ""])
def test_it_makes_its_own_request_id_when_the_given_one_is_odd(visitor, given):
    made = visitor.get("/healthz", headers={"X-Request-ID": given})["X-Request-ID"]
    assert made != given
    assert len(made) == 32
