"""Which external links the portal may render: https, to one of `LINK_DOMAINS` or a host below one.

A link is checked when an operator saves it and again when it is rendered, because a row may predate a change of
`LINK_DOMAINS`. Otherwise an operator's account could be used to send subscribers to a phishing site.
"""

from __future__ import annotations

import re

from django.conf import settings
from django.core.exceptions import ValidationError

from core.text import is_hidden

# What browsers and Python read alike. Browsers take a backslash for a slash, drop tabs and line breaks, and decode a
# host; so a host has plain letters only, and nothing of this is anywhere in the address.
_PLAIN_LINK = re.compile(r"https://(?P<host>[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)\.?(?::443)?(?:[/?#].*)?", re.IGNORECASE)


def is_allowed_link(address: str) -> bool:
    """Return whether the URL is https, on a listed host, without user name or unusual port, as a browser reads it."""
    link = _PLAIN_LINK.fullmatch(address)
    if link is None or any(character == "\\" or character.isspace() or is_hidden(character) for character in address):
        return False
    host = link["host"].lower()
    return any(host == domain or host.endswith(f".{domain}") for domain in settings.LINK_DOMAINS)


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
