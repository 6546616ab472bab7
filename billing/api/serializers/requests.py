"""Requests. Unknown fields are ignored."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from billing.api.serializers.cancellation import AnswersSerializer
from billing.api.serializers.fields import LONGEST_ID, DaysField, OwnSubscriptionsField
from billing.mirror.pause_schedules import PAUSE_DAYS
from billing.terms import SOLD_PERIOD_UNITS
from core.fields import QuerySerializer, StrictCharField, StrictIntegerField

ESTIMATE_DAYS = (PAUSE_DAYS, 60)
OFFERING_SCREENS = ("cancel_screen", "pause_offer")
LONGEST_QUOTE = 64
MOST_PLANS = 10
LONGEST_PLAN_ID = 100
LARGEST_PAGE = 100


class OfferedPause(serializers.Serializer[Any]):
    """The screen that offered the pause, if any."""

    offer = serializers.ChoiceField(
        choices=OFFERING_SCREENS, required=False, help_text="The screen that offered the pause."
    )


class PauseQuery(OfferedPause, QuerySerializer):
    """For how many days everything is paused, and what the screen showed as everything."""

    subscription_id = OwnSubscriptionsField(
        required=False,
        help_text="All that the screen showed; no other is paused. Default: all that can be paused.",
    )
    days = DaysField((PAUSE_DAYS,), help_text="A pause lasts 30 days.")


class PauseEstimateQuery(QuerySerializer):
    """What would be paused, and for how many days."""

    subscription_id = OwnSubscriptionsField(required=False, help_text="Default: all that can be paused.")
    days = DaysField(ESTIMATE_DAYS)


class NamedSubscriptions(serializers.Serializer[Any]):
    """Some of the account's own subscriptions."""

    subscription_id = OwnSubscriptionsField(help_text="The `subId` of each.")


class PausedSubscriptions(NamedSubscriptions, OfferedPause, AnswersSerializer):
    """Some of the account's own subscriptions, the screen that offered the pause, and its survey's answers."""


class ConfirmedCharge(serializers.Serializer[Any]):
    """The quote of the estimate shown, and the payment intents with which the payer has authorized its charges."""

    quote = StrictCharField(required=False, max_length=LONGEST_QUOTE)
    payment_intents = serializers.ListField(
        child=StrictCharField(max_length=LONGEST_ID),
        required=False,
        max_length=MOST_PLANS,
        help_text="The ids of authorized payment intents: one for each of `charges`, in their order, or none.",
    )


class ResumeSerializer(ConfirmedCharge):
    """The subscriptions to resume (default: all that are paused)."""

    subscription_id = OwnSubscriptionsField(required=False, help_text="Default: all paused subscriptions.")


class ResumeEstimateQuery(QuerySerializer):
    """What would be resumed, and when: now, or a number of days after the pause date."""

    subscription_id = OwnSubscriptionsField(required=False, help_text="Default: all that are or can be paused.")
    days = DaysField(ESTIMATE_DAYS, required=False, help_text="Default: resume now.")


class PlanIdsField(serializers.ListField):
    """Ids of plans."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            child=StrictCharField(max_length=LONGEST_PLAN_ID, trim_whitespace=False),
            allow_empty=False,
            max_length=MOST_PLANS,
            **kwargs,
        )


class WantedPlans(serializers.Serializer[Any]):
    """All plans the account will have, kept ones and added ones."""

    plan_ids = PlanIdsField(help_text="All plans to have, at most one per service.")
    period_unit = serializers.ChoiceField(
        choices=SOLD_PERIOD_UNITS,
        required=False,
        help_text="The billing period of added plans. Only an account without a live plan has the choice. "
        "Default: the account's.",
    )


class WantedPlansConfirmed(WantedPlans, ConfirmedCharge):
    """The same, with the quote of the estimate shown and the payment intents that the payer has authorized, if any."""


class SwitchedPlans(serializers.Serializer[Any]):
    """The plans to switch to the other billing period."""

    plan_ids = PlanIdsField(required=False, help_text="Default: all plans that can be switched.")


class SwitchedPlansConfirmed(SwitchedPlans, ConfirmedCharge):
    """The same, with the quote of the estimate shown and the payment intents that the payer has authorized, if any."""


class Confirmed(serializers.Serializer[Any]):
    """The quote of the figures shown."""

    quote = StrictCharField(required=False, max_length=LONGEST_QUOTE)


class PageQuery(QuerySerializer):
    """A slice of a list; without `limit` and `offset` the whole list."""

    limit = StrictIntegerField(required=False, min_value=1, max_value=LARGEST_PAGE)
    offset = StrictIntegerField(required=False, min_value=0, max_value=1_000_000)
