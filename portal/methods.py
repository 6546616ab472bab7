"""The methods that the portal knows."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


class KnownMethodsMiddleware:
    """Refuses TRACE and what nobody has heard of, wherever it is asked (ASVS 13.4.4)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer 405, or let the request pass."""
        if request.method not in METHODS:
            return HttpResponseNotAllowed(METHODS)
        return self.get_response(request)
