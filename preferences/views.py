"""The page behind the link in an email that ends emails of its kind."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from portal.errors import NotFound
from preferences import one_click
from preferences.words import words_of


@csrf_exempt  # a mail provider presses the button, on the subscriber's behalf (RFC 8058, section 3.1)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """End the emails on POST; on GET show a button that does, since scanners follow links. Raises Http404."""
    try:
        account, preference = one_click.read(token)
    except NotFound as error:
        raise Http404 from error
    done = request.method == "POST"
    if done:
        one_click.end(account, preference)
    context = {"words": words_of(preference), "address": _masked(account.email), "done": done}
    response = render(request, "preferences/unsubscribe.html", context)
    response["Referrer-Policy"] = "no-referrer"  # the address is the permission
    return response


def _masked(email: str) -> str:
    """Give an address that its owner knows again; whoever was forwarded the email learns no more of it."""
    name, _, domain = email.rpartition("@")
    return f"{name[:1]}…@{domain}"
