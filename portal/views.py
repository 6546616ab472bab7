"""The page that loads the app, and the answers for everything that is not found or went wrong."""

from __future__ import annotations

import logging
from typing import Any

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import Error as DatabaseFailure
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from webpack_loader.exceptions import BaseWebpackLoaderException
from webpack_loader.utils import get_loader

from accounts.api.serializers import SiteSerializer
from accounts.site import brand_for_host, site_for_host
from portal.api.case import camelised
from portal.api.errors import status_response
from portal.api.requests import speaks_json
from portal.policies import allow_popups, allow_provider, allow_widget

logger = logging.getLogger(__name__)

CARD_DOCUMENTS = ("add-card-payment-method", "update-card-payment-method")
PAYPAL_DOCUMENTS = ("add-paypal-payment-method",)
# No support widget there (specification, section 2): once a page has run a script, only another page is without it.
WITHOUT_WIDGET = "edit-profile"
# The bundle calls a screen by its path, and so what is around those of a signed-in subscriber.
LANDING, FRAME = "/", "frame"
# A drawing that is opened by itself has its own styles, and neither scripts nor anything else to load.
PICTURE_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; sandbox; "
    "object-src 'none'; base-uri 'none'; frame-ancestors 'none'"
)


def _failure(request: HttpRequest, status: int) -> HttpResponse:
    """Say what went wrong in the caller's form, and nothing about why."""
    if speaks_json(request):
        return status_response(request, status)
    return render(request, f"portal/{status}.html", status=status)


def _document(request: HttpRequest, kind: str, **more: object) -> HttpResponse:
    path = f"/{_name(request)}"
    told = {"settings": {"document": kind, **more}, "site": _site(request), "is_landing": path == LANDING}
    try:
        return render(request, "portal/app.html", {**told, **_screen_files(path)})
    except (OSError, ValueError, BaseWebpackLoaderException) as error:
        logger.error("The page cannot be shown: the bundle is not built (%s).", error)
        return render(request, "portal/bundle_missing.html", status=503)


def _name(request: HttpRequest) -> str:
    # The app's router takes no notice of capitals and of slashes at the end.
    return request.path_info.removeprefix("/").rstrip("/").casefold()


def _site(request: HttpRequest) -> Any:
    """Give what `/api/site` answers, so that the app need not ask; None where it has to see for itself."""
    try:
        return camelised(SiteSerializer(site_for_host(request.get_host())).data)
    except DatabaseFailure as error:
        logger.warning("The page is sent without its site: %s", error)
        return None


def _screen_files(path: str) -> dict[str, list[str]]:
    """Give the addresses of the style sheets and scripts of the screen at a path and of the frame around it.

    The page asks for them together with the app, which would do so only when it runs. Raises as `render_bundle` does.
    """
    built: dict[str, Any] = get_loader("DEFAULT").get_assets()
    screens = {name.casefold(): files for name, files in built.get("screens", {}).items()}
    parts = [] if path not in screens else [path] if path == LANDING else [FRAME, path]
    files = [built["assets"][name]["publicPath"] for part in parts for name in screens.get(part, [])]
    return {
        "styles": [file for file in files if file.endswith(".css")],
        "scripts": [file for file in files if file.endswith(".js")],
    }


@never_cache
@require_safe
def shell(request: HttpRequest) -> HttpResponse:
    """Answer every page of the app but the card documents with the one document that loads it.

    Where there is a support widget, the profile has a document of its own that does not allow it.
    """
    name = _name(request)
    if name in (*CARD_DOCUMENTS, *PAYPAL_DOCUMENTS):
        query = request.META["QUERY_STRING"]
        return HttpResponseRedirect(f"/{name}?{query}" if query else f"/{name}")
    if not settings.SUPPORT_WIDGET_URL:
        return _document(request, "app")
    return _document(request, "profile") if name == WITHOUT_WIDGET else _supported_document(request)


@allow_widget
def _supported_document(request: HttpRequest) -> HttpResponse:
    return _document(request, "app", supportWidget=True)


@never_cache
@require_safe
@allow_provider
def card_document(request: HttpRequest) -> HttpResponse:
    """Answer the pages on which card details are entered, in fields of the provider's."""
    return _document(request, "card")


@never_cache
@require_safe
@allow_popups
@allow_provider
def paypal_document(request: HttpRequest) -> HttpResponse:
    """Answer the page on which a subscriber agrees to PayPal, in a window of PayPal's."""
    return _document(request, "payPal")


@require_safe
def picture(request: HttpRequest, place: str) -> HttpResponseBase:
    """Answer with a picture that an operator uploaded; its name is its content's, so it may be kept for ever."""
    try:
        file = default_storage.open(place)
    except FileNotFoundError:
        return _failure(request, 404)
    headers = {
        "Cache-Control": "public, max-age=31536000, immutable",
        "Content-Security-Policy": PICTURE_POLICY,
    }
    return FileResponse(file, headers=headers)


@require_safe
@cache_control(public=True, max_age=3600)
def icon(request: HttpRequest) -> HttpResponse:
    """Answer with the icon of this host's brand, drawn in its own colours."""
    colours = brand_for_host(request.get_host()).colours
    response = render(request, "portal/icon.svg", {"colours": colours}, "image/svg+xml")
    response["Content-Security-Policy"] = PICTURE_POLICY
    return response


@csrf_exempt
def unknown(request: HttpRequest, path: str = "") -> HttpResponse:
    """Answer an address that is neither a page nor an endpoint, whatever the method."""
    return _failure(request, 404)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Django's 400 handler."""
    return _failure(request, 400)


def permission_denied(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Django's 403 handler."""
    return _failure(request, 403)


def page_not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Django's 404 handler."""
    return _failure(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's 500 handler; it must not need anything that may be what failed."""
    return _failure(request, 500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form whose token is missing or old; the reason is in the log and nowhere else."""
    return _failure(request, 403)
