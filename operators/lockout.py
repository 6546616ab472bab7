"""The callbacks and the handler of django-axes, which locks out after failed sign-ins."""

from __future__ import annotations

import ipaddress
from typing import Any

from axes.handlers.database import AxesDatabaseHandler
from axes.utils import reset
from django.conf import settings
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from core.network import request_origin

MAX_TRIES = 3


class CountingHandler(AxesDatabaseHandler):  # type: ignore[misc]  # django-axes has no types
    """Counts failures in the database, also during concurrent sign-ins with the same user name."""

    def user_login_failed(
        self, sender: Any, credentials: dict[str, Any], request: HttpRequest | None = None, **kwargs: Any
    ) -> None:
        """Count a failure. Raises IntegrityError if a concurrent success deleted the row at every try.

        axes selects the row, inserts it if missing, and selects again if the insert fails. If a success deletes the row
        in between, axes raises: without another try, the response would be a 500 and the failure would not be counted.
        """
        for tries_left in reversed(range(MAX_TRIES)):
            try:
                super().user_login_failed(sender, credentials, request, **kwargs)
                return
            except IntegrityError:
                if not tries_left:
                    raise


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
    page = render(request, "portal/429.html", status=429)
    page["Retry-After"] = str(int(settings.AXES_COOLOFF_TIME.total_seconds()))
    return page


def unlock_operator(username: str) -> int:
    """Delete a user name's failures; return from how many pairs of address and browser they came."""
    deleted: int = reset(username=username)
    return deleted
