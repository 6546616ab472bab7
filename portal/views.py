"""The page that loads the app, pictures, and error pages."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import Error as DatabaseFailure
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.urls import reverse
from django.utils import formats, timezone
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from webpack_loader.exceptions import BaseWebpackLoaderException
from webpack_loader.utils import get_loader

from accounts.api.serializers import SiteSerializer
from accounts.brands.site import brand_for_host, site_for_host, site_settings
from operators.account_views import find_open_view
from operators.models import AccountView
from portal.api.case import camelize_keys
from portal.api.errors import status_response
from portal.api.requests import is_json_request
from portal.middleware.csp import allow_widget
from portal.middleware.payment_policy import allow_card_fields, allow_paypal

logger = logging.getLogger(__name__)

CARD_DOCUMENTS = ("add-card-payment-method", "update-card-payment-method")
PAYPAL_DOCUMENTS = ("add-paypal-payment-method",)
# The specification excludes the support widget here. Only a new document is free of a script that has already run.
WIDGET_FREE_PATH = "edit-profile"
# The names of screens in the bundle: a path, or the frame around the screens of a signed-in subscriber.
LANDING, FRAME = "/", "frame"
# A picture that is opened directly may use inline styles but no scripts or other resources.
PICTURE_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; sandbox; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"
)


def _failure_response(request: HttpRequest, status: int) -> HttpResponse:
    """Return the status as JSON or as a page, without the reason."""
    if is_json_request(request):
        return status_response(request, status)
    return render(request, f"portal/{status}.html", status=status)


def _render_document(request: HttpRequest, kind: str, **more_settings: object) -> HttpResponse:
    path = f"/{_screen_name(request)}"
    view = find_open_view(request)
    context = {
        "settings": {"document": kind, **more_settings, **({} if view is None else _view_settings(request, view))},
        "site": _site_payload(request),
        "is_landing": path == LANDING,
    }
    try:
        return render(request, "portal/app.html", {**context, **_screen_files(path)})
    except (OSError, ValueError, BaseWebpackLoaderException) as error:
        logger.error("The page cannot be shown: the bundle is not built (%s).", error)
        return render(request, "portal/bundle_missing.html", status=503)


def _view_settings(request: HttpRequest, view: AccountView) -> dict[str, object]:
    """Return what the app needs to know of an operator's view of an account: its banner, and how it ends."""
    return {
        "view": {
            "id": view.pk,
            "name": view.account.name or view.account.email,
            "expiresOn": _format_on_site_clock(view.expires_at),
            "secondsLeft": int((view.expires_at - timezone.now()).total_seconds()),
            "endUrl": reverse("admin:end_view"),
            "backUrl": reverse("admin:accounts_account_change", args=[view.account.pk]),
            "csrfToken": get_token(request),
        }
    }


def _format_on_site_clock(at: datetime) -> str:
    local = at.astimezone(ZoneInfo(site_settings().time_zone))
    return str(formats.date_format(local, "DATETIME_FORMAT"))


def _is_view(request: HttpRequest) -> bool:
    """Return whether an operator sees a subscriber's screens, which have neither payment forms nor a widget."""
    return find_open_view(request) is not None


def _render_payment_document(request: HttpRequest, kind: str) -> HttpResponse:
    # The app hands the nonce to the provider's script. It is not readable by style sheets, as an attribute would be.
    return _render_document(request, kind, cspNonce=str(request.csp_nonce))  # type: ignore[attr-defined]


def _screen_name(request: HttpRequest) -> str:
    # The app's router ignores case and trailing slashes.
    return request.path_info.removeprefix("/").rstrip("/").casefold()


def _site_payload(request: HttpRequest) -> Any:
    """Return the response of `/api/site`, which saves the app a request; None if the database is down."""
    try:
        return camelize_keys(SiteSerializer(site_for_host(request.get_host())).data)
    except DatabaseFailure as error:
        logger.warning("The page is rendered without its site settings: %s", error)
        return None


