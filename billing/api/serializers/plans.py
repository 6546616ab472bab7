"""Plans and totals in responses. Amounts are in cents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from billing.api.serializers.fields import InstantField
from billing.queries.next_bills import BEFORE, INCLUDED, NextBill
from billing.queries.payments.failed_payments import DECLINE_REASONS
from billing.queries.payments.payment_methods import BRANDS
from billing.queries.subscriptions.holdings import STATUSES
from billing.terms import PERIOD_UNITS

BILLING_PERIODS = tuple(unit.upper() for unit in PERIOD_UNITS)


class TermsSerializer(serializers.Serializer[Any]):
    """The currency of an amount, and the period that it is for."""

    period_unit = serializers.ChoiceField(source="terms.period_unit", choices=PERIOD_UNITS)
    period = serializers.IntegerField(source="terms.period", min_value=1, help_text="How many units a period has.")
    currency_code = serializers.CharField(source="terms.currency")


class ScheduledPlanSerializer(TermsSerializer):
    """What a plan changes to at the end of its term."""

    amount = serializers.IntegerField(min_value=0, help_text="One period in cents, before discounts and tax.")
    at = InstantField(allow_null=True, help_text="When it changes.")


class PlanSerializer(TermsSerializer):
    """A plan of the account, and what happens to it next.

    A plan outside the catalog has the provider's name and no service.
    """

    id = serializers.CharField(source="plan.id", help_text="The plan.")
    name = serializers.CharField(source="plan.name")
    service = serializers.CharField(
        source="plan.service", allow_blank=True, help_text="The streaming service's code; empty outside the catalog."
    )
    amount = serializers.IntegerField(min_value=0, help_text="One period in cents, before discounts and tax.")
    status = serializers.ChoiceField(choices=STATUSES)
    sub_id = serializers.CharField(help_text="The subscription.")
    billing_period = serializers.ChoiceField(choices=BILLING_PERIODS)
    starts_at = InstantField(allow_null=True, help_text="When it starts; null once it has.")
    cancel_at = InstantField(allow_null=True, help_text="When access ends or ended.")
    next_billing_at = InstantField(allow_null=True, help_text="Null when it will not bill, or a pause is scheduled.")
    contract_ends_at = InstantField(
        allow_null=True, help_text="When its contract ends; null without one. A cancellation ends it then."
    )
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
    is_changeable = serializers.BooleanField(
        help_text="It can be paused and switched, and is part of the bundle. Any plan can be canceled and kept."
    )
    amount_today = serializers.IntegerField(
        min_value=0,
        allow_null=True,
        help_text="What one period costs those who start it today, in cents; null if it is no longer sold.",
    )


class OfferedPlanSerializer(PlanSerializer):
    """A plan that may be added, priced for the account's billing period. It has no subscription, status or dates."""

    status = serializers.ChoiceField(choices=STATUSES, allow_null=True, help_text="Null: the account does not have it.")
    sub_id = serializers.CharField(allow_null=True, help_text="Null: the account does not have it.")
    other_period_amount = serializers.IntegerField(
        min_value=0,
        allow_null=True,
        help_text="A year's price in cents of a monthly plan, and the other way around; null if it is not sold so.",
    )


class OtherTotalSerializer(serializers.Serializer[Any]):
    """The totals of the plans that bill at other terms."""

    period_unit = serializers.ChoiceField(choices=PERIOD_UNITS)
    period = serializers.IntegerField(min_value=1)
    currency_code = serializers.CharField(source="currency")
    total = serializers.IntegerField(min_value=0)
    bundle_savings = serializers.IntegerField(min_value=0)
    coupon_discount = serializers.IntegerField(min_value=0)


class BillSourceSerializer(serializers.Serializer[Any]):
    """The payment method that pays a bill, masked by the provider."""

    payment_source_id = serializers.CharField()
    type = serializers.CharField()
    type_name = serializers.CharField()
    brand = serializers.ChoiceField(choices=BRANDS)
    last4 = serializers.CharField(allow_null=True)
    account = serializers.CharField(allow_null=True)


