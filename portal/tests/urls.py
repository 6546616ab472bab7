"""The portal's URLs with endpoints that fail in every way there is."""

from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.urls import path
from rest_framework.exceptions import Throttled
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from portal.errors import InvalidInput, PortalError
from portal.urls import handler400, handler403, handler404, handler500
from portal.urls import urlpatterns as portal_urls

__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]


class QuoteChanged(PortalError):
    code = "quote_changed"
    status = 409
    message = "The price has changed since you looked."


class Open(APIView):
    permission_classes = (AllowAny,)
    authentication_classes = ()


class Echo(Open):
    def get(self, request: Request) -> Response:
        return Response({"received_query": sorted(request.query_params.lists())})

    def post(self, request: Request) -> Response:
        return Response({"received_body": sorted(request.data), "next_billing_at": None, "last4": "4242"})


class Crash(Open):
    def get(self, request: Request) -> Response:
        raise ValueError("the secret of the house")


class Refuse(Open):
    def get(self, request: Request) -> Response:
        raise QuoteChanged(extra={"new_quote": "abc", "amount_due": 699, "code": "replaced"})


class Invalid(Open):
    def get(self, request: Request) -> Response:
        raise InvalidInput(fields={"plan_ids": ["Choose at least one."]})


class Slow(Open):
    def get(self, request: Request) -> Response:
        raise Throttled(wait=2.2)


class Unavailable(Open):
    def get(self, request: Request) -> Response:
        raise PortalError("Try again soon.", retry_after=7)


class Locked(Open):
    def get(self, request: Request) -> Response:
        raise OperationalError("database is locked: the secret of the house")


def locked(request: HttpRequest) -> HttpResponse:
    raise OperationalError("database is locked: the secret of the house")


def crash(request: HttpRequest) -> HttpResponse:
    raise ValueError("the secret of the house")


def forbid(request: HttpRequest) -> HttpResponse:
    raise PermissionDenied("the secret of the house")


def suspect(request: HttpRequest) -> HttpResponse:
    raise SuspiciousOperation("the secret of the house")


urlpatterns = [
    path("api/test/echo", Echo.as_view()),
    path("api/test/crash", Crash.as_view()),
    path("api/test/refuse", Refuse.as_view()),
    path("api/test/invalid", Invalid.as_view()),
    path("api/test/slow", Slow.as_view()),
    path("api/test/unavailable", Unavailable.as_view()),
    path("api/test/locked", Locked.as_view()),
    path("api/test/locked-plain", locked),
    path("test/crash", crash),
    path("test/forbid", forbid),
    path("test/suspect", suspect),
    *portal_urls,
]
