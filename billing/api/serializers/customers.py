"""The further customers of the account's address."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from billing.api.serializers.fields import InstantField
from billing.api.serializers.plans import TermsSerializer
from billing.queries.subscriptions.holdings import STATUSES
from core.fields import StrictCharField


class OtherPlanSerializer(TermsSerializer):
    """A live subscription of another customer."""

    name = serializers.CharField()
    amount = serializers.IntegerField(min_value=0, help_text="One period in cents, before discounts and tax.")
    status = serializers.ChoiceField(choices=STATUSES)
    next_billing_at = InstantField(allow_null=True, help_text="Null when it will not bill.")


class OtherCustomerSerializer(serializers.Serializer[Any]):
    """Another customer of the account's address, and what is live there."""

    id = serializers.CharField(help_text="To switch to it.")
    plans = OtherPlanSerializer(many=True)


class SwitchCustomerSerializer(serializers.Serializer[Any]):
    """The customer to switch to."""

    customer_id = StrictCharField(max_length=100)
