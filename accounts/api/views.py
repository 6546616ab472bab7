"""Sign-in, sign-out and the site, over HTTP."""

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

from accounts import challenges, sign_in, site
from accounts.api.serializers import (
    CodeSentSerializer,
    SendOtpSerializer,
    SessionSerializer,
    SiteSerializer,
    VerifyOtpSerializer,
)
from accounts.models import SessionToken
from accounts.network import origin_of

SENT = "If an account has this address, a code is on its way. It can take a minute to arrive."


class PublicView(APIView):
    """An endpoint that needs no token, and that a bad one does not hinder."""

    authentication_classes = ()
    permission_classes = (AllowAny,)


class SendOtpView(PublicView):
    """Ask for a sign-in code."""

    @extend_schema(
        operation_id="auth_send_otp", tags=["auth"], request=SendOtpSerializer, responses=CodeSentSerializer
    )
    def post(self, request: Request) -> Response:
        """Open a challenge and mail its code; the answer is the same for an unknown address."""
        asked = SendOtpSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        challenge = challenges.ask(
            email=asked.validated_data["email"],
            origin=origin_of(request),
            brand=site.brand_for_host(request.get_host()),
            instead_of=asked.validated_data["challenge_id"],
        )
        answer = {
            "message": SENT,
            "expires_in": int(challenges.LIFETIME.total_seconds()),
            "resend_in": int(challenges.RESEND_AFTER.total_seconds()),
            "challenge_id": challenge.pk,
        }
        return Response(CodeSentSerializer(answer).data)


class VerifyOtpView(PublicView):
    """Exchange a sign-in code for a token."""

    @extend_schema(
        operation_id="auth_verify_otp",
        tags=["auth"],
        request=VerifyOtpSerializer,
        responses=SessionSerializer,
    )
    def post(self, request: Request) -> Response:
        """Open a session with the right code."""
        tried = VerifyOtpSerializer(data=request.data)
        tried.is_valid(raise_exception=True)
        signed_in = sign_in.sign_in(
            email=tried.validated_data["email"],
            code=tried.validated_data["otp"],
            challenge_id=tried.validated_data["challenge_id"],
            origin=origin_of(request),
            brand=site.brand_for_host(request.get_host()),
        )
        return Response(SessionSerializer(signed_in).data)


class LogoutView(APIView):
    """Sign this browser out."""

    @extend_schema(operation_id="auth_logout", tags=["auth"], request=None, responses={204: None})
    def post(self, request: Request) -> Response:
        """End the session of the token that came with the request."""
        sign_in.sign_out(cast("SessionToken", request.auth))
        return Response(status=status.HTTP_204_NO_CONTENT)


class SiteView(PublicView):
    """What the app needs to draw itself before anybody is signed in."""

    @extend_schema(operation_id="site", tags=["site"], responses=SiteSerializer)
    @method_decorator(conditional_page)
    def get(self, request: Request) -> Response:
        """Give the site's settings, the brand of this host name and the streaming services.

        A browser may keep the answer and asks each time whether it still holds: what operators save shows at once.
        """
        answer = SiteSerializer(site.site_for_host(request.get_host())).data
        return Response(answer, headers={"Cache-Control": "no-cache"})
