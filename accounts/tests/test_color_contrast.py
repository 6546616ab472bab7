"""Every text color is readable on every background of the app, in every brand and color scheme (WCAG 1.4.3).

All pairs are checked, whichever text the app puts on which background. Only colors made for one background, such as the
text of a button, are checked on that one alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from accounts.management.commands.seed_site import SEED_COLORS
from accounts.models.brand_colors import TEXT_CONTRAST, contrast_ratio, default_colors
from conftest import ROOT

SOURCES = ROOT / "frontend" / "src"
TOKENS = SOURCES / "styles" / "tokens.css"
DARK = "@media (prefers-color-scheme: dark)"
# Text colors made for particular backgrounds.
PAIRED_TEXT_COLORS = {
    "on-primary": ("primary", "primary-hover"),
    "on-snackbar": ("snackbar",),
    "snackbar-success": ("snackbar",),
    "snackbar-warning": ("snackbar",),
    "snackbar-danger": ("snackbar",),
}
TEXT_COLORS = {"text", "text-muted", "link", "primary", "success", "warning", "danger", "info", "neutral"}
BACKGROUNDS = {
    *("page", "surface", "surface-sunken", "skeleton", "primary-soft"),
    *(f"{state}-soft" for state in ("success", "warning", "danger", "info", "neutral")),
}
# Exempt: the text of disabled controls; and backgrounds without text, which are shapes or the backdrop.
DISABLED_TEXT_COLORS = {"border-strong"}
TEXTLESS_BACKGROUNDS = {"border", "border-strong", "warning", "neutral", "on-primary", "backdrop", "behind-backdrop"}
# The table of plans, which is on a card, is partly transparent while its figures are recalculated.
STALE_TEXT_COLORS = ("text", "text-muted", "success")
STALE = SOURCES / "features" / "subscriptions" / "shared" / "subscriptions.module.css"
USED = re.compile(r"(?<![\w-])(color|background(?:-color)?):[^;{}]*?var\(--color-([\w-]+)\)")
MIX = re.compile(r"color-mix\(in oklab, var\(--color-([\w-]+)\) (\d+)%, (black|white|var\(--color-([\w-]+)\))\)")

Color = tuple[float, float, float]


def parse_color(color: str) -> Color:
    """Return the channels of `#rrggbb`, from 0 to 1."""
    red, green, blue = (int(color[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return red, green, blue


def format_color(color: Color) -> str:
    """Return `#rrggbb`."""
    return "#" + "".join(f"{round(255 * min(1.0, max(0.0, channel))):02x}" for channel in color)


def multiply(rows: tuple[Color, Color, Color], vector: Color) -> Color:
    """Return the product of a matrix and a vector."""
    first, second, third = (sum(a * b for a, b in zip(row, vector, strict=True)) for row in rows)
    return first, second, third


# From https://bottosson.github.io/posts/oklab/, the source of `oklab` in CSS Color 4.
TO_LMS = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
TO_LAB = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)
FROM_LAB = (
    (1.0, 0.3963377774, 0.2158037573),
    (1.0, -0.1055613458, -0.0638541728),
    (1.0, -0.0894841775, -1.2914855480),
)
FROM_LMS = (
    (4.0767416621, -3.3077115913, 0.2309699292),
    (-1.2684380046, 2.6097574011, -0.3413193965),
    (-0.0041960863, -0.7034186147, 1.7076147010),
)


def to_oklab(color: str) -> Color:
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parse_color(color))
    long, medium, short = (cone ** (1 / 3) for cone in multiply(TO_LMS, (red, green, blue)))
    return multiply(TO_LAB, (long, medium, short))


def from_oklab(lab: Color) -> str:
    long, medium, short = (cone**3 for cone in multiply(FROM_LAB, lab))
    linear = multiply(FROM_LMS, (long, medium, short))
    red, green, blue = (12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055 for c in linear)
    return format_color((red, green, blue))


def mix_in_oklab(color: str, other: str, share: float) -> str:
    """Return the result of `color-mix(in oklab, color share, other)`."""
    pairs = zip(to_oklab(color), to_oklab(other), strict=True)
    lightness, green_red, blue_yellow = (a * share + b * (1 - share) for a, b in pairs)
    return from_oklab((lightness, green_red, blue_yellow))


def blend_over(color: str, below: str, opacity: float) -> str:
    """Return the color seen when a color of this opacity is on top of another."""
    pairs = zip(parse_color(color), parse_color(below), strict=True)
    red, green, blue = (a * opacity + b * (1 - opacity) for a, b in pairs)
    return format_color((red, green, blue))


def declared_colors(scheme: str) -> dict[str, str]:
    """Return the color tokens of a scheme as written in tokens.css."""
    light, dark = TOKENS.read_text().split(DARK)
    declared = re.compile(r"--color-([\w-]+):\s*([^;]+);")
    return dict(declared.findall(light)) | (dict(declared.findall(dark)) if scheme == "dark" else {})


def resolved_colors(scheme: str, palette: dict[str, str]) -> dict[str, str]:
    """Return the tokens of a scheme with a brand's colors as `#rrggbb`; tokens that are not colors are left out."""
    declared = {**declared_colors(scheme), **palette}
    plain = {name: value for name, value in declared.items() if re.fullmatch("#[0-9a-f]{6}", value)}
    plain |= {"black": "#000000", "white": "#ffffff"}
    mixed = {name: found for name, value in declared.items() if (found := MIX.fullmatch(value))}
    return plain | {
        name: mix_in_oklab(plain[found[1]], plain[found[4] or found[3]], int(found[2]) / 100)
        for name, found in mixed.items()
    }


