"""A brand's colours: eight tokens, checked for contrast before they are stored.

WCAG 2.2 asks 4.5 to 1 for text (1.4.3) and 3 to 1 for the parts of controls (1.4.11).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict, cast

from django.core.exceptions import ValidationError

TOKENS = ("primary", "onPrimary", "accent", "link")
TEXT_CONTRAST = 4.5
CONTROL_CONTRAST = 3.0
# How much black (in the light scheme) or white (in the dark one) the app mixes into a button that is pointed at.
POINTED_AT_SHARE = 0.12
# The ground that is hardest to read on, in each scheme: what passes here passes on every surface of the app.
SURFACES = {"light": "#efede8", "dark": "#26262c"}

_HEX = re.compile(r"\A#[0-9a-fA-F]{6}\Z")


Token = Literal["primary", "onPrimary", "accent", "link"]


@dataclass(frozen=True)
class Ground:
    """What a token stands on: the pair in words, the colour behind it, and the contrast that it needs there."""

    pair: str
    colour: str
    needed: float


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


@dataclass(frozen=True)
class Weakness:
    """A pair that cannot be read: the token to change, what it stands with, and the nearest colour that would do.

    `instead` stands out in every pair of the token; it is None where no colour does, so that the ground has to change.
    """

    scheme: str
    token: str
    pair: str
    got: float
    needed: float
    instead: str | None

    def __str__(self) -> str:
        way_out = (
            f"{self.token} {self.instead} would do." if self.instead else "Make primary darker or lighter."
        )
        return (
            f"{self.scheme}: {self.pair} has {_floored(self.got)} to 1 and needs {self.needed:g}. {way_out}"
        )


def weaknesses(colours: Colours) -> list[Weakness]:
    """Return every pair of a brand's colours that WCAG 2.2 AA refuses; the values are `#rrggbb`."""
    return [
        weak
        for scheme, palette in (("light", colours["light"]), ("dark", colours["dark"]))
        for token, grounds in _grounds(scheme, palette).items()
        for weak in _weaknesses_of(scheme, token, palette[token], grounds)
    ]


def _grounds(scheme: str, palette: Palette) -> dict[Token, list[Ground]]:
    """Return what each token stands on."""
    page, primary = SURFACES[scheme], palette["primary"]
    return {
        "onPrimary": [
            Ground("onPrimary on primary", primary, TEXT_CONTRAST),
            Ground("onPrimary on primary while it is pointed at", pointed_at(scheme, primary), TEXT_CONTRAST),
        ],
        "link": [Ground("link on the page", page, TEXT_CONTRAST)],
        "primary": [Ground("primary on the page", page, CONTROL_CONTRAST)],
        "accent": [Ground("accent on the page", page, CONTROL_CONTRAST)],
    }


def _weaknesses_of(scheme: str, token: str, colour: str, grounds: list[Ground]) -> Iterator[Weakness]:
    weak = [(ground, got) for ground in grounds if (got := contrast(colour, ground.colour)) < ground.needed]
    instead = nearest(colour, grounds) if weak else None
    for ground, got in weak:
        yield Weakness(scheme, token, ground.pair, got, ground.needed, instead)


def nearest(colour: str, grounds: Sequence[Ground]) -> str | None:
    """Give the colour closest to one, mixed with black or with white, that stands out from all grounds; None if none.

    For a single ground there always is one: black or white has 4.58 to 1 on whatever it stands.
    """
    mixed = (_mixed(colour, end, share / 100) for share in range(1, 101) for end in ("#000000", "#ffffff"))
    return next((one for one in mixed if all(contrast(one, on.colour) >= on.needed for on in grounds)), None)


def pointed_at(scheme: str, primary: str) -> str:
    """Give a button's ground while it is pointed at, as `--color-primary-hover` mixes it (in sRGB here)."""
    return _mixed(primary, "#000000" if scheme == "light" else "#ffffff", POINTED_AT_SHARE)


def _mixed(colour: str, end: str, share: float) -> str:
    pairs = ((int(colour[at : at + 2], 16), int(end[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(one + (other - one) * share):02x}" for one, other in pairs)


def _floored(ratio: float) -> str:
    """Tell a ratio without rounding it up to one that would do."""
    return f"{math.floor(ratio * 100) / 100:g}"


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
    weak = weaknesses(cast("Colours", value))
    if weak:
        raise ValidationError([str(one) for one in weak])
