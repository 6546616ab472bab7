"""Where the portal may lead: https, to a host that the installation names (security, row 28).

What operators type is checked when they save it and again when it is drawn: a row that came another way, or from
before the list was shortened, leads nowhere.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError


def is_allowed(address: str) -> bool:
    """Whether an address is https and on one of `LINK_DOMAINS`, or on a host below one."""
    try:
        parts = urlsplit(address)
        plain = parts.port in (None, 443) and parts.username is None
    except ValueError:
        return False
    host = (parts.hostname or "").rstrip(".")
    listed = any(host == domain or host.endswith(f".{domain}") for domain in settings.LINK_DOMAINS)
    return parts.scheme == "https" and plain and listed


def allowed(address: str) -> str:
    """Give the address where it may be linked to; empty where it may not."""
    return address if is_allowed(address) else ""


def validate_link(address: str) -> None:
    """Refuse an address that the portal may not link to; the message says which hosts it may."""
    if not is_allowed(address):
        hosts = " or ".join(settings.LINK_DOMAINS) or "no host"
        raise ValidationError(
            f"The portal links to {hosts} and to hosts below, over https. LINK_DOMAINS in the environment says so."
        )
