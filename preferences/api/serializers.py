"""What the preferences endpoint takes and gives."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers


class JsonBooleanField(serializers.BooleanField):
    """`true` or `false`, and none of the words and numbers that a form might mean by them."""

    def to_internal_value(self, data: Any) -> bool:
        """Give the boolean. Raises `serializers.ValidationError`."""
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class PreferencesSerializer(serializers.Serializer[Any]):
    """All four, each wanted or not."""

    news_letter = JsonBooleanField()
    streaming = JsonBooleanField()
    promotions = JsonBooleanField()
    branding = JsonBooleanField()


class PreferenceSerializer(serializers.Serializer[Any]):
    """One kind of email, and whether it is wanted."""

    key = serializers.ChoiceField(choices=("newsLetter", "streaming", "promotions", "branding"))
    name = serializers.CharField()
    summary = serializers.CharField()
    checked = serializers.BooleanField()
