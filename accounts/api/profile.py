"""The API of the signed-in subscriber's own data: profile, billing address, sessions and export."""

from __future__ import annotations

from typing import cast

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.profile_serializers import (
    BillingDetailsSerializer,
    ProfileSerializer,
    SavedProfileSerializer,
    SignedInAtSerializer,
)
from accounts.models import Account, SessionToken
from accounts.profile import export, profile
from accounts.profile.profile import Profile
from accounts.sign_in import sessions
from accounts.sign_in.current_account import signed_in_account
from core.fair_share import may_take_long
from core.idempotency import KEY_PARAMETER, idempotent_action

EXPORT_FILE_NAME = "your-data.json"


class ProfileView(APIView):
    """The profile."""

    @extend_schema(operation_id="profile", tags=["profile"], responses=SavedProfileSerializer)
    def get(self, request: Request) -> Response:
        """Return names, birthday and email address."""
        return Response(SavedProfileSerializer(signed_in_account(request)).data)


class UpdateProfileView(APIView):
    """Changing names and birthday."""

    @extend_schema(
        operation_id="update_profile",
        tags=["profile"],
        parameters=[KEY_PARAMETER],
        request=ProfileSerializer,
        responses=SavedProfileSerializer,
    )
    @idempotent_action()
    def post(self, request: Request, *, key: str) -> Response:
        """Replace the profile, here and at the billing provider. An `email` is ignored."""
        payload = ProfileSerializer(data=request.data)
        payload.is_valid(raise_exception=True)
        account = profile.save_profile(signed_in_account(request), Profile(**payload.validated_data), key=key)
        return Response(SavedProfileSerializer(account).data)


class BillingDetailsView(APIView):
    """The address that bills are mailed to."""

    @extend_schema(operation_id="billing_details", tags=["profile"], responses=BillingDetailsSerializer)
    def get(self, request: Request) -> Response:
        """Return the address that bills are mailed to."""
        return Response(BillingDetailsSerializer(signed_in_account(request)).data)


class SessionsView(APIView):
    """The open sessions."""

    @extend_schema(operation_id="sessions", tags=["profile"], responses=SignedInAtSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Return the open sessions, the last used first."""
        return _sessions_response(signed_in_account(request), cast("SessionToken", request.auth))


class RevokeOthersView(APIView):
    """Signing out everywhere else."""

    @extend_schema(
        operation_id="revoke_other_sessions",
        tags=["profile"],
        parameters=[KEY_PARAMETER],
        request=None,
        responses=SignedInAtSerializer(many=True),
    )
    @idempotent_action()
    def post(self, request: Request, *, key: str) -> Response:
        """End every session but the current one, and return the open sessions."""
        account, current = signed_in_account(request), cast("SessionToken", request.auth)
        sessions.end_other_sessions(account, current)
        return _sessions_response(account, current)


class ExportView(APIView):
    """The data export."""

    @may_take_long
    @extend_schema(operation_id="export", tags=["profile"], responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """Return everything the portal holds on the subscriber, as a JSON file."""
        response = Response(export.export_account(signed_in_account(request)))
        response["Content-Disposition"] = f'attachment; filename="{EXPORT_FILE_NAME}"'
        return response


def _sessions_response(account: Account, current: SessionToken) -> Response:
    open_sessions = sessions.open_sessions(account)
    return Response(SignedInAtSerializer(open_sessions, many=True, context={"current": current.pk}).data)
