"""What the subscriber has and what it will cost: reads of the mirror."""

from __future__ import annotations

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from billing.api.documents import document_response
from billing.api.serializers.plans import (
    AccountSerializer,
    ManagePlansSerializer,
    PaymentFailureSerializer,
)
from billing.api.viewsets.base import SubscriberViewSet
from billing.queries.dues import has_payment_failure


class AccountViewSet(SubscriberViewSet):
    """The account home, the plans with their totals, and whether a payment failed."""

    @extend_schema(operation_id="account", tags=["account"], responses=AccountSerializer)
    def overview(self, request: Request) -> HttpResponse:
        """Answer with the account and its plans, in catalogue order."""
        return document_response(self.account, "account")

    @extend_schema(operation_id="manage_plans", tags=["account"], responses=ManagePlansSerializer)
    def manage_plans(self, request: Request) -> HttpResponse:
        """Answer with the plans held, what the next period will cost, and the plans that may be added."""
        return document_response(self.account, "plans")

    @extend_schema(operation_id="check_payment_failure", tags=["account"], responses=PaymentFailureSerializer)
    def check_payment_failure(self, request: Request) -> Response:
        """Answer whether something is due that could not be collected."""
        return Response({"has_payment_failure": has_payment_failure(self.account)})
