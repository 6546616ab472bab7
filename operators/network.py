"""Which networks reach the admin."""

from __future__ import annotations

import ipaddress

from django.conf import settings
from django.http import HttpRequest

from accounts.network import origin_of


def may_reach_the_admin(request: HttpRequest) -> bool:
    """Whether the request comes from one of the operators' networks; from anywhere where none is set.

    What an address is behind proxies is decided as for the API (NUM_PROXIES).
    """
    if not settings.ADMIN_NETWORKS:
        return True
    try:
        address = ipaddress.ip_address(origin_of(request).address)
    except ValueError:
        return False
    return any(address in network for network in settings.ADMIN_NETWORKS)
