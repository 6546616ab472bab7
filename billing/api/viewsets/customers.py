"""The further customers of the account's address."""

from __future__ import annotations

from typing import cast

from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import SessionToken
from billing.api.serializers.customers import OtherCustomerSerializer, SwitchCustomerSerializer
from billing.api.viewsets.base import SubscriberViewSet
from billing.mirror import account_identity
from billing.queries.customers import other_customers


class OtherCustomersViewSet(SubscriberViewSet):
    """Several customers can have one address: each is shown, and the session can continue in it."""

    @extend_schema(operation_id="other_customers", tags=["account"], responses=OtherCustomerSerializer(many=True))
    def list_others(self, request: Request) -> Response:
        """Return the further customers of the account's address with their live subscriptions, newest first."""
        return Response(OtherCustomerSerializer(other_customers(self.account), many=True).data)

    @extend_schema(
        operation_id="switch_customer", tags=["account"], request=SwitchCustomerSerializer, responses={204: None}
    )
    def switch_customer(self, request: Request) -> Response:
        """Continue this session in another customer of the account's address; the token stays the same."""
        customer_id = self.validate_input(SwitchCustomerSerializer, request.data)["customer_id"]
        account_identity.switch_customer(self.account, cast("SessionToken", request.auth), customer_id)
        return Response(status=status.HTTP_204_NO_CONTENT)
