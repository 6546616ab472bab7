"""Codes in addresses."""

from django.urls.converters import StringConverter


class CouponCode(StringConverter):
    """Whatever a subscriber typed, slashes, line breaks and nothing at all included: the service judges it."""

    regex = r"(?s:.*)"
