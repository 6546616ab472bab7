"""Serializers of the endpoints for the subscriber's own data."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from accounts.models import SessionToken
from accounts.profile.profile import is_birthday
from core.fields import StrictCharField, StrictIntegerField
from core.text import validate_line

INVALID_BIRTHDAY = "Please select valid birthday date"


def _name_field(which: str) -> StrictCharField:
    """Return the field of a first or last name; the specification prescribes the message."""
    message = f"please enter your {which} name."
    return StrictCharField(
        max_length=100,
        validators=[validate_line],
        error_messages={"required": message, "blank": message, "null": message},
    )


class ProfileSerializer(serializers.Serializer[Any]):
    """A profile to store. A birthday is a month and a day, or 0 in both."""

    first_name = _name_field("first")
    last_name = _name_field("last")
    bmonth = StrictIntegerField(source="birth_month", min_value=0, max_value=12)
    bday = StrictIntegerField(source="birth_day", min_value=0, max_value=31)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return the profile if its birthday exists. Raises `serializers.ValidationError`."""
        if not is_birthday(attrs["birth_month"], attrs["birth_day"]):
            raise serializers.ValidationError({"bday": [INVALID_BIRTHDAY]})
        return attrs


class SavedProfileSerializer(serializers.Serializer[Any]):
    """The stored profile. Only customer service changes the email address."""

    email = serializers.EmailField()
    first_name = serializers.CharField()
    last_name = serializers.CharField()
    bmonth = serializers.IntegerField(source="birth_month", help_text="0 is unset.")
    bday = serializers.IntegerField(source="birth_day", help_text="0 is unset.")


class BillingDetailsSerializer(serializers.Serializer[Any]):
    """The address that bills are mailed to."""

    email = serializers.EmailField()


class SignedInAtSerializer(serializers.Serializer[Any]):
    """An open session; `current` marks the one that made the request."""

    id = serializers.UUIDField(source="public_id")
    created_at = serializers.DateTimeField(source="created")
    last_used_at = serializers.DateTimeField(help_text="To the day.")
    agent = serializers.CharField(allow_blank=True, help_text="The browser, as it names itself.")
    current = serializers.SerializerMethodField()

    def get_current(self, session: SessionToken) -> bool:
        """Return whether this session made the request."""
        return bool(session.pk == self.context["current"])
