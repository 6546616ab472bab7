"""What the checks report, and the patterns and hosts that several of them know."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from django.core.checks import Error
from django.core.checks import Warning as CheckWarning
from publicsuffixlist import PublicSuffixList

LOOPBACK = {"127.0.0.1", "localhost", "::1"}
# A literal host: its origin becomes a source in the Content-Security-Policy, where `*`, `;` and `,` are special.
SCRIPT_ADDRESS = re.compile(r"https?://([a-z0-9.-]+|\[::1\])(:[0-9]+)?/[^\s]*")
# A label of a host name, which becomes a source as well.
SITE_NAME = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")
DOMAIN = re.compile(r"([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]")


def setting_error(number: int, message: str, hint: str) -> Error:
    """Return the error `portal.E…` that refuses a setting."""
    return Error(message, hint=hint, id=f"portal.E{number:03}")


def setting_warning(number: int, message: str, hint: str) -> CheckWarning:
    """Return the warning `portal.W…` about a setting that may be meant."""
    return CheckWarning(message, hint=hint, id=f"portal.W{number:03}")


def public_suffixes(domains: Iterable[str]) -> list[str]:
    """Return the domains below which anybody can have a name, such as `co.uk` or `github.io`."""
    return [domain for domain in domains if _suffix_list().is_public(domain.lower())]


@cache
def _suffix_list() -> PublicSuffixList:
    return PublicSuffixList()
