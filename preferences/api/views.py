"""Which emails the signed-in subscriber wants, over HTTP."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Account
from accounts.once import KEY_HEADER, acts_once
from accounts.subscriber import account_of
from preferences import choices
from preferences.api.serializers import PreferenceSerializer, PreferencesSerializer
from preferences.models import Preference, PreferenceChange
from preferences.words import words_of


class PreferencesView(APIView):
    """The four kinds of email one may do without."""

    @extend_schema(
        operation_id="communication_preferences",
        tags=["preferences"],
        responses=PreferenceSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """Answer with each kind and whether it is wanted."""
        return _listed(account_of(request))

    @extend_schema(
        operation_id="save_communication_preferences",
        tags=["preferences"],
        parameters=[KEY_HEADER],
        request=PreferencesSerializer,
        responses=PreferenceSerializer(many=True),
    )
    @acts_once
    def post(self, request: Request, *, key: str) -> Response:
        """Want these kinds and not those, from the next email on."""
        asked = PreferencesSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        wanted = {one: asked.validated_data[one.name.lower()] for one in Preference}
        account = account_of(request)
        choices.change(account, wanted, source=PreferenceChange.Source.PORTAL)
        return _listed(account)


def _listed(account: Account) -> Response:
    rows = []
    for one, wanted in choices.wanted_by(account).items():
        words = words_of(one)
        rows.append({"key": one, "name": words.name, "summary": words.summary, "checked": wanted})
    return Response(PreferenceSerializer(rows, many=True).data)
