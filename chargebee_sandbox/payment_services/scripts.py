"""The scripts and pictures of PayPal, Braintree, Stripe, and Cardinal."""

from __future__ import annotations

import mimetypes
from pathlib import Path

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from chargebee_sandbox.chargebee_js.pages import file_response

_ASSETS = Path(__file__).parent / "assets"
_BRAINTREE_MODULES = ("client", "paypal-checkout", "three-d-secure")


@require_safe
def serve_paypal_sdk(request: HttpRequest) -> HttpResponse:
    """Serve the SDK of PayPal Commerce; as the real one, only with a client id."""
    if not request.GET.get("client-id"):
        return HttpResponse("throw new Error('SDK Validation error: client-id is missing');", "text/javascript", 400)
    return _serve_host_script("paypal-button.js", "paypal-sdk.js")


@require_safe
def serve_express_checkout(request: HttpRequest) -> HttpResponse:
    """Serve the script of PayPal Express Checkout."""
    return _serve_host_script("paypal-button.js", "express-checkout.js")


@require_safe
def serve_braintree_module(request: HttpRequest, version: str, name: str) -> HttpResponse:
    """Serve a module of Braintree's SDK."""
    if name not in _BRAINTREE_MODULES:
        raise Http404
    return _serve_host_script(f"braintree-{name}.js")


@require_safe
def serve_stripe(request: HttpRequest) -> HttpResponse:
    """Serve Stripe.js."""
    return _serve_host_script("challenge-window.js", "stripe.js")


@require_safe
def serve_songbird(request: HttpRequest) -> HttpResponse:
    """Serve Cardinal's script, which Braintree's module loads."""
    return _serve_host_script("challenge-window.js", "songbird.js")


@require_safe
def serve_frame_asset(request: HttpRequest, name: str) -> HttpResponse:
    """Serve a script or style sheet of the button's frame or of PayPal's window."""
    return _serve_file("frames", name)


@require_safe
def serve_picture(request: HttpRequest, name: str) -> HttpResponse:
    """Serve a picture."""
    return _serve_file("images", name)


def _serve_host_script(*names: str) -> HttpResponse:
    """Serve a script for the merchant's page: its parts inside a function."""
    parts = [(_ASSETS / "host" / name).read_text() for name in names]
    source = "\n".join(['(function () {\n"use strict";', *parts, "})();\n"])
    return file_response(source.encode(), "text/javascript; charset=utf-8")


def _serve_file(folder: str, name: str) -> HttpResponse:
    if name not in {file.name for file in (_ASSETS / folder).iterdir()}:
        raise Http404
    return file_response((_ASSETS / folder / name).read_bytes(), f"{mimetypes.guess_type(name)[0]}; charset=utf-8")