def brand_palettes(scheme: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the colors of each brand, of a new brand, and of no brand."""
    for name, colors in {**SEED_COLORS, "a new brand": default_colors()}.items():
        palette = colors["light"] if scheme == "light" else colors["dark"]
        on_primary = palette["onPrimary"]
        yield name, {**{k: palette[k] for k in ("primary", "accent", "link")}, "on-primary": on_primary}
    fallbacks = re.findall(rf"var\(--brand-{scheme}-([\w-]+), (#[0-9a-f]{{6}})\)", TOKENS.read_text())
    assert len(fallbacks) == 4
    yield "no brand", dict(fallbacks)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_color_is_readable_on_every_background_of_every_brand(scheme: str) -> None:
    opacity = float(re.findall(r"\.stale \{\s*opacity: ([\d.]+);", STALE.read_text())[0])
    unreadable = []
    for brand, palette in brand_palettes(scheme):
        colors = resolved_colors(scheme, palette)
        pairs = {(text_color, background) for text_color in TEXT_COLORS for background in BACKGROUNDS}
        pairs |= {
            (text_color, background)
            for text_color, backgrounds in PAIRED_TEXT_COLORS.items()
            for background in backgrounds
        }
        found = {
            f"{text_color} on {background}": (colors[text_color], colors[background])
            for text_color, background in pairs
        }
        found |= {
            f"stale {text_color}": (blend_over(colors[text_color], colors["surface"], opacity), colors["surface"])
            for text_color in STALE_TEXT_COLORS
        }
        unreadable += [
            f"{brand}: {name}: {ratio:.2f}"
            for name, (text_color, background) in found.items()
            if (ratio := contrast_ratio(text_color, background)) < TEXT_CONTRAST
        ]
    assert unreadable == []


def test_the_stylesheets_use_only_checked_colors() -> None:
    used: dict[str, set[str]] = {"color": set(), "background": set()}
    for sheet in SOURCES.rglob("*.css"):
        for kind, token in USED.findall(sheet.read_text()):
            used[kind.removesuffix("-color")].add(token)
    assert used["color"] == TEXT_COLORS | set(PAIRED_TEXT_COLORS) | DISABLED_TEXT_COLORS
    paired_backgrounds = {background for backgrounds in PAIRED_TEXT_COLORS.values() for background in backgrounds}
    assert used["background"] == BACKGROUNDS | paired_backgrounds | TEXTLESS_BACKGROUNDS


@pytest.mark.parametrize(
    ("color", "other", "share", "mixed"),
    [
        ("#23418f", "#ffffff", 0.09, "#e9edf6"),
        ("#0b6b5f", "#000000", 0.88, "#08594f"),
        ("#a9c1ff", "#1d1d22", 0.16, "#313440"),
        ("#e6b0ea", "#ffffff", 0.88, "#e9baed"),
    ],
)
def test_colors_are_mixed_as_in_chromium(color: str, other: str, share: float, mixed: str) -> None:
    assert mix_in_oklab(color, other, share) == mixed
