"""A brand's colours: eight tokens, checked for contrast before they are stored.

WCAG 2.2 asks 4.5 to 1 for text (1.4.3) and 3 to 1 for the parts of controls (1.4.11).
"""

from __future__ import annotations

import re
from typing import TypedDict

from django.core.exceptions import ValidationError

TOKENS = ("primary", "onPrimary", "accent", "link")
TEXT_CONTRAST = 4.5
CONTROL_CONTRAST = 3.0
# The ground that is hardest to read on, in each scheme: what passes here passes on every surface of the app.
SURFACES = {"light": "#efede8", "dark": "#26262c"}

_HEX = re.compile(r"\A#[0-9a-fA-F]{6}\Z")


class Palette(TypedDict):
    """The tokens of one scheme, as `#rrggbb`."""

    primary: str
    onPrimary: str
    accent: str
    link: str


class Colours(TypedDict):
    """A brand's tokens for both schemes."""

    light: Palette
    dark: Palette


def default_colours() -> Colours:
    """Give a calm blue that passes in both schemes, for a brand that has no colours yet."""
    return {
        "light": {"primary": "#1d4f91", "onPrimary": "#ffffff", "accent": "#b4540a", "link": "#1d4f91"},
        "dark": {"primary": "#9cc4ff", "onPrimary": "#0b1f3a", "accent": "#ffb77c", "link": "#9cc4ff"},
    }


def luminance(colour: str) -> float:
    """Give the relative luminance of `#rrggbb`, by the formula of WCAG 2.2."""
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Give the contrast ratio of two colours, from 1 to 21."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _too_weak(scheme: str, palette: Palette) -> list[str]:
    surface = SURFACES[scheme]
    pairs = (
        ("onPrimary on primary", contrast(palette["onPrimary"], palette["primary"]), TEXT_CONTRAST),
        ("link on the page", contrast(palette["link"], surface), TEXT_CONTRAST),
        ("primary on the page", contrast(palette["primary"], surface), CONTROL_CONTRAST),
        ("accent on the page", contrast(palette["accent"], surface), CONTROL_CONTRAST),
    )
    return [f"{scheme}: {what} has {got:.1f} to 1, needs {need}" for what, got, need in pairs if got < need]


def validate_colours(value: object) -> None:
    """Refuse anything but both palettes, whole, in `#rrggbb`, with text and controls that can be read."""
    if not isinstance(value, dict) or set(value) != set(SURFACES):
        raise ValidationError("Give the colours of light and dark.")
    for scheme, palette in value.items():
        if not isinstance(palette, dict) or set(palette) != set(TOKENS):
            raise ValidationError(f"{scheme}: give {', '.join(TOKENS)}.")
        wrong = [name for name, colour in palette.items() if not _HEX.match(str(colour))]
        if wrong:
            raise ValidationError(f"{scheme}: {', '.join(wrong)} must look like #1d4f91.")
    weak = [line for scheme in SURFACES for line in _too_weak(scheme, value[scheme])]
    if weak:
        raise ValidationError(weak)
