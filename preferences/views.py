"""The unsubscribe page."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from accounts.brands import site
from core.errors import NotFound
from preferences import unsubscribe_link
from preferences.texts import preference_text


@csrf_exempt  # a mail provider posts on the subscriber's behalf (RFC 8058, section 3.1)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe_page(request: HttpRequest, token: str) -> HttpResponse:
    """Unsubscribe on POST; on GET show a button, because mail scanners follow links. Raises Http404.

    The page names no address: links never expire, and the account's may have changed since, from that of a mailbox that
    others read.
    """
    try:
        account, preference = unsubscribe_link.read_unsubscribe_token(token)
    except NotFound as error:
        raise Http404 from error
    done = request.method == "POST"
    if done:
        unsubscribe_link.end_preference(account, preference)
    context = {
        "words": preference_text(preference),
        "done": done,
        "brand": site.brand_for_host(request.get_host()),
    }
    response = render(request, "preferences/unsubscribe.html", context)
    response["Referrer-Policy"] = "no-referrer"  # whoever has the URL may use it
    return response
