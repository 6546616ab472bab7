"""The headers of every response: pages, the API, the admin, static files and errors."""

import pytest
from django.test import Client

EVERYWHERE = [
    "/",
    "/api/test/echo",
    "/api/nothing",
    "/test/crash",
    "/static/portal/message.css",
    "/admin/login/",
    "/healthz",
]


def read_policy(response):
    directives = (part.split() for part in response["Content-Security-Policy"].split(";") if part.strip())
    return {name: values for name, *values in directives}


@pytest.fixture
def anyone(visitor, bundle, db):
    return visitor


@pytest.mark.shows("security-23")
@pytest.mark.parametrize("path", EVERYWHERE)
def test_the_policy_allows_no_inline_scripts_or_styles(anyone, path):
    directives = read_policy(anyone.get(path))
    assert directives["script-src"] == ["'self'"]
    assert directives["style-src"] == ["'self'"]
    assert directives["object-src"] == directives["base-uri"] == directives["frame-ancestors"] == ["'none'"]


@pytest.mark.shows("security-25")
@pytest.mark.parametrize("path", ["/", "/dashboard", "/api/nothing"])
def test_pages_allow_one_trusted_types_policy(anyone, path):
    directives = read_policy(anyone.get(path))
    assert directives["require-trusted-types-for"] == ["'script'"]
    assert directives["trusted-types"] == ["webpack"]


def test_the_admin_does_not_require_trusted_types(anyone):
    assert "trusted-types" not in read_policy(anyone.get("/admin/login/"))


@pytest.mark.shows("security-47")
@pytest.mark.parametrize("path", EVERYWHERE)
def test_every_response_has_the_other_security_headers(anyone, path):
    response = anyone.get(path)
    assert response["Cross-Origin-Resource-Policy"] == "same-origin"
    assert read_policy(response)["report-uri"] == ["/csp-reports"]
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Referrer-Policy"] == "same-origin"
    assert response["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "camera=()" in response["Permissions-Policy"]


@pytest.mark.shows("security-26")
@pytest.mark.parametrize("path", EVERYWHERE)
def test_responses_over_https_send_hsts(settings, bundle, db, path):
    settings.SECURE_HSTS_SECONDS = 31_536_000
    settings.SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    settings.ROOT_URLCONF = "portal.tests.urls"
    response = Client(raise_request_exception=False).get(path, secure=True)
    assert response["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains"


@pytest.mark.shows("security-27")
@pytest.mark.parametrize("path", EVERYWHERE)
def test_no_response_has_cors_headers(anyone, path):
    response = anyone.get(path, headers={"Origin": "https://evil.example.com"})
    assert not [name for name in response.headers if name.lower().startswith("access-control-")]


@pytest.mark.shows("security-27")
def test_a_preflight_request_from_another_origin_is_refused(anyone):
    response = anyone.options(
        "/api/test/echo",
        headers={"Origin": "https://evil.example.com", "Access-Control-Request-Method": "POST"},
    )
    assert response.status_code == 405
    assert "Access-Control-Allow-Origin" not in response.headers


@pytest.mark.shows("security-19")
def test_subscribers_get_no_cookies(anyone):
    assert not anyone.get("/").cookies
    assert not anyone.get("/api/test/echo").cookies


def test_only_files_with_hashed_names_are_immutable(settings):
    immutable = settings.WHITENOISE_IMMUTABLE_FILE_TEST
    assert immutable("", "/static/app/main.391aae6b3503494150b7.css")
    assert immutable("", "/static/app/figtree-latin-wght-normal.c134f287dcb8afe5becb.woff2")
    assert not immutable("", "/static/portal/message.css")
    assert not immutable("", "/static/app/webpack-stats.json")
    assert not immutable("", "/static/portal/art/brands/kids.svg")
