"""The account's plans and totals."""

from __future__ import annotations

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from billing.api.documents import ETAG_PARAMETER, NOT_MODIFIED, document_response
from billing.api.serializers.plans import (
    AccountSerializer,
    ManagePlansSerializer,
    PaymentFailureSerializer,
)
from billing.api.viewsets.base import SubscriberViewSet
from billing.queries.payments.failed_payments import find_payment_failure


class AccountViewSet(SubscriberViewSet):
    """Reads of the account, its plans with totals, and whether a payment failed."""

    @extend_schema(
        operation_id="account",
        tags=["account"],
        parameters=[ETAG_PARAMETER],
        responses={200: AccountSerializer, 304: NOT_MODIFIED},
    )
    def show_account(self, request: Request) -> HttpResponse:
        """Return the account and its plans, in catalog order."""
        return document_response(request, self.account, "account")

    @extend_schema(
        operation_id="manage_plans",
        tags=["account"],
        parameters=[ETAG_PARAMETER],
        responses={200: ManagePlansSerializer, 304: NOT_MODIFIED},
    )
    def show_plans(self, request: Request) -> HttpResponse:
        """Return the account's plans, the totals of the next period, and the plans that may be added."""
        return document_response(request, self.account, "plans")

    @extend_schema(operation_id="check_payment_failure", tags=["account"], responses=PaymentFailureSerializer)
    def check_payment_failure(self, request: Request) -> Response:
        """Return whether a due payment could not be collected, and which plans the provider has ended over it."""
        return Response(PaymentFailureSerializer(find_payment_failure(self.account)).data)
