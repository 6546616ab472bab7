"""Responses of pauses, resumes and the pause offer."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from billing.api.serializers.fields import InstantField
from billing.api.serializers.plans import PlansSerializer


class PausedSerializer(PlansSerializer):
    """The plans after pausing, with the earliest dates where they differ."""

    pause_date = InstantField(allow_null=True)
    resume_date = InstantField(allow_null=True)


class PausePeriodSerializer(serializers.Serializer[Any]):
    """The start and end of one subscription's pause."""

    sub_id = serializers.CharField()
    pause_date = InstantField()
    resume_date = InstantField()


class PauseEstimateSerializer(serializers.Serializer[Any]):
    """When a pause would start and end: the earliest dates, and the dates of each subscription."""

    pause_date = InstantField()
    resume_date = InstantField()
    plans = PausePeriodSerializer(many=True)


class ResumeEstimateSerializer(serializers.Serializer[Any]):
    """When the service would resume, what that charges including tax, and the quote of these figures."""

    resume_date = InstantField()
    amount_due = serializers.IntegerField(min_value=0)
    quote = serializers.CharField()


class PauseOfferSerializer(serializers.Serializer[Any]):
    """The pause offer of one service; null where operators set nothing."""

    id = serializers.CharField(help_text="The plan.")
    name = serializers.CharField()
    browse_url = serializers.CharField(allow_null=True)
    recommended_title_image1 = serializers.CharField(allow_null=True)
    recommended_title_image2 = serializers.CharField(allow_null=True)
    recommended_title_image3 = serializers.CharField(allow_null=True)
    recommended_title_image4 = serializers.CharField(allow_null=True)
    recommended_title_text1 = serializers.CharField(allow_null=True, help_text="What the picture shows.")
    recommended_title_text2 = serializers.CharField(allow_null=True)
    recommended_title_text3 = serializers.CharField(allow_null=True)
    recommended_title_text4 = serializers.CharField(allow_null=True)
    upcoming_title_image1 = serializers.CharField(allow_null=True)
    upcoming_title_image2 = serializers.CharField(allow_null=True)
    upcoming_title_image3 = serializers.CharField(allow_null=True)
    upcoming_image_text1 = serializers.CharField(allow_null=True)
    upcoming_image_text2 = serializers.CharField(allow_null=True)
    upcoming_image_text3 = serializers.CharField(allow_null=True)
