"""What the endpoints about the subscriber's own data take and give."""

from __future__ import annotations

from typing import Any

from django.core.validators import RegexValidator
from rest_framework import serializers

from accounts.input import NumberField, TextField
from accounts.models import SessionToken
from accounts.profile import is_birthday

NO_CONTROLS = RegexValidator(
    r"[\x01-\x1f\x7f\x85\u2028\u2029]", "A name has no line breaks.", inverse_match=True
)
INVALID_BIRTHDAY = "Please select valid birthday date"


def _name_field(which: str) -> TextField:
    """Give the field of a name: what is missing is said in the specification's words (section 5)."""
    missing = f"please enter your {which} name."
    return TextField(
        max_length=100,
        validators=[NO_CONTROLS],
        error_messages={"required": missing, "blank": missing, "null": missing},
    )


class ProfileSerializer(serializers.Serializer[Any]):
    """The whole profile; a birthday is a month and a day of it, or 0 and 0."""

    first_name = _name_field("first")
    last_name = _name_field("last")
    bmonth = NumberField(source="birth_month", min_value=0, max_value=12)
    bday = NumberField(source="birth_day", min_value=0, max_value=31)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Give the profile when its birthday is one. Raises `serializers.ValidationError`."""
        if not is_birthday(attrs["birth_month"], attrs["birth_day"]):
            raise serializers.ValidationError({"bday": [INVALID_BIRTHDAY]})
        return attrs


class SavedProfileSerializer(serializers.Serializer[Any]):
    """The profile as it is; the address is customer service's to change."""

    email = serializers.EmailField()
    first_name = serializers.CharField()
    last_name = serializers.CharField()
    bmonth = serializers.IntegerField(source="birth_month", help_text="0 is unset.")
    bday = serializers.IntegerField(source="birth_day", help_text="0 is unset.")


class BillingDetailsSerializer(serializers.Serializer[Any]):
    """Where bills are mailed to."""

    email = serializers.EmailField()


class SignedInAtSerializer(serializers.Serializer[Any]):
    """One place where the subscriber is signed in; `current` is the one that asks."""

    id = serializers.UUIDField(source="public_id")
    created_at = serializers.DateTimeField(source="created")
    last_used_at = serializers.DateTimeField(help_text="To the day.")
    agent = serializers.CharField(allow_blank=True, help_text="The browser, as it names itself.")
    current = serializers.SerializerMethodField()

    def get_current(self, session: SessionToken) -> bool:
        """Whether it is the session that asks."""
        return bool(session.pk == self.context["current"])
