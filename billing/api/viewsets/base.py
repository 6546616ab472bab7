"""What the signed-in subscriber's endpoints share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers, viewsets
from rest_framework.response import Response

from accounts import site
from accounts.models import Account
from accounts.subscriber import account_of
from billing.errors import BillingPartial, QuoteChanged
from billing.queries.dues import has_payment_failure
from billing.queries.outcomes import state_now

Figures = TypeVar("Figures")

# Who asks for what is changed here, as the account's activity names them.
ACTOR = "you"

# Documented here because only changes answer 409 everywhere, and these are reads.
NOTHING_TO_DO = OpenApiResponse(
    response={"$ref": "#/components/schemas/Error"},
    description="Nothing of the account's is in a state that this is about.",
)


class SubscriberViewSet(viewsets.ViewSet):
    """Endpoints about the signed-in account: every look-up starts from it."""

    @property
    def account(self) -> Account:
        """The account that is signed in."""
        return account_of(self.request)

    @property
    def brand(self) -> str:
        """The code of the brand that this host name shows."""
        return site.brand_for_host(self.request.get_host()).code

    def checked(self, serializer: type[serializers.Serializer[Any]], data: Any) -> dict[str, Any]:
        """Return the input that a serializer accepts. Raises a validation error, or NotFound for a foreign id."""
        asked = serializer(data=data, context={"account": self.account})
        asked.is_valid(raise_exception=True)
        accepted: dict[str, Any] = asked.validated_data
        return accepted

    def changed(self, change: Callable[[], None], outcome: Callable[[], Mapping[str, Any]]) -> Response:
        """Make a change and answer with the state after it.

        Raises what the change raises; one that was done in part carries the state as it now is (contract, rule 2).
        """
        try:
            change()
        except BillingPartial as error:
            error.extra.update(outcome())
            raise
        return Response(outcome())

    def done(self, change: Callable[[], Figures]) -> Figures:
        """Make a change that was shown before; return the figures that were confirmed.

        Raises what the change raises; one that was done in part carries the state as it now is (contract, rule 2).
        """
        try:
            return change()
        except BillingPartial as error:
            error.extra.update(state_now(self.account))
            raise
        except QuoteChanged as error:
            error.extra["has_payment_failure"] = has_payment_failure(self.account)
            raise
