"""Path converters for values that the built-in ones do not match."""

from django.urls.converters import StringConverter


class CouponCodeConverter(StringConverter):
    """Match anything a subscriber typed, even slashes, line breaks, and nothing; the change validates it."""

    regex = r"(?s:.*)"


class InvoiceNumberConverter(StringConverter):
    """Match an invoice number. Operators choose its prefix, which may hold a slash but no control character."""

    regex = r"[^\x00-\x1f\x7f]{1,100}"
