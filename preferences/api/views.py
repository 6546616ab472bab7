"""The API of the signed-in subscriber's email preferences."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Account
from accounts.sign_in.current_account import signed_in_account
from core.idempotency import KEY_PARAMETER, idempotent_action
from preferences import email_preferences
from preferences.api.serializers import PreferenceSerializer, PreferencesSerializer
from preferences.models import Preference, PreferenceChange


class PreferencesView(APIView):
    """The email preferences."""

    @extend_schema(
        operation_id="communication_preferences",
        tags=["preferences"],
        responses=PreferenceSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """Return each kind of optional email and whether it is wanted."""
        return _preferences_response(signed_in_account(request))

    @extend_schema(
        operation_id="save_communication_preferences",
        tags=["preferences"],
        parameters=[KEY_PARAMETER],
        request=PreferencesSerializer,
        responses=PreferenceSerializer(many=True),
    )
    @idempotent_action()
    def post(self, request: Request, *, key: str) -> Response:
        """Set the preferences, which take effect with the next email."""
        payload = PreferencesSerializer(data=request.data)
        payload.is_valid(raise_exception=True)
        wanted = {preference: payload.validated_data[preference.name.lower()] for preference in Preference}
        account = signed_in_account(request)
        email_preferences.change_preferences(account, wanted, source=PreferenceChange.Source.PORTAL)
        return _preferences_response(account)


def _preferences_response(account: Account) -> Response:
    return Response(PreferenceSerializer(email_preferences.preference_choices(account), many=True).data)
