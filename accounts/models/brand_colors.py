"""A brand's colors: eight tokens whose contrast is checked before they are stored.

WCAG 2.2 requires 4.5 to 1 for text (1.4.3) and 3 to 1 for the parts of controls (1.4.11).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict, cast

from django.core.exceptions import ValidationError

COLOR_TOKENS = ("primary", "onPrimary", "accent", "link")
TEXT_CONTRAST = 4.5
CONTROL_CONTRAST = 3.0
# How much black (light scheme) or white (dark scheme) the app mixes into a button on hover.
HOVER_MIX_SHARE = 0.12
HOVER_ENDS = {"light": "#000000", "dark": "#ffffff"}
# The surface with the least contrast in each scheme: a color that passes here passes on every surface of the app.
SURFACES = {"light": "#efede8", "dark": "#26262c"}

HEX_COLOR = re.compile(r"\A#[0-9a-fA-F]{6}\Z")


ColorToken = Literal["primary", "onPrimary", "accent", "link"]


@dataclass(frozen=True)
class Background:
    """A background of a token: the pair in words, its color, the contrast that is required, and its name."""

    pair: str
    color: str
    required_ratio: float
    name: Literal["page", "primary", "hover"] = "page"


@dataclass(frozen=True)
class ContrastPair:
    """A token on a background of one scheme, in words, with the contrast that it has and the one that it needs."""

    scheme: str
    token: str
    background: str
    words: str
    ratio: float
    required_ratio: float

    @property
    def is_readable(self) -> bool:
        """Return whether the contrast is enough."""
        return self.ratio >= self.required_ratio

    @property
    def shown_ratio(self) -> str:
        """Return the ratio, rounded down."""
        return _format_ratio(self.ratio)


class ColorPalette(TypedDict):
    """The tokens of one scheme, as `#rrggbb`."""

    primary: str
    onPrimary: str
    accent: str
    link: str


class BrandColors(TypedDict):
    """A brand's tokens for both schemes."""

    light: ColorPalette
    dark: ColorPalette


def default_colors() -> BrandColors:
    """Return blue colors that pass in both schemes, for a brand that has no colors yet."""
    return {
        "light": {"primary": "#1d4f91", "onPrimary": "#ffffff", "accent": "#b4540a", "link": "#1d4f91"},
        "dark": {"primary": "#9cc4ff", "onPrimary": "#0b1f3a", "accent": "#ffb77c", "link": "#9cc4ff"},
    }


