"""Which networks reach the admin."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest

from accounts.network import is_within


def may_reach_the_admin(request: HttpRequest) -> bool:
    """Whether the request comes from one of the operators' networks; from anywhere where none is set.

    What an address is behind proxies is decided as for the API (NUM_PROXIES).
    """
    return not settings.ADMIN_NETWORKS or is_within(request, settings.ADMIN_NETWORKS)
