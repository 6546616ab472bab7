"""SVG that operators upload: drawings pass, whatever could act or load is refused.

An SVG in an `<img>` runs nothing, but its address can be opened by itself, on the portal's own origin. It is not
cleaned: what was cleaned may not look as it was drawn, and who drew it can save it anew.
"""

from __future__ import annotations

import re
from xml.parsers import expat

from django.core.exceptions import ValidationError

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
# What a logo is drawn with. Not among them: script, foreignObject, image, a, and what animates (it can set a link).
ELEMENTS = frozenset(
    (
        *("svg", "g", "defs", "symbol", "use", "title", "desc", "metadata", "style"),
        *("path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan", "textPath"),
        *("linearGradient", "radialGradient", "stop", "pattern", "clipPath", "mask", "marker"),
        *("filter", "feBlend", "feColorMatrix", "feComposite", "feDropShadow", "feFlood", "feGaussianBlur"),
        *("feMerge", "feMergeNode", "feOffset"),
    )
)
_OUTSIDE = re.compile(r"""url\(\s*['"]?(?!\#)|@|expression\(|javascript:|\\""", re.IGNORECASE)


def is_svg(content: bytes) -> bool:
    """Whether a file claims to be SVG, by what stands in it."""
    return b"<svg" in content[:4096]


def measured(content: bytes) -> tuple[float, float]:
    """Return the width and height that an SVG is drawn in, once nothing in it can act or load.

    Raises ValidationError that names what is in the way.
    """
    reader = _Reader(len(content))
    try:
        reader.parser.Parse(content, True)  # noqa: FBT003  (the only way to say that this is all of it)
    except expat.ExpatError as error:
        raise ValidationError(f"This is not a whole SVG: line {error.lineno} cannot be read.") from error
    if reader.size is None:
        raise ValidationError("The SVG has no viewBox, so it cannot be drawn at other sizes.")
    return reader.size


class _Reader:
    """Goes through an SVG and refuses the first thing that is not a drawing."""

    def __init__(self, length: int) -> None:
        self.size: tuple[float, float] | None = None
        self.parser = expat.ParserCreate(namespace_separator=" ")
        # A text is seen whole: half of a word of a style's may look harmless.
        self.parser.buffer_text = True
        self.parser.buffer_size = max(length, 1)
        self.parser.StartElementHandler = self._element
        self.parser.CharacterDataHandler = self._text
        # Entities can load files and grow without end; an instruction can load a style sheet.
        self.parser.StartDoctypeDeclHandler = lambda *_: _refuse("a document type")
        self.parser.ProcessingInstructionHandler = lambda *_: _refuse("a processing instruction")

    def _element(self, name: str, attributes: dict[str, str]) -> None:
        namespace, _, local = name.rpartition(" ")
        if namespace != SVG or local not in ELEMENTS:
            _refuse(f"<{local}>")
        for attribute, value in attributes.items():
            _check_attribute(attribute, value)
        if self.size is None:
            self.size = _size(local, attributes)

    def _text(self, text: str) -> None:
        if _OUTSIDE.search(text):
            _refuse("a style that loads something")


def _size(root: str, attributes: dict[str, str]) -> tuple[float, float]:
    numbers = re.split(r"[\s,]+", attributes.get("viewBox", "").strip())
    try:
        _left, _top, width, height = (float(number) for number in numbers)
    except ValueError as error:
        raise ValidationError("The SVG has no viewBox, so it cannot be drawn at other sizes.") from error
    if root != "svg" or not (0 < width < 100_000 and 0 < height < 100_000):
        raise ValidationError("The SVG's viewBox has no size.")
    return width, height


def _check_attribute(name: str, value: str) -> None:
    namespace, _, local = name.rpartition(" ")
    if local.lower().startswith("on"):
        _refuse(f"the attribute {local}")
    if local.lower() == "base":
        _refuse("an address that links start from")
    if local.lower() in ("href", "src") and namespace in ("", XLINK) and not value.startswith("#"):
        _refuse("a link to something outside")
    if _OUTSIDE.search(value):
        _refuse(f"something outside, in the attribute {local}")


def _refuse(what: str) -> None:
    raise ValidationError(
        f"The SVG holds {what}, which a logo must not: save it as a plain SVG without scripts, links and pictures."
    )
