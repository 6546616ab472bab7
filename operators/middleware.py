"""Restricts the admin to the operators' networks."""

from __future__ import annotations

from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse

from operators.network import can_reach_admin

ADMIN_PREFIX = "/admin/"


class OperatorsNetworkMiddleware:
    """Returns 404 for the admin's URLs to clients outside the operators' networks."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on. Raises Http404."""
        if f"{request.path_info}/".startswith(ADMIN_PREFIX) and not can_reach_admin(request):
            raise Http404
        return self.get_response(request)
