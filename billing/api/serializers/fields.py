"""Fields shared by several requests and responses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from rest_framework import serializers

from billing.clock import format_iso_utc
from billing.queries.subscriptions.ownership import require_own_subscriptions
from core.fields import StrictCharField

MOST_SUBSCRIPTIONS = 50
LONGEST_ID = 100


class InstantField(serializers.DateTimeField):
    """A time in a response: ISO 8601 in UTC, whole seconds. Stored figures have it as text already."""

    def to_representation(self, value: datetime | str) -> str:
        """Return a time as text; DRF never passes None."""
        return value if isinstance(value, str) else str(format_iso_utc(value))


class ChargesField(serializers.ListField):
    """What is charged on confirmation, a positive amount in cents for each charge, in the order of the charges.

    Figures have it by subscription.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            child=serializers.IntegerField(min_value=1),
            help_text="Each charge of the confirmation in cents, in the order in which payment intents pay them.",
            **kwargs,
        )

    def get_attribute(self, instance: Any) -> list[int]:
        """Return the amounts that are not zero."""
        charges = cast("Mapping[str, int]", super().get_attribute(instance))
        return [cents for cents in charges.values() if cents]


class DaysField(serializers.ChoiceField):
    """A number of days out of a few choices, given in a query string as `30`, not `3e1` or `30.0`."""

    def __init__(self, days: Sequence[int], **kwargs: Any) -> None:
        allowed = " or ".join(str(count) for count in days)
        super().__init__(
            choices=[(count, f"{count} days") for count in days],
            error_messages={
                "required": f"Enter the number of days: {allowed}.",
                "invalid_choice": f"Choose {allowed} days.",
            },
            **kwargs,
        )


class OwnSubscriptionsField(serializers.ListField):
    """Ids of the account's own subscriptions, without duplicates; the account is in the serializer's context.

    Declare it first, so that a foreign id is a 404 whatever else is invalid. Raises `core.errors.NotFound` for a
    foreign id, and a validation error for anything that is not a list of ids.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            child=StrictCharField(max_length=LONGEST_ID, trim_whitespace=False),
            allow_empty=False,
            min_length=1,
            max_length=MOST_SUBSCRIPTIONS,
            **kwargs,
        )

    def to_internal_value(self, data: Any) -> list[str]:
        """Return the ids in the given order."""
        ids: list[str] = list(dict.fromkeys(super().to_internal_value(data)))
        if len(ids) <= MOST_SUBSCRIPTIONS:
            require_own_subscriptions(self.context["account"], ids)
        return ids
