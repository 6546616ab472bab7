"""The networks from which the admin can be reached."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest

from core.network import is_from_networks


def can_reach_admin(request: HttpRequest) -> bool:
    """Return whether the request comes from one of `ADMIN_NETWORKS`, or none is set.

    `NUM_PROXIES` decides which address counts, as for the API.
    """
    return not settings.ADMIN_NETWORKS or is_from_networks(request, settings.ADMIN_NETWORKS)
