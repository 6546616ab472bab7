"""Invoice numbers in addresses."""

from django.urls.converters import StringConverter


class InvoiceNumber(StringConverter):
    """An invoice number: its prefix is the operators' choice and may hold a slash, but no control character."""

    regex = r"[^\x00-\x1f\x7f]{1,100}"
