"""The activity of the signed-in account, over HTTP."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts import activity
from accounts.input import NumberField, Query
from accounts.subscriber import account_of

LARGEST_PAGE = 100
FARTHEST = 1_000_000


class ActivityPage(Query):
    """A slice of the list; without either the newest fifty."""

    limit = NumberField(default=activity.NEWEST, min_value=1, max_value=LARGEST_PAGE)
    offset = NumberField(default=0, min_value=0, max_value=FARTHEST)


class ActivitySerializer(serializers.Serializer[Any]):
    """One thing that was done to the account."""

    at = serializers.DateTimeField()
    kind = serializers.CharField(help_text="Stable; the text says it in words.")
    text = serializers.CharField()
    actor = serializers.ChoiceField(choices=activity.ACTORS, help_text="Who did it.")


class ActivityView(APIView):
    """What was done to the account, when and by whom."""

    @extend_schema(
        operation_id="activity",
        tags=["account"],
        parameters=[ActivityPage],
        responses=ActivitySerializer(many=True),
        filters=False,
    )
    def get(self, request: Request) -> Response:
        """Answer with the newest first."""
        asked = ActivityPage(data=request.query_params)
        asked.is_valid(raise_exception=True)
        found = activity.entries(account_of(request), **asked.validated_data)
        return Response(ActivitySerializer(found, many=True).data)
