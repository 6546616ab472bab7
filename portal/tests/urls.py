"""The portal's URLs, plus endpoints that fail in every possible way."""

from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.urls import path
from rest_framework.exceptions import Throttled
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.errors import InvalidInput, PortalError
from portal.urls import handler400, handler403, handler404, handler500
from portal.urls import urlpatterns as portal_urls

__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]


class QuoteChanged(PortalError):
    code = "quote_changed"
    status = 409
    message = "The price has changed since you looked."


class PublicView(APIView):
    permission_classes = (AllowAny,)
    authentication_classes = ()


class Echo(PublicView):
    def get(self, request: Request) -> Response:
        return Response({"received_query": sorted(request.query_params.lists())})

    def post(self, request: Request) -> Response:
        return Response({"received_body": sorted(request.data), "next_billing_at": None, "last4": "4242"})


class Crash(PublicView):
    def get(self, request: Request) -> Response:
        raise ValueError("the secret of the house")


class Refuse(PublicView):
    def get(self, request: Request) -> Response:
        raise QuoteChanged(extra={"new_quote": "abc", "amount_due": 699, "code": "replaced"})


class Invalid(PublicView):
    def get(self, request: Request) -> Response:
        raise InvalidInput(fields={"plan_ids": ["Choose at least one."]})


class Slow(PublicView):
    def get(self, request: Request) -> Response:
        raise Throttled(wait=2.2)


class Unavailable(PublicView):
    def get(self, request: Request) -> Response:
        raise PortalError("Try again soon.", retry_after=7)


class Locked(PublicView):
    def get(self, request: Request) -> Response:
        raise OperationalError("database is locked: the secret of the house")


def raise_locked(request: HttpRequest) -> HttpResponse:
    raise OperationalError("database is locked: the secret of the house")


def raise_value_error(request: HttpRequest) -> HttpResponse:
    raise ValueError("the secret of the house")


def raise_permission_denied(request: HttpRequest) -> HttpResponse:
    raise PermissionDenied("the secret of the house")


def raise_suspicious(request: HttpRequest) -> HttpResponse:
    raise SuspiciousOperation("the secret of the house")


urlpatterns = [
    path("api/test/echo", Echo.as_view()),
    path("api/test/crash", Crash.as_view()),
    path("api/test/refuse", Refuse.as_view()),
    path("api/test/invalid", Invalid.as_view()),
    path("api/test/slow", Slow.as_view()),
    path("api/test/unavailable", Unavailable.as_view()),
    path("api/test/locked", Locked.as_view()),
    path("api/test/locked-plain", raise_locked),
    path("test/crash", raise_value_error),
    path("test/forbid", raise_permission_denied),
    path("test/suspect", raise_suspicious),
    *portal_urls,
]
