"""Restricts the admin to the operators' networks, and sets its clock."""

from __future__ import annotations

from collections.abc import Callable
from zoneinfo import ZoneInfo

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone

from accounts.brands import site
from operators.network import can_reach_admin

ADMIN_PREFIX = "/admin/"


def is_admin_path(path: str) -> bool:
    """Return whether a path is below the admin's."""
    return f"{path}/".startswith(ADMIN_PREFIX)


class OperatorsNetworkMiddleware:
    """Returns 404 for the admin's URLs to clients outside the operators' networks."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on. Raises Http404."""
        if is_admin_path(request.path_info) and not can_reach_admin(request):
            raise Http404
        return self.get_response(request)


class OperatorsClockMiddleware:
    """Renders the admin's times in the site's time zone, which each page names. What is stored stays in UTC."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on, with the site's time zone for pages of the admin.

        Whoever brings no session sees the sign-in page only, which has no times and needs no database.
        """
        if not is_admin_path(request.path_info) or settings.SESSION_COOKIE_NAME not in request.COOKIES:
            return self.get_response(request)
        with timezone.override(ZoneInfo(site.site_settings().time_zone)):
            return self.get_response(request)
