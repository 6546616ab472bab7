"""Browsers that have signed in before: a cookie that scripts cannot read, and that signs nobody in.

It names the addresses that the browser has signed in to, so that limits can tell their owner from strangers (OWASP:
device cookies). Whoever steals it gets a few more tries and nothing else.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from django.conf import settings
from django.core import signing
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.crypto import salted_hmac
from rest_framework.request import Request

COOKIE_LIFETIME = timedelta(days=365)
MAX_ADDRESSES = 5  # a household's accounts; the oldest is forgotten
LINK_LIFETIME = timedelta(days=1)

_LINK_SALT = "accounts.sign-in-link"


@dataclass(frozen=True, slots=True)
class BrowserCookie:
    """A cookie of known browsers: its name, and by path and site the requests that carry it."""

    plain_name: str
    path: str
    salt: str
    samesite: Literal["Lax", "Strict"]

    @property
    def name(self) -> str:
        """The name, with a prefix that browsers accept only with Secure, which the demo's plain HTTP cannot have."""
        prefix = "__Host-" if self.path == "/" else "__Secure-"
        return f"{prefix if settings.SESSION_COOKIE_SECURE else ''}{self.plain_name}"


# The page of a sign-in link is opened from other sites, where people read mail, and has to find the cookie.
SUBSCRIBERS = BrowserCookie("known-browser", "/", "accounts.known-browser", "Lax")


@dataclass(frozen=True, slots=True)
class _KnownBrowser:
    """The content of a cookie: a random id, and the digests of the addresses, the oldest first."""

    browser_id: str
    digests: tuple[str, ...] = ()


def find_known_browser(request: HttpRequest | Request, name: str, *, cookie: BrowserCookie = SUBSCRIBERS) -> str:
    """Return the id of a browser that has signed in with this name, or an empty string.

    A subscriber's name is the normalized address.
    """
    browser = _read_cookie(request, cookie)
    return browser.browser_id if browser and _name_digest(browser.browser_id, name) in browser.digests else ""


def remember_browser(
    request: HttpRequest | Request, response: HttpResponseBase, name: str, *, cookie: BrowserCookie = SUBSCRIBERS
) -> None:
    """Let the browser that gets this response be known for this name, for a year."""
    browser = _read_cookie(request, cookie) or _KnownBrowser(secrets.token_hex(16))
    digest = _name_digest(browser.browser_id, name)
    others = [known for known in browser.digests if known != digest]
    response.set_cookie(
        cookie.name,
        signing.dumps([browser.browser_id, [*others, digest][-MAX_ADDRESSES:]], salt=cookie.salt),
        max_age=COOKIE_LIFETIME,
        path=cookie.path,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite=cookie.samesite,
    )


def sign_in_link(email: str) -> str:
    """Return the path of a link that makes the browser in which it is opened known for this address."""
    return f"/sign-in-link/{signing.dumps(email, salt=_LINK_SALT)}"


def read_sign_in_link(token: str) -> str | None:
    """Return the address of a link, or None if it has expired or is not ours."""
    try:
        return str(signing.loads(token, salt=_LINK_SALT, max_age=LINK_LIFETIME))
    except signing.BadSignature:
        return None


def _read_cookie(request: HttpRequest | Request, cookie: BrowserCookie) -> _KnownBrowser | None:
    signed = request.COOKIES.get(cookie.name, "")
    try:
        browser_id, digests = signing.loads(signed, salt=cookie.salt, max_age=COOKIE_LIFETIME)
    except signing.BadSignature:
        return None
    return _KnownBrowser(browser_id, tuple(digests))


def _name_digest(browser_id: str, name: str) -> str:
    return salted_hmac(browser_id, name).hexdigest()
