"""Refuses whatever an operator who sees a subscriber's screens may not do with them (decision 34)."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from rest_framework.permissions import SAFE_METHODS

from operators.account_views import ViewOnly, find_open_view
from portal.api.errors import error_response

API_PREFIX = "/api/"
# A whole copy of what is stored about somebody is for that person alone.
WITHHELD_PATHS = ("/api/account/export",)


class ViewOnlyMiddleware:
    """Answers 403 `view_only` to changes by a browser that has a view open, also to those that ask for no sign-in."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Refuse the request, or pass it on."""
        is_refused = request.path_info.startswith(API_PREFIX) and (
            request.method not in SAFE_METHODS or request.path_info in WITHHELD_PATHS
        )
        if is_refused and find_open_view(request) is not None:
            return error_response(request, ViewOnly())
        return self.get_response(request)