def _screen_files(path: str) -> dict[str, list[str]]:
    """Return the URLs of the style sheets and scripts of the screen at a path and of its frame.

    The page preloads them; otherwise the app would request them after it has started. Raises what `render_bundle` does.
    """
    stats: dict[str, Any] = get_loader("DEFAULT").get_assets()
    screens = {name.casefold(): files for name, files in stats.get("screens", {}).items()}
    parts = [] if path not in screens else [path] if path == LANDING else [FRAME, path]
    files = [stats["assets"][name]["publicPath"] for part in parts for name in screens.get(part, [])]
    return {
        "styles": [file for file in files if file.endswith(".css")],
        "scripts": [file for file in files if file.endswith(".js")],
    }


@never_cache
@require_safe
def app_page(request: HttpRequest) -> HttpResponse:
    """Return the document that loads the app, for every page except the card and PayPal documents.

    With a support widget, the profile has a document of its own, which does not allow the widget.
    """
    name = _screen_name(request)
    if name in (*CARD_DOCUMENTS, *PAYPAL_DOCUMENTS):
        query = request.META["QUERY_STRING"]
        return HttpResponseRedirect(f"/{name}?{query}" if query else f"/{name}")
    if not settings.SUPPORT_WIDGET_URL or _is_view(request):
        return _render_document(request, "app")
    return _render_document(request, "profile") if name == WIDGET_FREE_PATH else _supported_document(request)


@allow_widget
def _supported_document(request: HttpRequest) -> HttpResponse:
    return _render_document(request, "app", supportWidget=True)


@never_cache
@require_safe
def card_document(request: HttpRequest) -> HttpResponse:
    """Return the document for pages with the provider's card fields and the page of the card's bank."""
    return _render_document(request, "app") if _is_view(request) else _document_with_card_fields(request)


@allow_card_fields
def _document_with_card_fields(request: HttpRequest) -> HttpResponse:
    return _render_payment_document(request, "card")


@never_cache
@require_safe
def paypal_document(request: HttpRequest) -> HttpResponse:
    """Return the document for the page with PayPal's button, which opens PayPal's window."""
    return _render_document(request, "app") if _is_view(request) else _document_with_paypal(request)


@allow_paypal
def _document_with_paypal(request: HttpRequest) -> HttpResponse:
    return _render_payment_document(request, "payPal")


@require_safe
def uploaded_picture(request: HttpRequest, place: str) -> HttpResponseBase:
    """Return an uploaded picture. Its name is a hash of its content, so it may be cached forever."""
    try:
        file = default_storage.open(place)
    except FileNotFoundError:
        return _failure_response(request, 404)
    headers = {
        "Cache-Control": "public, max-age=31536000, immutable",
        "Content-Security-Policy": PICTURE_POLICY,
    }
    return FileResponse(file, headers=headers)


@require_safe
@cache_control(public=True, max_age=3600)
def brand_icon(request: HttpRequest) -> HttpResponse:
    """Return the icon in the colors of this host's brand."""
    colours = brand_for_host(request.get_host()).colours
    response = render(request, "portal/icon.svg", {"colours": colours}, "image/svg+xml")
    response["Content-Security-Policy"] = PICTURE_POLICY
    return response


@require_safe
@cache_control(public=True, max_age=3600)
def brand_styles(request: HttpRequest) -> HttpResponse:
    """Return the colors of this host's brand for the pages that are not the app's."""
    colours = brand_for_host(request.get_host()).colours
    return render(request, "portal/brand.css", {"colours": colours}, "text/css; charset=utf-8")


@csrf_exempt
def unknown_path(request: HttpRequest, path: str = "") -> HttpResponse:
    """Return 404 for a path that is neither a page nor an endpoint, for every method."""
    return _failure_response(request, 404)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Return the 400 page (Django's handler)."""
    return _failure_response(request, 400)


def permission_denied(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Return the 403 page (Django's handler)."""
    return _failure_response(request, 403)


def page_not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Return the 404 page (Django's handler)."""
    return _failure_response(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Return the 500 page (Django's handler), without using anything that may have failed."""
    return _failure_response(request, 500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Return the 403 page for a missing or outdated CSRF token; Django logs the reason."""
    return _failure_response(request, 403)
