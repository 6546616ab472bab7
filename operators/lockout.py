"""What django-axes asks us: counting failures, where somebody is, names in the log, the answer to the locked out."""

from __future__ import annotations

import ipaddress
from typing import Any

from axes.handlers.database import AxesDatabaseHandler
from axes.utils import reset
from django.conf import settings
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.network import origin_of

TRIES = 3


class CountingHandler(AxesDatabaseHandler):  # type: ignore[misc]  # django-axes has no types
    """Counts failures in the database, also while others sign in under the same name."""

    def user_login_failed(
        self, sender: Any, credentials: dict[str, Any], request: HttpRequest | None = None, **kwargs: Any
    ) -> None:
        """Count a failure. Raises IntegrityError if others' successes took the row away at every try.

        axes looks for the row, makes it, and looks again where another was quicker; a success in between has
        deleted the other's by then, and the failure would be answered with 500 and not be counted.
        """
        for left in reversed(range(TRIES)):
            try:
                super().user_login_failed(sender, credentials, request, **kwargs)
                return
            except IntegrityError:
                if not left:
                    raise


def address_of(request: HttpRequest) -> str | None:
    """Give the address that failures are counted by: of an IPv6 line the first, since it usually holds a whole /64."""
    network = origin_of(request).network
    return str(ipaddress.ip_network(network).network_address) if network else None


def named(username: str | None, address: str | None, agent: str, path: str, request: HttpRequest) -> str:
    """Name somebody in the log, so that what they typed cannot pass for a line of it."""
    return f"{username!r} from {address}"


def refuse(
    request: HttpRequest, response: HttpResponse | None, credentials: dict[str, Any] | None
) -> HttpResponse:
    """Tell somebody to wait, whether or not the name is an operator's and whatever was wrong."""
    refused = render(request, "portal/429.html", status=429)
    refused["Retry-After"] = str(int(settings.AXES_COOLOFF_TIME.total_seconds()))
    return refused


def unlock(username: str) -> int:
    """Forget the failures under a name, from everywhere; give how many addresses and browsers they came from."""
    forgotten: int = reset(username=username)
    return forgotten
