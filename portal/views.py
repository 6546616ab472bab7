"""The page that loads the app, and the answers for everything that is not found or went wrong."""

from __future__ import annotations

import logging

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from webpack_loader.exceptions import BaseWebpackLoaderException

from portal.api.errors import status_response
from portal.api.middleware import speaks_json

logger = logging.getLogger(__name__)


def _failure(request: HttpRequest, status: int) -> HttpResponse:
    """Say what went wrong in the caller's form, and nothing about why."""
    if speaks_json(request):
        return status_response(request, status)
    return render(request, f"portal/{status}.html", status=status)


@never_cache
@require_safe
def shell(request: HttpRequest) -> HttpResponse:
    """Answer every page of the app with the one document that loads it."""
    try:
        return render(request, "portal/app.html", {"settings": {}})
    except (OSError, ValueError, BaseWebpackLoaderException) as error:
        logger.error("The page cannot be shown: the bundle is not built (%s).", error)
        return render(request, "portal/bundle_missing.html", status=503)


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
