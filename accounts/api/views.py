"""The API of sign-in, sign-out and the site."""

from __future__ import annotations

from typing import cast

from django.utils.decorators import method_decorator
from django.views.decorators.http import conditional_page
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.serializers import (
    CodeSentSerializer,
    SendOtpSerializer,
    SessionSerializer,
    SiteSerializer,
    VerifyOtpSerializer,
)
from accounts.brands import site
from accounts.models import SessionToken
from accounts.sign_in import challenges, flow
from accounts.sign_in.known_browsers import find_known_browser, remember_browser
from core.network import request_origin


class PublicView(APIView):
    """An endpoint that ignores the bearer token, even an invalid one."""

    authentication_classes = ()
    permission_classes = (AllowAny,)


class SendOtpView(PublicView):
    """Requesting a sign-in code."""

    @extend_schema(operation_id="auth_send_otp", tags=["auth"], request=SendOtpSerializer, responses=CodeSentSerializer)
    def post(self, request: Request) -> Response:
        """Send a sign-in code. The response is the same for an unknown address."""
        payload = SendOtpSerializer(data=request.data)
        payload.is_valid(raise_exception=True)
        email = payload.validated_data["email"]
        challenge = challenges.open_challenge(
            email=email,
            typed_email=payload.initial_data["email"].strip(" "),
            origin=request_origin(request),
            brand=site.brand_for_host(request.get_host()),
            known_browser=find_known_browser(request, email),
            instead_of=payload.validated_data["challenge_id"],
        )
        return Response(CodeSentSerializer(challenges.SentCode(challenge.pk)).data)


class VerifyOtpView(PublicView):
    """Exchanging a sign-in code for a token."""

    @extend_schema(
        operation_id="auth_verify_otp",
        tags=["auth"],
        request=VerifyOtpSerializer,
        responses=SessionSerializer,
    )
    def post(self, request: Request) -> Response:
        """Verify a sign-in code and return a new session; the browser is known for the address from then on."""
        payload = VerifyOtpSerializer(data=request.data)
        payload.is_valid(raise_exception=True)
        email = payload.validated_data["email"]
        session = flow.sign_in_with_code(
            email=email,
            code=payload.validated_data["otp"],
            challenge_id=payload.validated_data["challenge_id"],
            origin=request_origin(request),
            brand=site.brand_for_host(request.get_host()),
            known_browser=find_known_browser(request, email),
        )
        response = Response(SessionSerializer(session).data)
        remember_browser(request, response, email)
        return response


class LogoutView(APIView):
    """Signing out."""

    @extend_schema(operation_id="auth_logout", tags=["auth"], request=None, responses={204: None})
    def post(self, request: Request) -> Response:
        """End the session of the request's token."""
        flow.end_session(cast("SessionToken", request.auth))
        return Response(status=status.HTTP_204_NO_CONTENT)


class SiteView(PublicView):
    """The site, which the app needs before a subscriber signs in."""

    @extend_schema(operation_id="site", tags=["site"], responses=SiteSerializer)
    @method_decorator(conditional_page)
    def get(self, request: Request) -> Response:
        """Return the site's settings, the brand of this host name and the streaming services.

        Browsers may cache the response but revalidate it each time, so that changes by operators show at once.
        """
        payload = SiteSerializer(site.site_for_host(request.get_host())).data
        return Response(payload, headers={"Cache-Control": "no-cache"})
