"""Responses of paid changes, both estimates and confirmed changes. Amounts are in cents."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from billing.api.serializers.fields import ChargesField, InstantField
from billing.api.serializers.plans import ManagePlansSerializer, NextBillSerializer, PlanSerializer, TotalsSerializer
from billing.changes.discounts.free_month import INELIGIBLE_REASONS


class FuturePlanSerializer(PlanSerializer):
    """A plan after the change; one that has not started yet has no subscription."""

    sub_id = serializers.CharField(allow_null=True, help_text="The subscription; null until it starts.")


class FiguresSerializer(TotalsSerializer):
    """The plans after a paid change, with totals and what is charged now."""

    due_now = serializers.IntegerField(min_value=0, help_text="Charged now, tax included.")
    charges = ChargesField()
    due_currency_code = serializers.CharField(source="due_currency", help_text="Of what is charged and credited.")
    effective_at = InstantField(allow_null=True, help_text="When the first part takes effect; null when unknown.")
    quote = serializers.CharField(help_text="Identifies these figures; send it with the confirmation.")
    has_payment_failure = serializers.BooleanField()


class ServicesSerializer(FiguresSerializer, ManagePlansSerializer):
    """The selected plans, what they will cost, and what is charged now.

    In an estimate, `existing_plans` are as they will be: a removed plan is non-renewing, an added one has no
    subscription yet. After a confirmed change they are as they are now.
    """

    existing_plans = FuturePlanSerializer(many=True)
    added = serializers.ListField(child=serializers.CharField(), help_text="Plans that start.")
    removed = serializers.ListField(child=serializers.CharField(), help_text="Plans that end.")
    kept_again = serializers.ListField(
        child=serializers.CharField(), help_text="Plans whose scheduled cancellation is removed."
    )


class PreviewSerializer(FiguresSerializer):
    """All live plans after the change, with totals, charges and credits."""

    annual_savings = serializers.IntegerField(
        help_text="Twelve monthly prices minus the yearly price, for the plans that switch."
    )
    credits = serializers.IntegerField(min_value=0, help_text="Credit for the rest of terms already paid.")
    adjustments = serializers.IntegerField(
        min_value=0, help_text="What comes off unpaid invoices for the rest of their terms, in cents."
    )
    is_immediate = serializers.BooleanField(help_text="Whether all of it takes effect now.")
    plan_ids = serializers.ListField(child=serializers.CharField(), help_text="The plans that change.")
    removes_free_month = serializers.BooleanField(help_text="A free month that was claimed and not used yet is lost.")


class RedeemedSerializer(PreviewSerializer):
    """The plans and totals with the code applied, and the subscription it applies to."""

    applied_to = serializers.CharField(help_text="The subscription whose next invoice uses it.")


class FreeMonthSerializer(serializers.Serializer[Any]):
    """Whether the account is eligible for the free month, what it saves, and when the next bills come."""

    eligible = serializers.BooleanField()
    reason = serializers.ChoiceField(
        choices=INELIGIBLE_REASONS, allow_null=True, help_text="Why it is not eligible; null when it is."
    )
    amount_saved = serializers.IntegerField(min_value=0)
    currency_code = serializers.CharField()
    next_billing_at = InstantField(allow_null=True, help_text="When the next bill comes, which is free.")
    new_next_billing_at = InstantField(allow_null=True, help_text="When the first paid bill comes.")
    plans = PlanSerializer(many=True, help_text="The plan that gets the free month.")
    next_bills = NextBillSerializer(many=True, help_text="Of that plan, by date. Empty if it is not eligible.")
    quote = serializers.CharField(help_text="Identifies these figures; send it with the confirmation.")
