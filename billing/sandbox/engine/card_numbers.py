"""Card numbers as such: brand, length and check digit. Pure; nothing here keeps a number."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Brand:
    """A card brand: its numbers begin with ``prefix``, have ``length`` digits and a code of ``code_length``."""

    name: str
    prefix: re.Pattern[str]
    length: int = 16
    code_length: int = 3


_BRANDS = (
    Brand("visa", re.compile("4")),
    Brand("mastercard", re.compile("5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720")),
    Brand("american_express", re.compile("3[47]"), length=15, code_length=4),
    Brand("diners_club", re.compile("30[0-5]|3[689]"), length=14),
    Brand("discover", re.compile("6011|64[4-9]|65")),
    Brand("jcb", re.compile("352[89]|35[3-8]")),
)


def brand_of(number: str) -> Brand | None:
    """The brand a number belongs to by its beginning, or None."""
    return next((brand for brand in _BRANDS if brand.prefix.match(number)), None)


def is_valid(number: str) -> bool:
    """Whether a number is as long as its brand's and its check digit is right; an unknown brand's may have 12 to 19."""
    brand = brand_of(number)
    long_enough = len(number) == brand.length if brand else 12 <= len(number) <= 19
    return number.isascii() and number.isdecimal() and long_enough and _checks(number)


def _checks(number: str) -> bool:
    """Luhn: every second digit from the right doubled, the digits of all summed up to a multiple of ten."""
    doubled = [int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(number))]
    return sum(value // 10 + value % 10 for value in doubled) % 10 == 0
