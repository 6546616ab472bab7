"""The signed-in subscriber's own data, over HTTP: profile, address, sessions, everything at once."""

from __future__ import annotations

from typing import cast

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts import export, profile, sessions
from accounts.api.people_serializers import (
    BillingDetailsSerializer,
    ProfileSerializer,
    SavedProfileSerializer,
    SignedInAtSerializer,
)
from accounts.models import Account, SessionToken
from accounts.once import KEY_HEADER, acts_once
from accounts.profile import Profile
from accounts.subscriber import account_of

EXPORT_NAME = "your-data.json"


class ProfileView(APIView):
    """Who the subscriber is."""

    @extend_schema(operation_id="profile", tags=["profile"], responses=SavedProfileSerializer)
    def get(self, request: Request) -> Response:
        """Answer with names, birthday and address."""
        return Response(SavedProfileSerializer(account_of(request)).data)


class UpdateProfileView(APIView):
    """Names and birthday, as the subscriber wants them."""

    @extend_schema(
        operation_id="update_profile",
        tags=["profile"],
        parameters=[KEY_HEADER],
        request=ProfileSerializer,
        responses=SavedProfileSerializer,
    )
    @acts_once
    def post(self, request: Request, *, key: str) -> Response:
        """Store the whole profile; an `email` is ignored. The names are the billing provider's as well."""
        asked = ProfileSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        saved = profile.save(account_of(request), Profile(**asked.validated_data), key=key)
        return Response(SavedProfileSerializer(saved).data)


class BillingDetailsView(APIView):
    """Where bills are mailed to."""

    @extend_schema(operation_id="billing_details", tags=["profile"], responses=BillingDetailsSerializer)
    def get(self, request: Request) -> Response:
        """Answer with the address."""
        return Response(BillingDetailsSerializer(account_of(request)).data)


class SessionsView(APIView):
    """Where the subscriber is signed in."""

    @extend_schema(operation_id="sessions", tags=["profile"], responses=SignedInAtSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Answer with the open sessions, the last used first."""
        return _open_sessions(account_of(request), cast("SessionToken", request.auth))


class RevokeOthersView(APIView):
    """Sign out everywhere else."""

    @extend_schema(
        operation_id="revoke_other_sessions",
        tags=["profile"],
        parameters=[KEY_HEADER],
        request=None,
        responses=SignedInAtSerializer(many=True),
    )
    @acts_once
    def post(self, request: Request, *, key: str) -> Response:
        """End every session but the one that asks, and answer with what is left."""
        account, current = account_of(request), cast("SessionToken", request.auth)
        sessions.end_others(account, current)
        return _open_sessions(account, current)


class ExportView(APIView):
    """Everything the portal holds on the subscriber."""

    @extend_schema(operation_id="export", tags=["profile"], responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """Answer with one JSON document to keep."""
        response = Response(export.everything(account_of(request)))
        response["Content-Disposition"] = f'attachment; filename="{EXPORT_NAME}"'
        return response


def _open_sessions(account: Account, current: SessionToken) -> Response:
    found = sessions.open_sessions(account)
    return Response(SignedInAtSerializer(found, many=True, context={"current": current.pk}).data)
