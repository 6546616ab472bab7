"""What every page of the console shares: its frame, its security headers and its own two files."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from billing.sandbox import clock, settings

_ASSETS = Path(__file__).parent / "assets"
_PAGE_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-src 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
# A mail brings its own inline styles and shows the portal's pictures; it may do nothing else.
_MAIL_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data: http://127.0.0.1:* http://localhost:*; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox allow-popups"
)
_NAVIGATION = (
    ("home", "Clock"),
    ("customers", "Accounts"),
    ("events", "Events"),
    ("inbox", "Inbox"),
    ("faults", "Faults"),
)


@dataclass(frozen=True, slots=True)
class Tab:
    """One entry of the main navigation."""

    label: str
    url: str
    current: bool


def show(
    request: HttpRequest, template: str, context: Mapping[str, object], *, tab: str, status: int = 200
) -> HttpResponse:
    """Render a page inside the console's frame; `tab` is the entry of the navigation it belongs to."""
    page = render(request, f"sandbox/{template}", {**context, "console": _frame(tab)}, status=status)
    return _guarded(page, _PAGE_POLICY)


def not_found(request: HttpRequest, what: str, *, tab: str) -> HttpResponse:
    """The page that says in a sentence what is not there."""
    return show(request, "not_found.html", {"what": what}, tab=tab, status=404)


def mail_body(html: str) -> HttpResponse:
    """The HTML part of a mail, as a document that can run nothing and opens its links elsewhere."""
    return _guarded(HttpResponse(f'<!DOCTYPE html><base target="_blank">{html}'), _MAIL_POLICY)


def stylesheet(_request: HttpRequest) -> HttpResponse:
    """The console's style sheet; its address changes with its content, so that it can be kept for ever."""
    return _file("console.css", "text/css; charset=utf-8")


def icon(_request: HttpRequest) -> HttpResponse:
    """The console's icon."""
    return _file("icon.svg", "image/svg+xml")


def site_time(instant: int) -> datetime:
    """Seconds UTC as an aware datetime."""
    return datetime.fromtimestamp(instant, UTC)


def _frame(tab: str) -> dict[str, object]:
    return {
        "site": settings.SANDBOX_SITE,
        "now": site_time(clock.now()),
        "api": f"http://127.0.0.1:{settings.SANDBOX_PORT}/api/v2",
        "webhook_url": settings.SANDBOX_WEBHOOK_URL,
        "stylesheet": f"{reverse('console:stylesheet')}?{_fingerprint('console.css')}",
        "navigation": [Tab(label, reverse(f"console:{name}"), name == tab) for name, label in _NAVIGATION],
    }


def _guarded(response: HttpResponse, policy: str) -> HttpResponse:
    response["Content-Security-Policy"] = policy
    response["Cache-Control"] = "no-store"
    response["Referrer-Policy"] = "same-origin"
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _file(name: str, content_type: str) -> HttpResponse:
    response = HttpResponse(_content(name), content_type=content_type)
    response["Cache-Control"] = "public, max-age=31536000, immutable"
    response["X-Content-Type-Options"] = "nosniff"
    return response


@cache
def _content(name: str) -> bytes:
    return (_ASSETS / name).read_bytes()


@cache
def _fingerprint(name: str) -> str:
    return hashlib.sha256(_content(name)).hexdigest()[:16]
