"""Changes of what is paid for, in answers: as estimated, and as done. Amounts are in cents."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from billing.api.serializers.fields import InstantField
from billing.api.serializers.plans import (
    PERIOD_UNITS,
    ManagePlansSerializer,
    OtherTotalSerializer,
    PlanSerializer,
)
from billing.services.offers import REASONS


class FuturePlanSerializer(PlanSerializer):
    """A plan as it will be; one that is yet to start has no subscription."""

    sub_id = serializers.CharField(allow_null=True, help_text="The subscription; null until it starts.")


class ServicesSerializer(ManagePlansSerializer):
    """The plans wanted, what they will cost, and what is charged at once.

    Of an estimate, `existing_plans` are as they will be: one that is removed is non-renewing, one that is added has no
    subscription yet. Of a change that was made, they are as they now are.
    """

    existing_plans = FuturePlanSerializer(many=True)
    due_now = serializers.IntegerField(min_value=0, help_text="Charged at once, tax included.")
    effective_at = InstantField(
        allow_null=True, help_text="When the first of it takes effect; null when unknown."
    )
    quote = serializers.CharField(help_text="Stands for these figures; send it with the confirmation.")
    added = serializers.ListField(child=serializers.CharField(), help_text="Plans that start.")
    removed = serializers.ListField(child=serializers.CharField(), help_text="Plans that end.")
    kept_again = serializers.ListField(
        child=serializers.CharField(), help_text="Plans that were going to end and now go on."
    )
    has_payment_failure = serializers.BooleanField()


class PreviewSerializer(serializers.Serializer[Any]):
    """All live plans as they will be, and the money of it."""

    existing_plans = PlanSerializer(many=True)
    total = serializers.IntegerField(min_value=0, help_text="What the next period will cost, before tax.")
    coupon_discount = serializers.IntegerField(min_value=0)
    bundle_savings = serializers.IntegerField(min_value=0)
    annual_savings = serializers.IntegerField(
        help_text="Twelve monthly prices less the yearly one, for the plans concerned."
    )
    credits = serializers.IntegerField(
        min_value=0, help_text="Given back for what is left of terms already paid."
    )
    period_unit = serializers.ChoiceField(choices=PERIOD_UNITS)
    other_total = OtherTotalSerializer(allow_null=True)
    due_now = serializers.IntegerField(min_value=0, help_text="Charged at once, tax included.")
    effective_at = InstantField(
        allow_null=True, help_text="When the first of it takes effect; null when unknown."
    )
    is_immediate = serializers.BooleanField(help_text="Whether all of it takes effect at once.")
    quote = serializers.CharField(help_text="Stands for these figures; send it with the confirmation.")
    plan_ids = serializers.ListField(child=serializers.CharField(), help_text="The plans concerned.")
    removes_free_month = serializers.BooleanField(help_text="A free month that waits is lost.")
    has_payment_failure = serializers.BooleanField()


class RedeemedSerializer(PreviewSerializer):
    """The plans and their money with the code, and where it went."""

    applied_to = serializers.CharField(help_text="The subscription whose next invoice uses it.")


class FreeMonthSerializer(serializers.Serializer[Any]):
    """Whether the free month is to be had, what it saves and what it does to the next bill."""

    eligible = serializers.BooleanField()
    reason = serializers.ChoiceField(choices=REASONS, allow_null=True, help_text="Why not; null when it is.")
    amount_saved = serializers.IntegerField(min_value=0)
    next_billing_at = InstantField(
        allow_null=True, help_text="When the next bill comes, which costs nothing."
    )
    new_next_billing_at = InstantField(allow_null=True, help_text="When the first bill to pay comes.")
    plans = PlanSerializer(many=True, help_text="The one that gets it.")
    quote = serializers.CharField(help_text="Stands for these figures; send it with the confirmation.")
