"""The base of all viewsets of the signed-in subscriber."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers, viewsets
from rest_framework.response import Response

from accounts.brands import site
from accounts.models import Account
from accounts.sign_in.current_account import signed_in_account
from billing.errors import BillingPartial, QuoteChanged
from billing.queries.change_responses import manage_plans_response
from billing.queries.past_due import has_payment_failure

Figures = TypeVar("Figures")

# The actor of changes made through the API, as the account's activity names it.
SUBSCRIBER_ACTOR = "you"

# For reads only: the schema documents a 409 for every change anyway.
NOTHING_TO_DO = OpenApiResponse(
    response={"$ref": "#/components/schemas/Error"},
    description="Nothing of the account's is in a state that this is about.",
)


class SubscriberViewSet(viewsets.ViewSet):
    """Endpoints of the signed-in account. Every look-up starts from it."""

    @property
    def account(self) -> Account:
        """The signed-in account."""
        return signed_in_account(self.request)

    @property
    def brand_code(self) -> str:
        """The code of the brand of the request's host name."""
        return site.brand_for_host(self.request.get_host()).code

    def validate_input(self, serializer: type[serializers.Serializer[Any]], data: Any) -> dict[str, Any]:
        """Return the validated input. Raises a validation error, or NotFound for a foreign id."""
        bound = serializer(data=data, context={"account": self.account})
        bound.is_valid(raise_exception=True)
        validated: dict[str, Any] = bound.validated_data
        return validated

    def respond_after_change(
        self, change: Callable[[], None], outcome: Callable[[], Mapping[str, Any]]
    ) -> Response:
        """Make a change and return `outcome()`, the state after it.

        Raises the errors of the change. A partial change carries the state after it (docs/rules.md, rule 2).
        """
        try:
            change()
        except BillingPartial as error:
            error.extra.update(outcome())
            raise
        return Response(outcome())

    def confirm_change(self, change: Callable[[], Figures]) -> Figures:
        """Make a change whose figures were shown before, and return the confirmed figures.

        Raises the errors of the change. A partial change carries the state after it (docs/rules.md, rule 2).
        """
        try:
            return change()
        except BillingPartial as error:
            error.extra.update(manage_plans_response(self.account))
            raise
        except QuoteChanged as error:
            error.extra["has_payment_failure"] = has_payment_failure(self.account)
            raise
