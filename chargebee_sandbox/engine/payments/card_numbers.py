"""Card numbers: brand, length, and check digit. No number is stored."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class CardBrand:
    """A card brand: its numbers begin with ``prefix`` and have ``length`` digits, its codes ``code_length``."""

    name: str
    prefix: re.Pattern[str]
    length: int = 16
    code_length: int = 3


_CARD_BRANDS = (
    CardBrand("visa", re.compile("4")),
    CardBrand("mastercard", re.compile("5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720")),
    CardBrand("american_express", re.compile("3[47]"), length=15, code_length=4),
    CardBrand("diners_club", re.compile("30[0-5]|3[689]"), length=14),
    CardBrand("discover", re.compile("6011|64[4-9]|65")),
    CardBrand("jcb", re.compile("352[89]|35[3-8]")),
)


def find_brand(number: str) -> CardBrand | None:
    """Return the brand of a number by its first digits, or None."""
    return next((brand for brand in _CARD_BRANDS if brand.prefix.match(number)), None)


def is_valid_number(number: str) -> bool:
    """Return whether a number has its brand's length (12 to 19 if unknown) and a valid check digit."""
    brand = find_brand(number)
    has_valid_length = len(number) == brand.length if brand else 12 <= len(number) <= 19
    return number.isascii() and number.isdecimal() and has_valid_length and _has_valid_checksum(number)


def _has_valid_checksum(number: str) -> bool:
    """Return whether the Luhn sum is a multiple of ten."""
    doubled = [int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(number))]
    return sum(value // 10 + value % 10 for value in doubled) % 10 == 0
