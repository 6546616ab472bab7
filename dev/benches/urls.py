"""The portal's addresses, and those it is compared with: a bare view of REST framework's, and a page of five calls."""

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

# The second is answered as the API is, the others without any middleware.
BARE, BEHIND_MIDDLEWARE, PEER = "/bare", "/api/bare", "/peer"
CALLS = 5


@api_view(["GET"])
@authentication_classes([])
@permission_classes([])
@renderer_classes([JSONRenderer])
def bare(request: Request) -> Response:
    """Answer with next to nothing."""
    return Response({"ok": True})


@cache
def _client() -> httpx.Client:
    return httpx.Client(base_url=settings.CHARGEBEE_ENDPOINT, auth=("key", ""), trust_env=False)


def peer(request: HttpRequest) -> HttpResponse:
    """Ask the provider for what a page shows, one thing after the other, and show it."""
    found = [_client().get(f"/subscriptions/{number}").raise_for_status().json() for number in range(CALLS)]
    return HttpResponse("".join(f"<p>{one['subscription']['id']}</p>" for one in found))


urlpatterns = [
    path(BARE[1:], bare),
    path(BEHIND_MIDDLEWARE[1:], bare),
    path(PEER[1:], peer),
    *urls.urlpatterns,
]
