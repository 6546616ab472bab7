"""Cancellations: the survey in requests, and the response."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from billing.api.serializers.fields import InstantField, OwnSubscriptionsField
from billing.api.serializers.plans import PlansSerializer
from billing.queries.cancel_screen import accepted_answers
from billing.survey import LONGEST_ANSWER, OFFERS, REASON, SATISFACTION, USAGE, Survey
from core.fields import StrictCharField


class AnswerField(StrictCharField):
    """An answer to a question of the survey, as the cancel screen offers it."""

    default_error_messages = {"unknown": "Choose one of the answers."}

    def __init__(self, question: str) -> None:
        super().__init__(required=False, allow_null=True, max_length=LONGEST_ANSWER, trim_whitespace=False)
        self.question = question

    def to_internal_value(self, data: Any) -> str:
        """Give the answer. Raises `serializers.ValidationError`."""
        answer = super().to_internal_value(data)
        if answer not in accepted_answers(self.question):
            self.fail("unknown")
        return answer


class AnswersSerializer(serializers.Serializer[Any]):
    """The survey's answers, all optional."""

    reason = AnswerField(REASON)
    satisfaction_level = AnswerField(SATISFACTION)
    daily_usage = AnswerField(USAGE)


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


class OfferedAnswersSerializer(serializers.Serializer[Any]):
    """The answers that each question of the survey offers, in their order."""

    reason = serializers.ListField(child=serializers.CharField())
    satisfaction_level = serializers.ListField(child=serializers.CharField(), source="satisfaction")
    daily_usage = serializers.ListField(child=serializers.CharField(), source="usage")


class CancelScreenOfferSerializer(serializers.Serializer[Any]):
    """The words of a pause offer; with a `reason`, they are shown once that is the survey's."""

    heading = serializers.CharField()
    text = serializers.CharField()
    reason = serializers.CharField(help_text="Empty: with any reason and without one.")


class CancelScreenSerializer(serializers.Serializer[Any]):
    """The survey's answers, and the pause offers of this brand and day: the first that fits is shown."""

    survey = OfferedAnswersSerializer()
    pause_offers = CancelScreenOfferSerializer(many=True)


class CancelledSubscriptionSerializer(serializers.Serializer[Any]):
    """A canceled subscription, and when it ends."""

    sub_id = serializers.CharField(help_text="The subscription.")
    name = serializers.CharField(source="plan.name")
    ends_at = InstantField(source="cancel_at", allow_null=True, help_text="When access ends or ended.")
    at_once = serializers.BooleanField(source="is_cancelled", help_text="It has ended: it was paused.")


class CancelledSerializer(PlansSerializer):
    """The plans after a cancellation, and the subscriptions it canceled."""

    cancelled = CancelledSubscriptionSerializer(many=True)
