"""The documents and files a payer's browser loads: Chargebee.js, the frames, and what they consist of."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from billing.sandbox import settings

_ASSETS = Path(__file__).parent / "assets"
_SELF = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'"
TOP_POLICY = f"{_SELF}; form-action 'self'; frame-ancestors 'none'"
"""For a page that stands in a window of its own."""

FIELDS = {
    "number": [{"kind": "number", "autocomplete": "cc-number", "label": "Card number"}],
    "expiry": [{"kind": "expiry", "autocomplete": "cc-exp", "label": "Expiry date"}],
    "cvv": [{"kind": "cvv", "autocomplete": "cc-csc", "label": "Security code"}],
}
_KINDS = {**FIELDS, "combined": [field for fields in FIELDS.values() for field in fields]}


@require_safe
def script(request: HttpRequest) -> HttpResponse:
    """Chargebee.js: its parts in the order of their names, in one function of their own."""
    return _file(_script(), "text/javascript; charset=utf-8")


@require_safe
def frame_asset(request: HttpRequest, name: str) -> HttpResponse:
    """A script or style sheet of the frames."""
    if name not in {file.name for file in (_ASSETS / "frames").iterdir()}:
        raise Http404
    kind = mimetypes.guess_type(name)[0]
    return _file((_ASSETS / "frames" / name).read_bytes(), f"{kind}; charset=utf-8")


@require_safe
def card_field(request: HttpRequest) -> HttpResponse:
    """The document in the frame of a card field (``?kind=``), or of all three."""
    kind = request.GET.get("kind", "")
    if kind not in _KINDS:
        raise Http404
    return _frame(request, "card_field.html", {"kind": kind, "fields": _KINDS[kind]})


@require_safe
def paypal_button(request: HttpRequest) -> HttpResponse:
    """The document in the frame of PayPal's button."""
    return _frame(request, "paypal_button.html", {})


def document(
    request: HttpRequest, template: str, context: Mapping[str, object], policy: str, status: int = 200
) -> HttpResponse:
    """Render a document under its policy."""
    response = render(request, f"sandbox/browser/{template}", context, status=status)
    response["Content-Security-Policy"] = policy
    response["Cache-Control"] = "no-store"
    response["Referrer-Policy"] = "same-origin"
    response["X-Content-Type-Options"] = "nosniff"
    return response


def portal_origins() -> list[str]:
    """Whose pages may embed the frames, as a policy names them: the portal's, by every name that this machine has.

    Every name under `localhost` is this machine (RFC 6761, section 6.3): a portal may show each brand at one.
    """
    origin = settings.SANDBOX_PORTAL_ORIGIN.rstrip("/")
    host = urlsplit(origin).hostname or ""
    if host not in ("127.0.0.1", "localhost"):
        return [origin]
    return [origin.replace(host, name, 1) for name in ("127.0.0.1", "localhost", "*.localhost")]


def _is_portal(parent: str) -> bool:
    """Whether an origin is one of the portal's."""
    patterns = (re.escape(origin).replace(r"\*", "[a-z0-9-]+") for origin in portal_origins())
    return any(re.fullmatch(pattern, parent) for pattern in patterns)


def _frame(request: HttpRequest, template: str, context: Mapping[str, object]) -> HttpResponse:
    """A document for the page that asks (``?parent=``), which has to be one of the portal's."""
    parent = request.GET.get("parent", "")
    if not _is_portal(parent):
        raise Http404
    policy = f"{_SELF}; form-action 'none'; frame-ancestors {' '.join(portal_origins())}"
    return document(request, template, {**context, "parent": parent}, policy)


@cache
def _script() -> bytes:
    parts = [part.read_text() for part in sorted((_ASSETS / "script").iterdir())]
    return "\n".join(['(function () {\n"use strict";', *parts, "})();\n"]).encode()


def _file(content: bytes, content_type: str) -> HttpResponse:
    response = HttpResponse(content, content_type=content_type)
    response["Cache-Control"] = "no-cache"
    # The portal's page loads the script from here, by whatever means it chooses.
    response["Access-Control-Allow-Origin"] = "*"
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    response["X-Content-Type-Options"] = "nosniff"
    return response
