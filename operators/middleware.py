"""What stands before the admin."""

from __future__ import annotations

from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse

from operators.network import may_reach_the_admin

PREFIX = "/admin/"


class OperatorsNetworkMiddleware:
    """Answers whoever is elsewhere as if there were no admin."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Let the request pass. Raises Http404."""
        if f"{request.path_info}/".startswith(PREFIX) and not may_reach_the_admin(request):
            raise Http404
        return self.get_response(request)
