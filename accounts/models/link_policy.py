"""Which external links the portal may render: https, to one of `LINK_DOMAINS` or a host below one.

A link is checked when an operator saves it and again when it is rendered, because a row may predate a change of
`LINK_DOMAINS`. Otherwise an operator's account could be used to send subscribers to a phishing site.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError


def is_allowed_link(address: str) -> bool:
    """Return whether the URL is https, on a listed host, without user name or unusual port."""
    try:
        parts = urlsplit(address)
        is_plain = parts.port in (None, 443) and parts.username is None
    except ValueError:
        return False
    host = (parts.hostname or "").rstrip(".")
    is_listed = any(host == domain or host.endswith(f".{domain}") for domain in settings.LINK_DOMAINS)
    return parts.scheme == "https" and is_plain and is_listed


def allowed_link(address: str) -> str:
    """Return the URL, or an empty string if it may not be linked to."""
    return address if is_allowed_link(address) else ""


def validate_link(address: str) -> None:
    """Raise ValidationError, which names the allowed hosts, if the portal may not link to the URL."""
    if not is_allowed_link(address):
        hosts = " or ".join(settings.LINK_DOMAINS) or "no host"
        raise ValidationError(
            f"The portal links to {hosts} and to hosts below, over https. LINK_DOMAINS in the environment says so."
        )
