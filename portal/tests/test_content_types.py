"""No `Content-Type` keeps a request from being answered by the portal itself."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import RequestFactory

pytestmark = pytest.mark.django_db

PATH = "/robots.txt?a=%41"


def answer_by_wsgi(content_type: str) -> tuple[str, dict[str, str]]:
    """Return the status and the headers with which the WSGI application answers."""
    from portal.wsgi import application

    answers: list[tuple[str, dict[str, str]]] = []

    def start(status: str, headers: list[tuple[str, str]], *_: Any) -> Any:
        answers.append((status, dict(headers)))

    environ = RequestFactory().get(PATH).environ | {"CONTENT_TYPE": content_type}
    list(application(environ, start))
    return answers[0]


@pytest.mark.shows("security-26", "security-67")
@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain; charset=zlib",
        "text/plain; charset=rot13",
        "text/plain; charset=idna",
        "text/plain; charset=punycode",
        "text/plain; charset=undefined",
        "text/plain; name*=nothing''%41",
    ],
)
def test_a_character_set_that_is_none_is_answered_like_any_other(content_type: str) -> None:
    status, headers = answer_by_wsgi(content_type)
    assert status == "200 OK"
    assert {"Content-Security-Policy", "X-Content-Type-Options", "X-Request-ID"} <= headers.keys()
