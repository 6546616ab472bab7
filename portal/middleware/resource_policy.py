"""The Cross-Origin-Resource-Policy of every response."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

HEADER = "Cross-Origin-Resource-Policy"


class ResourcePolicyMiddleware:
    """Forbids pages of other origins to embed anything of ours: mails carry their logos themselves."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Add the header to the response."""
        response = self.get_response(request)
        response.headers.setdefault(HEADER, "same-origin")
        return response
