"""What a rehearsal has instead of name servers and a certificate authority, for the processes that it starts.

Production talks only to https://<site>.chargebee.com and verifies its certificate: the name leads to this machine, and
the rehearsal's certificate is trusted beside the others.
"""

from __future__ import annotations

import os
import socket
import ssl
from typing import Any

_find_addresses = socket.getaddrinfo
_create_context = ssl.create_default_context


def _find_addresses_here(host: Any, *arguments: Any, **named: Any) -> Any:
    return _find_addresses("127.0.0.1" if host == os.environ["REHEARSAL_PROVIDER"] else host, *arguments, **named)


def _create_trusting_context(*arguments: Any, **named: Any) -> ssl.SSLContext:
    context = _create_context(*arguments, **named)
    context.load_verify_locations(os.environ["REHEARSAL_CERTIFICATE"])
    return context


if "REHEARSAL_PROVIDER" in os.environ:
    socket.getaddrinfo = _find_addresses_here
    ssl.create_default_context = _create_trusting_context
