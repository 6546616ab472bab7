"""The callbacks and the handler of django-axes, which locks out after failed sign-ins.

A name is locked for the network from which it failed. From many networks together it may fail so often as well; that
locks the browsers that have never signed in with it, so that strangers keep no operator out of a known one.
"""

from __future__ import annotations

import ipaddress
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessAttempt
from axes.utils import reset
from django.conf import settings
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import formats, timezone

from accounts.brands import site
from accounts.sign_in.known_browsers import BrowserCookie, find_known_browser
from core.clock import database_now
from core.limits import (
    Limit,
    Throttled,
    check_limit,
    count_uses,
    forget_uses,
    forget_uses_of_all,
    format_wait,
    is_used_up,
    seconds_until,
)
from core.network import request_origin

MAX_TRIES = 3
# Wrong passwords and codes for one name: those of a known browser, and those of all others together.
NAME_FAILURES = Limit("operator-failures", 20, timedelta(hours=1), grows_on_demo=False)
OPERATORS = BrowserCookie("known-operator", "/admin/", "operators.known-browser", "Strict")


class CountingHandler(AxesDatabaseHandler):  # type: ignore[misc]  # django-axes has no types
    """Counts failures in the database, also during concurrent sign-ins with the same user name."""

    def user_login_failed(
        self, sender: Any, credentials: dict[str, Any], request: HttpRequest | None = None, **kwargs: Any
    ) -> None:
        """Count a failure. Raises IntegrityError if a concurrent success deleted the row at every try.

        axes selects the row, inserts it if missing, and selects again if the insert fails. If a success deletes the row
        in between, axes raises: without another try, the response would be a 500 and the failure would not be counted.
        """
        was_locked = getattr(request, "axes_locked_out", False)
        for tries_left in reversed(range(MAX_TRIES)):
            try:
                super().user_login_failed(sender, credentials, request, **kwargs)
                break
            except IntegrityError:
                if not tries_left:
                    raise
        if request is not None and not was_locked:
            _count_failure(request, credentials)

    def is_locked(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> bool:
        """Return whether the name is locked for the request's network, or for its browser."""
        if super().is_locked(request, credentials):
            return True
        return is_used_up(NAME_FAILURES, _failures_subject(request, credentials))

    def user_logged_in(self, sender: Any, request: HttpRequest, user: Any, **kwargs: Any) -> None:
        """Count failures anew, those of this browser or of all unknown ones."""
        super().user_logged_in(sender, request, user, **kwargs)
        forget_uses(NAME_FAILURES, _failures_subject(request, {"username": user.get_username()}))


def _failures_subject(request: HttpRequest, credentials: dict[str, Any] | None) -> str:
    """Return whose failures are counted together: a known browser's for the name, or those of all others."""
    name = str((credentials or {}).get("username") or "")
    known = find_known_browser(request, name, cookie=OPERATORS)
    return f"{known}:{name}" if known else name


def _count_failure(request: HttpRequest, credentials: dict[str, Any]) -> None:
    subject = _failures_subject(request, credentials)
    count_uses(NAME_FAILURES, subject, 1)
    if is_used_up(NAME_FAILURES, subject):
        request.axes_locked_out = True  # type: ignore[attr-defined]  # axes reads it
        request.axes_credentials = credentials  # type: ignore[attr-defined]


def lockout_address(request: HttpRequest) -> str | None:
    """Return the address by which failures are counted; for IPv6 the first of its /64, which is one client's."""
    network = request_origin(request).network
    return str(ipaddress.ip_network(network).network_address) if network else None


def describe_client(username: str | None, address: str | None, agent: str, path: str, request: HttpRequest) -> str:
    """Return the client for the log; `repr` prevents the user name from forging a log line."""
    return f"{username!r} from {address}"


def lockout_response(
    request: HttpRequest, response: HttpResponse | None, credentials: dict[str, Any] | None
) -> HttpResponse:
    """Return the 429 page, which is the same for unknown user names."""
    seconds = _seconds_locked(request, credentials)
    until = database_now() + timedelta(seconds=seconds + 59)  # rounded up: the page names the minute
    with timezone.override(ZoneInfo(site.site_settings().time_zone)):
        context = {
            "wait": format_wait(seconds),
            "until": formats.date_format(timezone.localtime(until), "TIME_FORMAT"),
            "clock_name": timezone.get_current_timezone_name().replace("_", " "),
        }
        page = render(request, "portal/429.html", context, status=429)
    page["Retry-After"] = str(seconds)
    return page


def _seconds_locked(request: HttpRequest, credentials: dict[str, Any] | None) -> int:
    """Return for how long the name stays locked for this request, at least a second."""
    now = database_now()
    name = (credentials or {}).get("username")
    attempts = AccessAttempt.objects.filter(username=name, ip_address=lockout_address(request))
    newest = attempts.order_by("-attempt_time").values_list("attempt_time", flat=True).first()
    by_network = seconds_until(newest + settings.AXES_COOLOFF_TIME, now) if newest else 1
    try:
        check_limit(NAME_FAILURES, _failures_subject(request, credentials))
    except Throttled as error:
        return max(by_network, error.retry_after or 0)
    return by_network


def unlock_operator(username: str) -> int:
    """Delete a user name's failures, also those of its known browsers.

    Return from how many pairs of address and browser they came.
    """
    forget_uses_of_all(NAME_FAILURES, username)
    deleted: int = reset(username=username)
    return deleted
