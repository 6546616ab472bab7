"""The documents and files that a payer's browser loads: Chargebee.js, the frames, and their assets."""

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

from chargebee_sandbox import settings

_ASSETS = Path(__file__).parent / "assets"
OWN_ORIGIN_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'"
)
TOP_WINDOW_POLICY = f"{OWN_ORIGIN_POLICY}; form-action 'self'; frame-ancestors 'none'"
"""The policy of a page in a window of its own."""

CARD_FIELDS = {
    "number": [{"kind": "number", "autocomplete": "cc-number", "label": "Card number"}],
    "expiry": [{"kind": "expiry", "autocomplete": "cc-exp", "label": "Expiry date"}],
    "cvv": [{"kind": "cvv", "autocomplete": "cc-csc", "label": "Security code"}],
}
_FIELDS_BY_KIND = {**CARD_FIELDS, "combined": [field for fields in CARD_FIELDS.values() for field in fields]}


@require_safe
def serve_script(request: HttpRequest) -> HttpResponse:
    """Serve Chargebee.js: its parts in the order of their names, inside a function."""
    return file_response(_script_source(), "text/javascript; charset=utf-8")


@require_safe
def serve_frame_asset(request: HttpRequest, name: str) -> HttpResponse:
    """Serve a script or style sheet of the frames."""
    if name not in {file.name for file in (_ASSETS / "frames").iterdir()}:
        raise Http404
    kind = mimetypes.guess_type(name)[0]
    return file_response((_ASSETS / "frames" / name).read_bytes(), f"{kind}; charset=utf-8")


@require_safe
def serve_card_field(request: HttpRequest) -> HttpResponse:
    """Serve the document for the frame of a card field (``?kind=``), or of all three."""
    kind = request.GET.get("kind", "")
    if kind not in _FIELDS_BY_KIND:
        raise Http404
    return render_frame(request, "card_field.html", {"kind": kind, "fields": _FIELDS_BY_KIND[kind]})


@require_safe
def serve_stored_card(request: HttpRequest) -> HttpResponse:
    """Serve the document for the invisible frame that authorizes an intent with a stored card."""
    return render_frame(request, "stored_card.html", {})


@require_safe
def serve_master(request: HttpRequest) -> HttpResponse:
    """Serve the document for the hidden frame that sends Chargebee.js's requests."""
    return render_frame(request, "master.html", {})


def file_response(content: bytes, content_type: str) -> HttpResponse:
    """Return a file that pages of every origin may load."""
    response = HttpResponse(content, content_type=content_type)
    response["Cache-Control"] = "no-cache"
    response["Access-Control-Allow-Origin"] = "*"
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    response["X-Content-Type-Options"] = "nosniff"
    return response


def render_page(
    request: HttpRequest, template: str, context: Mapping[str, object], policy: str, status: int = 200
) -> HttpResponse:
    """Render a document with its content security policy."""
    response = render(request, f"sandbox/chargebee_js/{template}", context, status=status)
    response["Content-Security-Policy"] = policy
    response["Cache-Control"] = "no-store"
    response["Referrer-Policy"] = "same-origin"
    response["X-Content-Type-Options"] = "nosniff"
    return response


def render_frame(request: HttpRequest, template: str, context: Mapping[str, object]) -> HttpResponse:
    """Render a document for the frame of a page (``?parent=``), which must be one of the portal's."""
    parent = request.GET.get("parent", "")
    if not _is_portal_origin(parent):
        raise Http404
    policy = f"{OWN_ORIGIN_POLICY}; form-action 'none'; frame-ancestors {' '.join(portal_origins())}"
    return render_page(request, template, {**context, "parent": parent}, policy)


def portal_origins() -> list[str]:
    """Return the origins whose pages may embed the frames, as a policy lists them.

    For a portal on this machine these are all its names: every name under `localhost` is this machine (RFC 6761,
    section 6.3), and a portal may serve each brand under one.
    """
    origin = settings.SANDBOX_PORTAL_ORIGIN.rstrip("/")
    host = urlsplit(origin).hostname or ""
    if host not in ("127.0.0.1", "localhost"):
        return [origin]
    return [origin.replace(host, name, 1) for name in ("127.0.0.1", "localhost", "*.localhost")]


def _is_portal_origin(parent: str) -> bool:
    """Return whether an origin is one of the portal's."""
    patterns = (re.escape(origin).replace(r"\*", "[a-z0-9-]+") for origin in portal_origins())
    return any(re.fullmatch(pattern, parent) for pattern in patterns)


@cache
def _script_source() -> bytes:
    parts = [part.read_text() for part in sorted((_ASSETS / "script").iterdir())]
    return "\n".join(['(function () {\n"use strict";', *parts, "})();\n"]).encode()
