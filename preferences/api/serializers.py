"""Serializers of the preferences endpoint."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from preferences.models import Preference


class JsonBooleanField(serializers.BooleanField):
    """JSON `true` or `false`, but none of the strings and numbers that DRF accepts as well."""

    def to_internal_value(self, data: Any) -> bool:
        """Return the boolean. Raises `serializers.ValidationError`."""
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class PreferencesSerializer(serializers.Serializer[Any]):
    """All four preferences."""

    news_letter = JsonBooleanField()
    streaming = JsonBooleanField()
    promotions = JsonBooleanField()
    branding = JsonBooleanField()


class PreferenceSerializer(serializers.Serializer[Any]):
    """A kind of email and whether it is wanted."""

    key = serializers.ChoiceField(choices=Preference.values)
    name = serializers.CharField(source="text.name")
    summary = serializers.CharField(source="text.summary")
    checked = serializers.BooleanField()
