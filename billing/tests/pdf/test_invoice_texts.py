"""Formatting of the texts of an invoice."""

from datetime import date

import pytest

from billing.pdf.invoice_context import (
    format_day,
    format_period,
    paid_with_words,
    printable_text,
    status_words,
)
from billing.pdf.invoice_data import PayingSource


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (date(2026, 11, 20), date(2026, 12, 20), "Nov 20 \N{EN DASH} Dec 20, 2026"),
        (date(2026, 12, 31), date(2027, 1, 31), "Dec 31, 2026 \N{EN DASH} Jan 31, 2027"),
        (date(2026, 11, 20), date(2026, 11, 20), "Nov 20, 2026"),
        (date(2026, 11, 20), None, "Nov 20, 2026"),
        (None, None, "\N{EN DASH}"),
    ],
)
def test_a_period_repeats_the_year_only_where_it_changes(start: date | None, end: date | None, expected: str) -> None:
    assert format_period(start, end) == expected


def test_a_day_has_no_leading_zero() -> None:
    assert format_day(date(2028, 2, 9)) == "Feb 9, 2028"


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("paid", ("Paid", "settled")),
        ("PAYMENT_DUE", ("Payment due", "owing")),
        ("not_paid", ("Not paid", "owing")),
        ("posted", ("Posted", "open")),
        ("voided", ("Voided", "void")),
        ("pending", ("Pending", "open")),
        ("something_new", ("Something new", "open")),
        ("", ("Open", "open")),
    ],
)
def test_a_status_is_shown_in_words(status: str, expected: tuple[str, str]) -> None:
    assert status_words(status) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (None, ""),
        (PayingSource("AMERICAN_EXPRESS", "0005"), "American Express ending in 0005"),
        (PayingSource("diners_club", "0004"), "Diners Club ending in 0004"),
        (PayingSource("a_brand_to_come", "1234"), "Card ending in 1234"),
        (PayingSource("visa"), "Visa"),
        (PayingSource(paypal_email="gia@example.com"), "PayPal (gia@example.com)"),
        (PayingSource(), ""),
    ],
)
def test_a_payment_method_is_shown_in_words(source: PayingSource | None, expected: str) -> None:
    assert paid_with_words(source) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\x00b\nc", "a b c"),
        ("\u202eevil\u202c", "evil"),
        ("lone \ud83d", "lone"),
        ("👩\u200d👧", "👩\u200d👧"),
        ("  Ava  ", "Ava"),
    ],
)
def test_printable_text_keeps_only_what_can_be_printed(text: str, expected: str) -> None:
    assert printable_text(text) == expected
