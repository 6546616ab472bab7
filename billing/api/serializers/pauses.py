"""Responses of pauses, resumes and the pause offer."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from accounts.models.site import picture_url
from billing.api.serializers.fields import ChargesField, InstantField
from billing.api.serializers.plans import NextBillSerializer, PlansSerializer
from billing.queries.subscriptions.pauses import PauseOffer


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
    next_bills = NextBillSerializer(many=True, help_text="With the pause, by date.")


class ResumeEstimateSerializer(serializers.Serializer[Any]):
    """When the service would resume, what that charges including tax, and the quote of these figures."""

    resume_date = InstantField()
    amount_due = serializers.IntegerField(min_value=0)
    charges = ChargesField()
    currency_code = serializers.CharField()
    quote = serializers.CharField()
    next_bills = NextBillSerializer(
        many=True, help_text="Of what is resumed, after this charge, by date. Empty with `days`."
    )


class ContentField(serializers.CharField):
    """A text of the offer's content; null if it is not set."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(allow_null=True, **kwargs)

    def get_attribute(self, instance: PauseOffer) -> str | None:
        """Return the text."""
        return getattr(instance.content, str(self.field_name), "") or None


class PictureField(ContentField):
    """The URL of a picture of the offer's content; null if it is not set."""

    def to_representation(self, value: str) -> str:
        """Return the URL; DRF never passes None."""
        return picture_url(value)


class PauseOfferSerializer(serializers.Serializer[Any]):
    """The pause offer of one service; null where operators set nothing."""

    id = serializers.CharField(source="plan.id", help_text="The plan.")
    name = serializers.CharField(source="plan.name")
    browse_url = serializers.CharField(allow_null=True)
    recommended_title_image1 = PictureField()
    recommended_title_image2 = PictureField()
    recommended_title_image3 = PictureField()
    recommended_title_image4 = PictureField()
    recommended_title_text1 = ContentField(help_text="What the picture shows.")
    recommended_title_text2 = ContentField()
    recommended_title_text3 = ContentField()
    recommended_title_text4 = ContentField()
    upcoming_title_image1 = PictureField()
    upcoming_title_image2 = PictureField()
    upcoming_title_image3 = PictureField()
    upcoming_image_text1 = ContentField()
    upcoming_image_text2 = ContentField()
    upcoming_image_text3 = ContentField()
