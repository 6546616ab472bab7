"""Restricts the HTTP methods."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed

KNOWN_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


class KnownMethodsMiddleware:
    """Refuses TRACE and unknown methods for every URL (ASVS 13.4.4)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return 405, or pass the request on."""
        if request.method not in KNOWN_METHODS:
            return HttpResponseNotAllowed(KNOWN_METHODS)
        return self.get_response(request)
