"""Validates uploaded SVG files: scripts, animation, links and external resources are refused.

An SVG in an `<img>` runs no script, but its URL can be opened directly, on the portal's own origin. The file is not
sanitized, because the result might not look as drawn; the operator can export a plain SVG instead.
"""

from __future__ import annotations

import re
from xml.parsers import expat

from django.core.exceptions import ValidationError

SVG_NAMESPACE, XLINK_NAMESPACE = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
# Not allowed are script, foreignObject, image, a, and the animation elements, which can set a link.
ALLOWED_ELEMENTS = frozenset(
    (
        *("svg", "g", "defs", "symbol", "use", "title", "desc", "metadata", "style"),
        *("path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan", "textPath"),
        *("linearGradient", "radialGradient", "stop", "pattern", "clipPath", "mask", "marker"),
        *("filter", "feBlend", "feColorMatrix", "feComposite", "feDropShadow", "feFlood", "feGaussianBlur"),
        *("feMerge", "feMergeNode", "feOffset"),
    )
)
_EXTERNAL_REFERENCE = re.compile(r"""url\(\s*['"]?(?!\#)|@|expression\(|javascript:|\\""", re.IGNORECASE)


def is_svg(content: bytes) -> bool:
    """Return whether the content looks like SVG."""
    return b"<svg" in content[:4096]


def measure_svg(content: bytes) -> tuple[float, float]:
    """Check an SVG and return the width and height of its viewBox.

    Raises ValidationError, which names the first thing that is not allowed.
    """
    checker = _SvgChecker(len(content))
    try:
        checker.parser.Parse(content, True)  # noqa: FBT003  (expat takes no keyword: this is the last chunk)
    except expat.ExpatError as error:
        raise ValidationError(f"This is not a whole SVG: line {error.lineno} cannot be read.") from error
    if checker.size is None:
        raise ValidationError("The SVG has no viewBox, so it cannot be drawn at other sizes.")
    return checker.size


class _SvgChecker:
    """An XML parser that raises ValidationError on the first thing that is not allowed."""

    def __init__(self, length: int) -> None:
        self.size: tuple[float, float] | None = None
        self.parser = expat.ParserCreate(namespace_separator=" ")
        # Text is delivered in one piece: half a word of a style sheet may look harmless.
        self.parser.buffer_text = True
        self.parser.buffer_size = max(length, 1)
        self.parser.StartElementHandler = self._check_element
        self.parser.CharacterDataHandler = self._check_text
        # Entities can load files and expand without limit; a processing instruction can load a style sheet.
        self.parser.StartDoctypeDeclHandler = lambda *_: _refuse_content("a document type")
        self.parser.ProcessingInstructionHandler = lambda *_: _refuse_content("a processing instruction")

    def _check_element(self, name: str, attributes: dict[str, str]) -> None:
        namespace, _, local = name.rpartition(" ")
        if namespace != SVG_NAMESPACE or local not in ALLOWED_ELEMENTS:
            _refuse_content(f"<{local}>")
        for attribute, value in attributes.items():
            _check_attribute(attribute, value)
        if self.size is None:
            self.size = _view_box_size(local, attributes)

    def _check_text(self, text: str) -> None:
        if _EXTERNAL_REFERENCE.search(text):
            _refuse_content("a style that loads something")


def _view_box_size(root: str, attributes: dict[str, str]) -> tuple[float, float]:
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
        _refuse_content(f"the attribute {local}")
    if local.lower() == "base":
        _refuse_content("an address that links start from")
    if local.lower() in ("href", "src") and namespace in ("", XLINK_NAMESPACE) and not value.startswith("#"):
        _refuse_content("a link to something outside")
    if _EXTERNAL_REFERENCE.search(value):
        _refuse_content(f"something outside, in the attribute {local}")


def _refuse_content(what: str) -> None:
    raise ValidationError(
        f"The SVG holds {what}, which a logo must not: save it as a plain SVG without scripts, links and pictures."
    )
