"""The network address and user agent of a request."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass

from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

MAX_AGENT_LENGTH = 200
IPV6_PREFIX_LENGTH = 64  # one subscriber line usually holds a whole /64, so single IPv6 addresses limit nobody


@dataclass(frozen=True, slots=True)
class Origin:
    """The network address and user agent of a request; empty where unknown."""

    address: str
    agent: str

    @property
    def network(self) -> str:
        """Return the network that limits count by: the IPv4 address, or the /64 network of an IPv6 address."""
        if ":" not in self.address:
            return self.address
        return str(ipaddress.ip_network(f"{self.address}/{IPV6_PREFIX_LENGTH}", strict=False))


def request_origin(request: HttpRequest | Request) -> Origin:
    """Return the origin of a request. Of X-Forwarded-For only the entry of our own last proxy counts (NUM_PROXIES)."""
    agent = request.META.get("HTTP_USER_AGENT", "")
    printable = "".join(character for character in agent if character.isprintable())
    return Origin(address=_client_address(request), agent=printable[:MAX_AGENT_LENGTH])


def is_from_networks(request: HttpRequest, networks: Iterable[ipaddress.IPv4Network | ipaddress.IPv6Network]) -> bool:
    """Return whether a request comes from one of these networks; False if its address is unknown."""
    try:
        address = ipaddress.ip_address(request_origin(request).address)
    except ValueError:
        return False
    return any(address in network for network in networks)


def _client_address(request: HttpRequest | Request) -> str:
    # get_ident reads only META, which Django's and REST framework's requests both have.
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
