"""The portal's addresses, and a bare view of REST framework's: once as the API's, once for no middleware at all."""

from django.urls import path
from rest_framework.decorators import api_view, authentication_classes, permission_classes, renderer_classes
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from portal import urls

BARE, BEHIND_MIDDLEWARE = "/bare", "/api/bare"


@api_view(["GET"])
@authentication_classes([])
@permission_classes([])
@renderer_classes([JSONRenderer])
def bare(request: Request) -> Response:
    """Answer with next to nothing."""
    return Response({"ok": True})


urlpatterns = [path(BARE[1:], bare), path(BEHIND_MIDDLEWARE[1:], bare), *urls.urlpatterns]
