"""Fields that several requests and answers share."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from rest_framework import serializers

from accounts.input import TextField
from billing.queries.instants import iso
from billing.queries.owned import require_owned

MOST_SUBSCRIPTIONS = 50
LONGEST_ID = 100


class InstantField(serializers.DateTimeField):
    """An instant in an answer: ISO 8601 in UTC, whole seconds."""

    def to_representation(self, value: datetime) -> str:
        """Return the text of an instant that is set."""
        return str(iso(value))


class DaysField(serializers.ChoiceField):
    """A number of days out of the few that are possible, as a query spells it: `30`, not `1e3` or `30.0`."""

    def __init__(self, days: Sequence[int], **kwargs: Any) -> None:
        allowed = " or ".join(str(one) for one in days)
        super().__init__(
            choices=[(one, f"{one} days") for one in days],
            error_messages={
                "required": f"Say for how many days: {allowed}.",
                "invalid_choice": f"It can be {allowed} days.",
            },
            **kwargs,
        )


class OwnSubscriptionsField(serializers.ListField):
    """Ids of the account's own subscriptions, each once; the account comes in the serializer's context.

    Declare it first: what is somebody else's is not found, whatever is wrong with the other fields (contract, section
    2). Raises `portal.errors.NotFound` for that, and a validation error for anything that is not a list of ids.
    """

    def __init__(self, *, at_most: int = MOST_SUBSCRIPTIONS, **kwargs: Any) -> None:
        self.at_most = at_most
        super().__init__(
            child=TextField(max_length=LONGEST_ID, trim_whitespace=False),
            allow_empty=False,
            min_length=1,
            max_length=at_most,
            **kwargs,
        )

    def to_internal_value(self, data: Any) -> list[str]:
        """Return the ids in the order given."""
        ids: list[str] = list(dict.fromkeys(super().to_internal_value(data)))
        if len(ids) <= MOST_SUBSCRIPTIONS:
            require_owned(self.context["account"], ids)
        return ids