def relative_luminance(color: str) -> float:
    """Return the relative luminance of `#rrggbb`, as WCAG 2.2 defines it."""
    channels = (int(color[start : start + 2], 16) / 255 for start in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast_ratio(color: str, other_color: str) -> float:
    """Return the contrast ratio of two colors, from 1 to 21."""
    darker, lighter = sorted((relative_luminance(color), relative_luminance(other_color)))
    return (lighter + 0.05) / (darker + 0.05)


@dataclass(frozen=True)
class ContrastFailure:
    """A pair whose contrast is too low, with the token to change.

    `suggested_color` passes in every pair of the token. It is None if no color does: then the background has to change.
    """

    scheme: str
    token: str
    pair: str
    actual_ratio: float
    required_ratio: float
    suggested_color: str | None

    def __str__(self) -> str:
        advice = (
            f"{self.token} {self.suggested_color} would do."
            if self.suggested_color
            else "Make primary darker or lighter."
        )
        actual = _format_ratio(self.actual_ratio)
        return f"{self.scheme}: {self.pair} has {actual} to 1 and needs {self.required_ratio:g}. {advice}"


def contrast_failures(colors: BrandColors) -> list[ContrastFailure]:
    """Return every pair of a brand's colors, as `#rrggbb`, that fails WCAG 2.2 AA."""
    return [
        failure
        for scheme, palette in (("light", colors["light"]), ("dark", colors["dark"]))
        for token, backgrounds in _token_backgrounds(scheme, palette).items()
        for failure in _token_failures(scheme, token, palette[token], backgrounds)
    ]


def contrast_pairs(colors: BrandColors) -> Iterator[ContrastPair]:
    """Yield every pair of a brand's colors, as `#rrggbb`, with the contrast that it has and needs."""
    for scheme, palette in (("light", colors["light"]), ("dark", colors["dark"])):
        for token, backgrounds in _token_backgrounds(scheme, palette).items():
            for background in backgrounds:
                ratio = contrast_ratio(palette[token], background.color)
                yield ContrastPair(scheme, token, background.name, background.pair, ratio, background.required_ratio)


def _token_backgrounds(scheme: str, palette: ColorPalette) -> dict[ColorToken, list[Background]]:
    page, primary = SURFACES[scheme], palette["primary"]
    pointed_at = hover_color(scheme, primary)
    return {
        "onPrimary": [
            Background("text on primary", primary, TEXT_CONTRAST, "primary"),
            Background("text on primary while it is pointed at", pointed_at, TEXT_CONTRAST, "hover"),
        ],
        "link": [Background("link on the page", page, TEXT_CONTRAST)],
        "primary": [Background("primary on the page", page, CONTROL_CONTRAST)],
        "accent": [Background("accent on the page", page, CONTROL_CONTRAST)],
    }


def _token_failures(scheme: str, token: str, color: str, backgrounds: list[Background]) -> Iterator[ContrastFailure]:
    ratios = [(background, contrast_ratio(color, background.color)) for background in backgrounds]
    failing = [(background, ratio) for background, ratio in ratios if ratio < background.required_ratio]
    suggestion = nearest_readable_color(color, backgrounds) if failing else None
    for background, ratio in failing:
        yield ContrastFailure(scheme, token, background.pair, ratio, background.required_ratio, suggestion)


def nearest_readable_color(color: str, backgrounds: Sequence[Background]) -> str | None:
    """Return the closest mix of a color with black or white that passes on all backgrounds, or None.

    For a single background there always is one: black or white has at least 4.58 to 1 on any color.
    """
    mixes = (_mix_colors(color, end, share / 100) for share in range(1, 101) for end in ("#000000", "#ffffff"))
    return next((mix for mix in mixes if _is_readable(mix, backgrounds)), None)


def _is_readable(color: str, backgrounds: Sequence[Background]) -> bool:
    return all(contrast_ratio(color, background.color) >= background.required_ratio for background in backgrounds)


def hover_color(scheme: str, primary: str) -> str:
    """Return a button's background on hover, as `--color-primary-hover` mixes it (in sRGB here)."""
    return _mix_colors(primary, HOVER_ENDS[scheme], HOVER_MIX_SHARE)


def _mix_colors(color: str, end: str, share: float) -> str:
    channels = ((int(color[start : start + 2], 16), int(end[start : start + 2], 16)) for start in (1, 3, 5))
    return "#" + "".join(f"{round(value + (target - value) * share):02x}" for value, target in channels)


def _format_ratio(ratio: float) -> str:
    """Format a ratio rounded down, so that a failing one never reads as passing."""
    return f"{math.floor(ratio * 100) / 100:g}"


def validate_colors(value: object) -> None:
    """Raise ValidationError unless both palettes are complete, in `#rrggbb`, and pass WCAG 2.2 AA."""
    if not isinstance(value, dict) or set(value) != set(SURFACES):
        raise ValidationError("Enter the colors for light and dark.")
    for scheme, palette in value.items():
        if not isinstance(palette, dict) or set(palette) != set(COLOR_TOKENS):
            raise ValidationError(f"{scheme}: give {', '.join(COLOR_TOKENS)}.")
        invalid = [token for token, color in palette.items() if not HEX_COLOR.match(str(color))]
        if invalid:
            raise ValidationError(f"{scheme}: {', '.join(invalid)} must look like #1d4f91.")
    failures = contrast_failures(cast("BrandColors", value))
    if failures:
        raise ValidationError([str(failure) for failure in failures])
