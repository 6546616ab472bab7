"""The headers of every kind of response, and the internals that none reveals."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client
from pytest_django import Settings

from accounts.models import User
from accounts.models.site import UPLOADS_PREFIX
from conftest import ROOT

SECRET = "the secret of the house"
PASSWORD = "correct horse battery staple"
PICTURE = f"{UPLOADS_PREFIX}{'0' * 32}.svg"
EVIL = "https://evil.example.com"
Ask = Callable[[Client], Any]
# Every kind of response, with its status and a request that gets it over HTTPS.
ANSWERS: dict[str, tuple[int, Ask]] = {
    "a page": (200, lambda browser: browser.get("/dashboard", secure=True)),
    "a card page": (200, lambda browser: browser.get("/add-card-payment-method", secure=True)),
    "a page of the admin": (200, lambda browser: browser.get("/admin/login/", secure=True)),
    "JSON": (200, lambda browser: browser.get("/api/site", secure=True)),
    "a file": (200, lambda browser: browser.get("/static/portal/message.css", secure=True)),
    "an uploaded picture": (200, lambda browser: browser.get(f"/{PICTURE}", secure=True)),
    "a redirect": (302, lambda browser: browser.get("/admin/", secure=True)),
    "a redirect of a page": (302, lambda browser: browser.get("/Add-Card-Payment-Method/", secure=True)),
    "a page that could not be understood": (400, lambda browser: browser.get("/test/suspect", secure=True)),
    "JSON that could not be understood": (
        400,
        lambda browser: browser.post("/api/auth/send-otp", "{", content_type="application/json", secure=True),
    ),
    "a stranger's call": (401, lambda browser: browser.get("/api/account", secure=True)),
    "a forbidden page": (403, lambda browser: browser.get("/test/forbid", secure=True)),
    "no page": (404, lambda browser: browser.get("/metrics/nothing", secure=True)),
    "no call": (404, lambda browser: browser.get("/api/nothing", secure=True)),
    "no file": (404, lambda browser: browser.get("/static/nothing.js", secure=True)),
    "a method that is none": (405, lambda browser: browser.put("/dashboard", secure=True)),
    "a trace": (405, lambda browser: browser.trace("/dashboard", secure=True)),
    "too large a body": (
        413,
        lambda browser: browser.post(
            "/api/auth/send-otp", "x" * 1_000_000, content_type="application/json", secure=True
        ),
    ),
    "a form": (
        415,
        lambda browser: browser.post(
            "/api/auth/send-otp",
            "email=ava",
            content_type="application/x-www-form-urlencoded",
            secure=True,
            headers={"Origin": EVIL},
        ),
    ),
    "a crashed page": (500, lambda browser: browser.get("/test/crash", secure=True)),
    "a crashed call": (500, lambda browser: browser.get("/api/test/crash", secure=True)),
    "a call that has to wait": (503, lambda browser: browser.get("/api/test/locked", secure=True)),
}


@pytest.fixture
def caller(visitor: Client, bundle: object, db: None, settings: Settings, tmp_path: Any) -> Client:
    settings.SECURE_HSTS_SECONDS, settings.SECURE_HSTS_INCLUDE_SUBDOMAINS = 31_536_000, True
    settings.MEDIA_ROOT = tmp_path
    default_storage.save(PICTURE, ContentFile(b"<svg/>"))
    return visitor


def read_policy(answer: Any) -> dict[str, set[str]]:
    parts = [part.split() for part in answer["Content-Security-Policy"].split(";") if part.strip()]
    return {name: set(sources) for name, *sources in parts}


@pytest.mark.shows("security-23", "security-26", "security-42")
@pytest.mark.parametrize("kind", ANSWERS)
def test_every_response_has_security_headers_and_reveals_no_internals(caller: Client, kind: str) -> None:
    status, ask = ANSWERS[kind]
    answer = ask(caller)
    assert answer.status_code == status
    assert answer["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["X-Frame-Options"] == "DENY"
    assert answer["Cross-Origin-Opener-Policy"] == "same-origin"
    assert answer["Referrer-Policy"] == "same-origin"
    assert "camera=()" in answer["Permissions-Policy"]
    assert [name for name in answer.headers if name.lower().startswith("access-control-")] == []
    policy = read_policy(answer)
    assert policy["default-src"] == {"'none'"}
    assert policy["object-src"] == policy["base-uri"] == policy["frame-ancestors"] == {"'none'"}
    # A source in quotation marks is a keyword, such as 'unsafe-inline'. The provider's script passes on a nonce.
    keywords = {source for source in policy.get("script-src", {"'self'"}) if source.startswith("'")}
    nonces = {source for source in keywords if source.startswith("'nonce-")}
    assert keywords - nonces == {"'self'"}
    assert len(nonces) == (kind == "a card page")
    body = b"".join(answer).decode(errors="replace")
    for internal in (SECRET, "Traceback", str(ROOT), "site-packages", "Django Version"):
        assert internal not in body
    assert "Server" not in answer.headers


@pytest.mark.shows("security-28")
@pytest.mark.parametrize("next_page", [EVIL, "//evil.example.com", "/\\evil.example.com", "javascript:alert(1)"])
def test_sign_in_redirects_only_within_the_admin(caller: Client, next_page: str) -> None:
    User.objects.create_superuser("olga", password=PASSWORD)
    form = {"username": "olga", "password": PASSWORD, "next": next_page}
    assert caller.post("/admin/login/", form)["Location"] == "/admin/"


@pytest.mark.shows("security-28")
def test_the_app_listens_for_no_window_messages() -> None:
    """A BroadcastChannel is limited to one origin; window messages can come from any."""
    listener = re.compile(r"addEventListener\(\s*['\"]message['\"]|(?<!channel\.)onmessage\s*=")
    files = (ROOT / "frontend" / "src").rglob("*.ts*")
    sources = [file for file in files if ".test." not in file.name and not file.name.endswith(".d.ts")]
    assert len(sources) > 100
    assert [file.name for file in sources if listener.search(file.read_text())] == []
    channels = [text for file in sources if "channel.onmessage" in (text := file.read_text())]
    assert all("new BroadcastChannel(" in text for text in channels)
