"""The layout, security headers, and assets that all pages of the console share."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from chargebee_sandbox import clock, settings, webhook_endpoint

_ASSETS = Path(__file__).parent / "assets"
_PAGE_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-src 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
# A mail may use inline styles and show the portal's pictures, and nothing else.
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
    ("settings", "Settings"),
)


@dataclass(frozen=True, slots=True)
class NavigationTab:
    """An entry of the main navigation."""

    label: str
    url: str
    current: bool


def render_page(
    request: HttpRequest, template: str, context: Mapping[str, object], *, tab: str, status: int = 200
) -> HttpResponse:
    """Render a page in the console's layout; `tab` is its navigation entry."""
    page = render(request, f"sandbox/{template}", {**context, "console": _layout_context(tab)}, status=status)
    return _add_security_headers(page, _PAGE_POLICY)


def not_found_page(request: HttpRequest, what: str, *, tab: str) -> HttpResponse:
    """Render the 404 page with a sentence about what was not found."""
    return render_page(request, "not_found.html", {"what": what}, tab=tab, status=404)


def mail_body(html: str) -> HttpResponse:
    """Return the HTML part of a mail as a document without scripts, whose links open in a new window."""
    return _add_security_headers(HttpResponse(f'<!DOCTYPE html><base target="_blank">{html}'), _MAIL_POLICY)


def serve_stylesheet(_request: HttpRequest) -> HttpResponse:
    """Serve the style sheet; its URL changes with its content, so browsers can cache it forever."""
    return _file_response("console.css", "text/css; charset=utf-8")


def serve_icon(_request: HttpRequest) -> HttpResponse:
    """Serve the icon."""
    return _file_response("icon.svg", "image/svg+xml")


def site_time(instant: int) -> datetime:
    """Return seconds UTC as an aware datetime."""
    return datetime.fromtimestamp(instant, UTC)


def _layout_context(tab: str) -> dict[str, object]:
    endpoint = webhook_endpoint.find_endpoint()
    return {
        "site": settings.SANDBOX_SITE,
        "now": site_time(clock.now_seconds()),
        "api": f"http://127.0.0.1:{settings.SANDBOX_PORT}/api/v2",
        "webhook_url": endpoint.url if endpoint else "",
        "stylesheet": f"{reverse('console:stylesheet')}?{_asset_fingerprint('console.css')}",
        "navigation": [NavigationTab(label, reverse(f"console:{name}"), name == tab) for name, label in _NAVIGATION],
    }


def _add_security_headers(response: HttpResponse, policy: str) -> HttpResponse:
    response["Content-Security-Policy"] = policy
    response["Cache-Control"] = "no-store"
    response["Referrer-Policy"] = "same-origin"
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _file_response(name: str, content_type: str) -> HttpResponse:
    response = HttpResponse(_asset_bytes(name), content_type=content_type)
    response["Cache-Control"] = "public, max-age=31536000, immutable"
    response["X-Content-Type-Options"] = "nosniff"
    return response


@cache
def _asset_bytes(name: str) -> bytes:
    return (_ASSETS / name).read_bytes()


@cache
def _asset_fingerprint(name: str) -> str:
    return hashlib.sha256(_asset_bytes(name)).hexdigest()[:16]
