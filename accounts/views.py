"""The page of a sign-in link."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.brands import site
from accounts.sign_in.known_browsers import read_sign_in_link, remember_browser


@never_cache
@require_safe
def sign_in_link_page(request: HttpRequest, token: str) -> HttpResponse:
    """Make the browser known for the link's address; a code signs in then. A mail scanner makes only itself known."""
    email = read_sign_in_link(token)
    context = {"known": email is not None, "brand": site.brand_for_host(request.get_host())}
    response = render(request, "accounts/sign_in_link.html", context, status=200 if email else 410)
    response["Referrer-Policy"] = "no-referrer"  # whoever has the URL may use it
    if email is not None:
        remember_browser(request, response, email)
    return response
