"""Where a request comes from, as far as that can be believed."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass

from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

AGENT_LENGTH = 200
IPV6_SITE = 64  # one subscriber line usually holds a whole /64, so single IPv6 addresses limit nobody


@dataclass(frozen=True, slots=True)
class Origin:
    """The network address and the browser a request claims to come from; empty where unknown."""

    address: str
    agent: str

    @property
    def network(self) -> str:
        """What limits are counted by: the IPv4 address, or the /64 of an IPv6 one."""
        if ":" not in self.address:
            return self.address
        return str(ipaddress.ip_network(f"{self.address}/{IPV6_SITE}", strict=False))


def origin_of(request: HttpRequest | Request) -> Origin:
    """Give the origin of a request. Only the hop that our own last proxy added counts (NUM_PROXIES)."""
    agent = request.META.get("HTTP_USER_AGENT", "")
    printable = "".join(character for character in agent if character.isprintable())
    return Origin(address=_address(request), agent=printable[:AGENT_LENGTH])


def is_within(
    request: HttpRequest, networks: Iterable[ipaddress.IPv4Network | ipaddress.IPv6Network]
) -> bool:
    """Whether a request comes from one of these networks; one from nowhere known does not."""
    try:
        address = ipaddress.ip_address(origin_of(request).address)
    except ValueError:
        return False
    return any(address in network for network in networks)


def _address(request: HttpRequest | Request) -> str:
    # It reads nothing of the request but META, which both kinds have.
    claim = BaseThrottle().get_ident(request)  # type: ignore[arg-type]
    for claimed in (claim, request.META.get("REMOTE_ADDR")):
        try:
            address = ipaddress.ip_address((claimed or "").strip())
        except ValueError:
            continue
        if isinstance(address, ipaddress.IPv6Address):
            return str(address.ipv4_mapped or ipaddress.IPv6Address(int(address)))
        return str(address)
    return ""