class NextBillSerializer(serializers.Serializer[Any]):
    """A bill to come, by the provider's estimate: one for each subscription, since each has invoices of its own."""

    date = InstantField()
    amount = serializers.IntegerField(
        min_value=0, allow_null=True, help_text="In cents, with coupons and credits; null while it is not known."
    )
    currency_code = serializers.CharField()
    period_unit = serializers.ChoiceField(choices=PERIOD_UNITS)
    period = serializers.IntegerField(min_value=1)
    plans = serializers.ListField(
        child=serializers.CharField(), help_text="The subscriptions; empty before they start."
    )
    plan_ids = serializers.ListField(child=serializers.CharField())
    plan_names = serializers.ListField(child=serializers.CharField())
    payment_source = BillSourceSerializer(allow_null=True, help_text="What pays it; null if nothing does.")
    tax = serializers.ChoiceField(choices=(INCLUDED, BEFORE), help_text="Whether the amount includes tax.")
    follows = serializers.BooleanField(
        help_text="Not the plans' next bill, but what they bill from this date on, where that differs."
    )

    def to_representation(self, instance: NextBill | Mapping[str, Any]) -> dict[str, Any]:
        """Return a bill; stored figures have it as JSON already."""
        body: dict[str, Any] = super().to_representation(
            instance.as_json() if isinstance(instance, NextBill) else instance
        )
        return body


class AccountSerializer(serializers.Serializer[Any]):
    """The account and its plans, canceled ones included."""

    name = serializers.CharField(source="account.name", allow_blank=True)
    email = serializers.CharField(source="account.email")
    plans = PlanSerializer(many=True)
    has_pause_sub = serializers.BooleanField()
    has_scheduled_pause = serializers.BooleanField()
    has_payment_failure = serializers.BooleanField()
    next_bills = NextBillSerializer(many=True, help_text="By date. Empty if nothing will be billed.")
    credit_balance = serializers.IntegerField(
        min_value=0, help_text="What credits pay of the next bills, in cents. `nextBills` counts it."
    )
    credit_currency = serializers.CharField(help_text="Of that balance.")
    has_unbilled_charges = serializers.BooleanField(
        help_text="Whether charges wait for a bill. If a subscription ends, they are billed with its end."
    )


class TotalsSerializer(serializers.Serializer[Any]):
    """The account's plans, and the totals of the next period before tax."""

    existing_plans = PlanSerializer(many=True)
    bundle_savings = serializers.IntegerField(source="own.bundle_savings", min_value=0)
    coupon_discount = serializers.IntegerField(source="own.coupon_discount", min_value=0)
    total = serializers.IntegerField(
        source="own.total", min_value=0, help_text="The price of the next period, before tax."
    )
    period_unit = serializers.ChoiceField(source="own.period_unit", choices=PERIOD_UNITS)
    period = serializers.IntegerField(source="own.period", min_value=1)
    currency_code = serializers.CharField(source="own.currency")
    other_total = serializers.SerializerMethodField(help_text="The first of `otherTotals`, or null.")
    other_totals = OtherTotalSerializer(
        source="others", many=True, help_text="Amounts of other periods and currencies, which are never added."
    )
    next_bills = NextBillSerializer(many=True, help_text="By date. Empty if nothing will be billed.")

    @extend_schema_field(OtherTotalSerializer(allow_null=True))
    def get_other_total(self, figures: Any) -> dict[str, Any] | None:
        """Return the first of the other totals."""
        others = figures["others"] if isinstance(figures, Mapping) else figures.others
        return OtherTotalSerializer(others[0]).data if others else None


class ManagePlansSerializer(TotalsSerializer):
    """The account's plans, the totals of the next period before tax, and the plans that may be added."""

    plans = OfferedPlanSerializer(many=True)


class PlansSerializer(serializers.Serializer[Any]):
    """The account's plans after a change."""

    plans = PlanSerializer(many=True)


class FailedPaymentSerializer(serializers.Serializer[Any]):
    """An invoice whose collection failed, and the payment method of the last attempt."""

    number = serializers.CharField(help_text="The invoice.")
    amount_due = serializers.IntegerField(min_value=0, help_text="In cents.")
    currency_code = serializers.CharField()
    plans = serializers.ListField(child=serializers.CharField(), help_text="names of plans")
    sub_ids = serializers.ListField(child=serializers.CharField(), source="subscription_ids")
    payment_source_type = serializers.CharField(allow_null=True, help_text="Null if nothing was charged.")
    payment_source_name = serializers.CharField(allow_null=True)
    card_brand = serializers.CharField(allow_null=True)
    last4 = serializers.CharField(allow_null=True)
    paypal_email = serializers.CharField(allow_null=True)
    reason = serializers.ChoiceField(choices=DECLINE_REASONS, help_text="Why the bank declined the last attempt.")
    next_retry_at = InstantField(allow_null=True, help_text="When it is tried again; null if it is not.")


class PaymentFailureSerializer(serializers.Serializer[Any]):
    """Whether a due payment could not be collected, and the plans that were canceled or paused over it."""

    has_payment_failure = serializers.BooleanField()
    canceled_plans = serializers.ListField(child=serializers.CharField(), help_text="names of plans")
    paused_plans = serializers.ListField(child=serializers.CharField(), help_text="names of plans")
    failed_payments = FailedPaymentSerializer(many=True)
