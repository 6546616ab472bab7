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
from billing.api.estimate_answers import forget_estimates
from billing.api.serializers.plans import ManagePlansSerializer, PlansSerializer
from billing.errors import BillingPartial, QuoteChanged
from billing.queries.documents import managed_plans
from billing.queries.payments.past_due import has_payment_failure
from billing.queries.subscriptions.changed_plans import ChangedPlans, changed_plans

Result = TypeVar("Result")
Body = Mapping[str, Any]

# The actor of changes made through the API, as the account's activity names it.
SUBSCRIBER_ACTOR = "you"

# For reads only: the schema documents a 409 for every change anyway.
NOTHING_TO_DO = OpenApiResponse(
    response={"$ref": "#/components/schemas/Error"},
    description="Nothing of the account's is in a state that this is about.",
)


class SubscriberViewSet(viewsets.ViewSet):
    """Endpoints of the signed-in account. Every look-up starts from it."""

    # Renders the figures of a change: as estimated, as confirmed, and when the quote has changed.
    figures_serializer: type[serializers.Serializer[Any]]

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
        self,
        change: Callable[[], None],
        serializer: type[serializers.Serializer[Any]] = PlansSerializer,
        plans_of: Callable[[Account], ChangedPlans] = changed_plans,
    ) -> Response:
        """Make a change and return the plans after it. Raises as `confirm_change`."""

        def render_plans() -> Body:
            return serializer(plans_of(self.account)).data

        self.confirm_change(change, render_plans)
        return Response(render_plans())

    def confirm_change(self, change: Callable[[], Result], render_state: Callable[[], Body] | None = None) -> Result:
        """Make a change and return its result, such as the confirmed figures.

        Raises the errors of the change. A partial change carries the state after it (docs/rules.md, rule 2), by default
        the plans and totals; a changed quote carries the new figures.
        """
        try:
            return change()
        except BillingPartial as error:
            error.extra.update((render_state or self._render_totals)())
            raise
        except QuoteChanged as error:
            forget_estimates(self.account)
            error.extra = self.render_figures(error.extra)
            raise

    def state_after(self, figures: Body) -> dict[str, Any]:
        """Return the plans and totals after a confirmed change, with the next bills that were confirmed.

        The provider's estimates of the bills after it come later.
        """
        return {**figures, **vars(managed_plans(self.account)), "next_bills": figures["next_bills"]}

    def render_figures(self, figures: Body) -> dict[str, Any]:
        """Return the body of an estimate, with the account's payment failure, or of a confirmed change with its own."""
        failure = {"has_payment_failure": has_payment_failure(self.account)}
        return self.figures_serializer({**failure, **figures}).data

    def _render_totals(self) -> Body:
        failure = {"has_payment_failure": has_payment_failure(self.account)}
        return {**ManagePlansSerializer(managed_plans(self.account)).data, **failure}
