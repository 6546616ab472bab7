"""Cancellations: the survey in requests, and the response."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from billing.api.serializers.fields import InstantField, OwnSubscriptionsField
from billing.api.serializers.plans import PlansSerializer
from billing.survey import DAILY_USAGES, OFFERS, REASONS, SATISFACTION_LEVELS, Survey


class AnswersSerializer(serializers.Serializer[Any]):
    """The survey's answers, all optional."""

    reason = serializers.ChoiceField(choices=REASONS, required=False, allow_null=True)
    satisfaction_level = serializers.ChoiceField(choices=SATISFACTION_LEVELS, required=False, allow_null=True)
    daily_usage = serializers.ChoiceField(choices=DAILY_USAGES, required=False, allow_null=True)


class SurveySerializer(AnswersSerializer):
    """The survey's answers, all optional, and the offer shown on the screen."""

    offer = serializers.ChoiceField(
        choices=OFFERS, required=False, allow_null=True, help_text="The offer shown on the screen."
    )


class NamedSurveySerializer(SurveySerializer):
    """The subscriptions to cancel, and the survey."""

    subscription_ids = OwnSubscriptionsField(help_text="The `subId` of each.")


def survey_from_answers(answers: Mapping[str, Any], *, offer: str) -> Survey:
    """Return the survey of a request, with the offer shown on the screen."""
    return Survey(
        reason=answers.get("reason") or "",
        satisfaction=answers.get("satisfaction_level") or "",
        usage=answers.get("daily_usage") or "",
        offer=offer,
    )


class CancelledSubscriptionSerializer(serializers.Serializer[Any]):
    """A canceled subscription, and when it ends."""

    sub_id = serializers.CharField(help_text="The subscription.")
    name = serializers.CharField(source="plan.name")
    ends_at = InstantField(source="cancel_at", allow_null=True, help_text="When access ends or ended.")
    at_once = serializers.BooleanField(source="is_cancelled", help_text="It has ended: it was paused.")


class CancelledSerializer(PlansSerializer):
    """The plans after a cancellation, and the subscriptions it canceled."""

    cancelled = CancelledSubscriptionSerializer(many=True)
