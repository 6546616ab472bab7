"""What the endpoints take. Fields they do not name are ignored."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from accounts.input import NumberField, Query, TextField
from billing.api.serializers.cancelling import AnswersSerializer
from billing.api.serializers.fields import DaysField, OwnSubscriptionsField
from billing.services.schedules import PAUSE_DAYS

ESTIMATE_DAYS = (PAUSE_DAYS, 60)
OFFERING_SCREENS = ("cancel_screen", "pause_offer")
LONGEST_QUOTE = 64
MOST_PLANS = 10
LONGEST_PLAN_ID = 100
LARGEST_PAGE = 100


class OfferedPause(serializers.Serializer[Any]):
    """Which screen offered the pause, if one did."""

    offer = serializers.ChoiceField(
        choices=OFFERING_SCREENS, required=False, help_text="The screen that offered it."
    )


class PauseQuery(OfferedPause, Query):
    """For how long everything is paused."""

    days = DaysField((PAUSE_DAYS,), help_text="A pause lasts 30 days.")


class PauseEstimateQuery(Query):
    """For how long it would be paused."""

    days = DaysField(ESTIMATE_DAYS)


class NamedSubscriptions(serializers.Serializer[Any]):
    """Some of the account's own subscriptions."""

    subscription_id = OwnSubscriptionsField(help_text="The `subId` of each.")


class PausedSubscriptions(NamedSubscriptions, OfferedPause, AnswersSerializer):
    """Some of the account's own subscriptions, which screen offered to pause them, and what its survey was answered."""


class OneSubscription(serializers.Serializer[Any]):
    """One of the account's own subscriptions, as a list of one."""

    subscription_id = OwnSubscriptionsField(at_most=1, help_text="Its `subId`.")


class ResumeSerializer(serializers.Serializer[Any]):
    """What to resume, all that is paused if nothing is named, and the quote of the estimate that was shown."""

    subscription_id = OwnSubscriptionsField(required=False, help_text="Without it, all that is paused.")
    quote = TextField(required=False, max_length=LONGEST_QUOTE)


class ResumeEstimateQuery(Query):
    """What would be resumed, and when: now, or so many days after the pause date."""

    subscription_id = OwnSubscriptionsField(required=False, help_text="Without it, all that it concerns.")
    days = DaysField(ESTIMATE_DAYS, required=False, help_text="Without it, resuming now.")


class PlanIdsField(serializers.ListField):
    """Ids of plans."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            child=TextField(max_length=LONGEST_PLAN_ID, trim_whitespace=False),
            allow_empty=False,
            max_length=MOST_PLANS,
            **kwargs,
        )


class WantedPlans(serializers.Serializer[Any]):
    """All the plans that are wanted from now on, kept ones and added ones."""

    plan_ids = PlanIdsField(help_text="The plans wanted: at most one of each service.")


class WantedPlansConfirmed(WantedPlans):
    """The same, and the quote of the estimate that was shown."""

    quote = TextField(required=False, max_length=LONGEST_QUOTE)


class SwitchedPlans(serializers.Serializer[Any]):
    """Which plans would be billed by the other period."""

    plan_ids = PlanIdsField(required=False, help_text="Without it, all that can be switched.")


class SwitchedPlansConfirmed(SwitchedPlans):
    """The same, and the quote of the estimate that was shown."""

    quote = TextField(required=False, max_length=LONGEST_QUOTE)


class Confirmed(serializers.Serializer[Any]):
    """The quote of the figures that were shown."""

    quote = TextField(required=False, max_length=LONGEST_QUOTE)


class PageQuery(Query):
    """A slice of a list; without either the whole list."""

    limit = NumberField(required=False, min_value=1, max_value=LARGEST_PAGE)
    offset = NumberField(required=False, min_value=0, max_value=1_000_000)
