"""Plans and totals in responses. Amounts are in cents."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from billing.api.serializers.fields import InstantField
from billing.queries.holdings import STATUSES
from billing.queries.totals import MONTH, YEAR

PERIOD_UNITS = (MONTH, YEAR)
BILLING_PERIODS = ("MONTH", "YEAR")


class ScheduledPlanSerializer(serializers.Serializer[Any]):
    """What a plan changes to at the end of its term."""

    period_unit = serializers.ChoiceField(choices=PERIOD_UNITS)
    amount = serializers.IntegerField(min_value=0, help_text="One period in cents, before discounts and tax.")
    at = InstantField(allow_null=True, help_text="When it changes.")


class PlanSerializer(serializers.Serializer[Any]):
    """A plan of the account, and what happens to it next."""

    id = serializers.CharField(source="plan.id", help_text="The plan.")
    name = serializers.CharField(source="plan.name")
    service = serializers.CharField(source="plan.service", help_text="The streaming service's code.")
    amount = serializers.IntegerField(min_value=0, help_text="One period in cents, before discounts and tax.")
    status = serializers.ChoiceField(choices=STATUSES)
    sub_id = serializers.CharField(help_text="The subscription.")
    period_unit = serializers.ChoiceField(choices=PERIOD_UNITS)
    billing_period = serializers.ChoiceField(choices=BILLING_PERIODS)
    cancel_at = InstantField(allow_null=True, help_text="When access ends or ended.")
    next_billing_at = InstantField(allow_null=True, help_text="Null when it will not bill, or a pause is scheduled.")
    pause_date = InstantField(allow_null=True, help_text="When its pause starts or started.")
    resume_date = InstantField(allow_null=True, help_text="When its pause ends automatically.")
    has_upcoming_coupon = serializers.BooleanField(help_text="A redeemed code applies to its next bill.")
    has_pause_sub = serializers.BooleanField(source="is_paused", help_text="It is paused.")
    has_scheduled_pause = serializers.BooleanField()
    has_scheduled_change = serializers.BooleanField()
    scheduled_plan = ScheduledPlanSerializer(
        allow_null=True, help_text="What it changes to; null without a scheduled change."
    )
    has_free_month = serializers.BooleanField()
    has_other_period = serializers.BooleanField(help_text="The plan is also sold at the other billing period.")


class OfferedPlanSerializer(PlanSerializer):
    """A plan that may be added, priced for the account's billing period. It has no subscription, status or dates."""

    status = serializers.ChoiceField(choices=STATUSES, allow_null=True, help_text="Null: the account does not have it.")
    sub_id = serializers.CharField(allow_null=True, help_text="Null: the account does not have it.")


class OtherTotalSerializer(serializers.Serializer[Any]):
    """The totals of the plans that bill at the other period."""

    period_unit = serializers.ChoiceField(choices=PERIOD_UNITS)
    total = serializers.IntegerField(min_value=0)
    bundle_savings = serializers.IntegerField(min_value=0)
    coupon_discount = serializers.IntegerField(min_value=0)


class AccountSerializer(serializers.Serializer[Any]):
    """The account and its plans, canceled ones included."""

    name = serializers.CharField(source="account.name", allow_blank=True)
    email = serializers.CharField(source="account.email")
    plans = PlanSerializer(many=True)
    has_pause_sub = serializers.BooleanField()
    has_scheduled_pause = serializers.BooleanField()
    has_payment_failure = serializers.BooleanField()


class TotalsSerializer(serializers.Serializer[Any]):
    """The account's plans, and the totals of the next period before tax."""

    existing_plans = PlanSerializer(many=True)
    bundle_savings = serializers.IntegerField(source="own.bundle_savings", min_value=0)
    coupon_discount = serializers.IntegerField(source="own.coupon_discount", min_value=0)
    total = serializers.IntegerField(
        source="own.total", min_value=0, help_text="The price of the next period, before tax."
    )
    period_unit = serializers.ChoiceField(source="own.period_unit", choices=PERIOD_UNITS)
    other_total = OtherTotalSerializer(source="other", allow_null=True)


class ManagePlansSerializer(TotalsSerializer):
    """The account's plans, the totals of the next period before tax, and the plans that may be added."""

    plans = OfferedPlanSerializer(many=True)


class PlansSerializer(serializers.Serializer[Any]):
    """The account's plans after a change."""

    plans = PlanSerializer(many=True)


class PaymentFailureSerializer(serializers.Serializer[Any]):
    """Whether a due payment could not be collected."""

    has_payment_failure = serializers.BooleanField()
