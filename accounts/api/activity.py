"""The API of the signed-in account's activity."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.profile import activity
from accounts.profile.sent_mails import find_sent_mail
from accounts.sign_in.current_account import signed_in_account
from core.fields import QuerySerializer, StrictIntegerField

MAX_LIMIT = 100
MAX_OFFSET = 1_000_000


class ActivityPage(QuerySerializer):
    """A slice of the list, by default the newest 50 entries."""

    limit = StrictIntegerField(default=activity.DEFAULT_LIMIT, min_value=1, max_value=MAX_LIMIT)
    offset = StrictIntegerField(default=0, min_value=0, max_value=MAX_OFFSET)


class ActivitySerializer(serializers.Serializer[Any]):
    """An entry of the account's activity."""

    at = serializers.DateTimeField()
    kind = serializers.CharField(help_text="Stable; the text says it in words.")
    text = serializers.CharField()
    actor = serializers.ChoiceField(choices=activity.ACTORS, help_text="Who did it.")
    mail_id = serializers.IntegerField(allow_null=True, help_text="The mail about it that can be read again, if any.")


class MailFactSerializer(serializers.Serializer[Any]):
    """A line of a mail's table."""

    name = serializers.CharField()
    value = serializers.CharField()


class MailLinkSerializer(serializers.Serializer[Any]):
    """A link of a mail."""

    text = serializers.CharField()
    path = serializers.CharField(help_text="A path of the portal.")


class SentMailSerializer(serializers.Serializer[Any]):
    """A mail as it was sent."""

    sent_at = serializers.DateTimeField()
    sent_to = serializers.CharField()
    title = serializers.CharField()
    lines = serializers.ListField(child=serializers.CharField())
    facts = MailFactSerializer(many=True)
    note = serializers.CharField(help_text="What can be done about it; empty for nothing.")
    links = MailLinkSerializer(many=True, help_text="The button's link first.")


class ActivityView(APIView):
    """The account's activity."""

    @extend_schema(
        operation_id="activity",
        tags=["account"],
        parameters=[ActivityPage],
        responses=ActivitySerializer(many=True),
        filters=False,
    )
    def get(self, request: Request) -> Response:
        """Return the activity, newest entries first."""
        page = ActivityPage(data=request.query_params)
        page.is_valid(raise_exception=True)
        entries = activity.activity_entries(signed_in_account(request), **page.validated_data)
        return Response(ActivitySerializer(entries, many=True).data)


class SentMailView(APIView):
    """A mail of the account."""

    @extend_schema(operation_id="sent_mail", tags=["account"], responses=SentMailSerializer)
    def get(self, request: Request, mail_id: str) -> Response:
        """Return a mail that the activity names, as it was sent."""
        return Response(SentMailSerializer(find_sent_mail(signed_in_account(request), mail_id)).data)
