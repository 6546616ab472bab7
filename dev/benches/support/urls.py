"""The portal's URLs, and those it is compared with: a bare view of REST framework, and a page of five calls."""

from functools import cache

import httpx
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import path
from rest_framework.decorators import api_view, authentication_classes, permission_classes, renderer_classes
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from portal import urls

# The second passes through the API's middleware, the others through none.
BARE, BEHIND_MIDDLEWARE, PEER = "/bare", "/api/bare", "/peer"
CALLS = 5


@api_view(["GET"])
@authentication_classes([])
@permission_classes([])
@renderer_classes([JSONRenderer])
def bare_view(request: Request) -> Response:
    """Answer with next to nothing."""
    return Response({"ok": True})


@cache
def _provider_client() -> httpx.Client:
    return httpx.Client(base_url=settings.CHARGEBEE_ENDPOINT, auth=("key", ""), trust_env=False)


def peer_page(request: HttpRequest) -> HttpResponse:
    """Make the provider calls of a page one after the other, and show the results."""
    answers = [_provider_client().get(f"/subscriptions/{number}").raise_for_status().json() for number in range(CALLS)]
    return HttpResponse("".join(f"<p>{answer['subscription']['id']}</p>" for answer in answers))


urlpatterns = [
    path(BARE[1:], bare_view),
    path(BEHIND_MIDDLEWARE[1:], bare_view),
    path(PEER[1:], peer_page),
    *urls.urlpatterns,
]
