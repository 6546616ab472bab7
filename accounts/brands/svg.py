"""Validates uploaded SVG files: scripts, animation, links, external resources and drawings without end are refused.

An SVG in an `<img>` runs no script, but its URL can be opened directly, on the portal's own origin. The file is not
sanitized, because the result might not look as drawn; the operator can export a plain SVG instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from xml.parsers import expat

from django.core.exceptions import ValidationError

SVG_NAMESPACE, XLINK_NAMESPACE = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
# Not allowed are script, foreignObject, image, a, the animation elements, which can set a link, and marker, which is
# drawn at each corner of a path.
ALLOWED_ELEMENTS = frozenset(
    (
        *("svg", "g", "defs", "symbol", "use", "title", "desc", "metadata", "style"),
        *("path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan", "textPath"),
        *("linearGradient", "radialGradient", "stop", "pattern", "clipPath", "mask"),
        *("filter", "feBlend", "feColorMatrix", "feComposite", "feDropShadow", "feFlood", "feGaussianBlur"),
        *("feMerge", "feMergeNode", "feOffset"),
    )
)
FILTER_ELEMENTS = frozenset(name for name in ALLOWED_ELEMENTS if name.startswith("fe"))
FILTER_SIZES = frozenset(("x", "y", "width", "height", "stdDeviation", "dx", "dy"))
GRADIENTS = ("linearGradient", "radialGradient")
# A logo has some hundred elements. What `use` and the like draw again counts again; a filter or a mask, which needs a
# picture of its own each time, as much as many paths.
MAX_DRAWN = 20_000
COSTS = {**dict.fromkeys(FILTER_ELEMENTS, 200), "mask": 20}
MAX_DEPTH = 50
UNFINISHED = -1
# How many times as large as what it is drawn on a filter may be, or reach.
MAX_FILTER_RATIO = 4
_EXTERNAL_REFERENCE = re.compile(
    r"""url\((?>\s*['"]?)(?!\#)|@|(?:image|image-set|src)\(|expression\(|javascript:|\\""", re.IGNORECASE
)
# What takes long to draw without any element: filters of style sheets, and dashes, of which a line can have a million.
_COSTLY_STYLES = (
    (
        "a filter in a style",
        re.compile(
            r"(?:blur|drop-shadow|brightness|contrast|grayscale|hue-rotate|invert|opacity|saturate|sepia)\(",
            re.IGNORECASE,
        ),
    ),
    ("a dashed line", re.compile(r"stroke-dasharray(?!\s*:\s*none\s*(?:[;}]|\Z))", re.IGNORECASE)),
)
_OWN_REFERENCE = re.compile(r"""url\(\s*['"]?\#([^'")]*)""", re.IGNORECASE)
# A browser drops line breaks from a reference and decodes its percent signs: it would find another element.
_PLAIN_NAME = re.compile(r"[\w.:-]+")
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


def is_svg(content: bytes) -> bool:
    """Return whether the content looks like SVG."""
    return b"<svg" in content[:4096]


def measure_svg(content: bytes) -> tuple[float, float]:
    """Check an SVG and return the width and height of its viewBox.

    Raises ValidationError, which names the first thing that is not allowed.
    """
    try:
        content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValidationError("The SVG is not in UTF-8: save it with that encoding.") from error
    checker = _SvgChecker()
    try:
        checker.parser.Parse(content, True)  # noqa: FBT003  (expat takes no keyword: this is the last chunk)
    except expat.ExpatError as error:
        raise ValidationError(f"This is not a whole SVG: line {error.lineno} cannot be read.") from error
    if checker.size is None:
        raise ValidationError("The SVG has no viewBox, so it cannot be drawn at other sizes.")
    checker.drawing.check_cost()
    return checker.size


@dataclass
class _Element:
    """An element with its parts and its own text, and the ids of what its attributes refer to."""

    name: str
    parts: list[_Element] = field(default_factory=list)
    refers_to: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    drawn: int = 0


@dataclass
class _Drawing:
    """The elements of an SVG by their order and by id, and the ids that its style sheets refer to."""

    elements: list[_Element] = field(default_factory=list)
    by_id: dict[str, _Element] = field(default_factory=dict)
    styled_with: list[str] = field(default_factory=list)

    def check_cost(self) -> None:
        """Raise ValidationError if drawing it takes too long, or never ends."""
        for name in self.styled_with:
            # A rule may hold for every element, also for those that it refers to; gradients alone have no such parts.
            if name in self.by_id and self.by_id[name].name not in GRADIENTS:
                _refuse_content(f"a style sheet that draws with <{self.by_id[name].name}>")
        if self.elements and self._count_drawn(self.elements[0], 0) > MAX_DRAWN:
            _refuse_content("more than can be drawn quickly")

    def _count_drawn(self, element: _Element, depth: int) -> int:
        """Return how many elements are drawn for one, with what it refers to: each time it is referred to."""
        if depth > MAX_DEPTH or element.drawn == UNFINISHED:
            _refuse_content("elements that are nested too deeply, or that draw themselves")
        if not element.drawn:
            element.drawn = UNFINISHED
            targets = [self.by_id[name] for name in element.refers_to if name in self.by_id]
            parts = sum(self._count_drawn(part, depth + 1) for part in (*element.parts, *targets))
            element.drawn = min(MAX_DRAWN + 1, parts + COSTS.get(element.name, 1))
        return element.drawn


class _SvgChecker:
    """An XML parser that raises ValidationError on the first thing that is not allowed."""

    def __init__(self) -> None:
        self.size: tuple[float, float] | None = None
        self.drawing = _Drawing()
        self._open: list[_Element] = []
        self.parser = expat.ParserCreate("utf-8", namespace_separator=" ")
        self.parser.StartElementHandler = self._check_element
        self.parser.EndElementHandler = self._end_element
        # A browser would read the file in the encoding that it names.
        self.parser.XmlDeclHandler = lambda _version, encoding, _standalone: _check_encoding(encoding)
        self.parser.CharacterDataHandler = self._add_text
        # Entities can load files and expand without limit; a processing instruction can load a style sheet.
        self.parser.StartDoctypeDeclHandler = lambda *_: _refuse_content("a document type")
        self.parser.ProcessingInstructionHandler = lambda *_: _refuse_content("a processing instruction")

    def _check_element(self, name: str, attributes: dict[str, str]) -> None:
        namespace, _, local = name.rpartition(" ")
        if namespace != SVG_NAMESPACE or local not in ALLOWED_ELEMENTS:
            _refuse_content(f"<{local}>")
        for attribute, value in attributes.items():
            _check_attribute(attribute, value)
        if self.size is not None and (local in FILTER_ELEMENTS or local == "filter"):
            _check_filter_size(attributes, max(self.size), is_region=local == "filter")
        self._add_element(local, attributes)
        if self.size is None:
            self.size = _view_box_size(local, attributes)

    def _end_element(self, _name: str) -> None:
        # The whole text, without what stands between: half a word of a style sheet may look harmless.
        self._check_text("".join(self._open.pop().text))

    def _add_text(self, text: str) -> None:
        self._open[-1].text.append(text)

    def _add_element(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._open) >= MAX_DEPTH:
            _refuse_content("elements that are nested too deeply")
        links = [value[1:] for name, value in attributes.items() if name.rpartition(" ")[2].lower() == "href"]
        drawn_with = [target for value in attributes.values() for target in _own_references(value)]
        element = _Element(name, refers_to=[_plain_name(target) for target in links] + drawn_with)
        if self._open:
            self._open[-1].parts.append(element)
        self._open.append(element)
        self.drawing.elements.append(element)
        if "id" in attributes and self.drawing.by_id.setdefault(attributes["id"], element) is not element:
            _refuse_content(f"two elements with the id {attributes['id']!r}")

    def _check_text(self, text: str) -> None:
        if _EXTERNAL_REFERENCE.search(text):
            _refuse_content("a style that loads something")
        _check_style_cost(text)
        self.drawing.styled_with += _own_references(text)


def _check_encoding(encoding: str | None) -> None:
    if encoding is not None and encoding.lower() not in ("utf-8", "utf8"):
        raise ValidationError("The SVG is not in UTF-8: save it with that encoding.")


def _check_filter_size(attributes: dict[str, str], drawing_size: float, *, is_region: bool) -> None:
    """Refuse a filter that blurs, moves or covers far more than the drawing, or than what it is used on.

    The region of a `filter` is in shares of what it is used on, unless it says otherwise.
    """
    if attributes.get("primitiveUnits") == "objectBoundingBox":
        _refuse_content("a filter whose steps are as large as what it is used on")
    is_share = is_region and attributes.get("filterUnits") != "userSpaceOnUse"
    for name in FILTER_SIZES & attributes.keys():
        value = attributes[name]
        unit = 100 if "%" in value else 1 if is_share else drawing_size
        if any(abs(float(number)) > MAX_FILTER_RATIO * unit for number in _NUMBER.findall(value)):
            _refuse_content(f"a filter with {name}={value[:40]!r}")


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
    if local == "stroke-dasharray":
        value = f"{local}:{value}"
    _check_style_cost(value)


def _check_style_cost(style: str) -> None:
    for what, pattern in _COSTLY_STYLES:
        if pattern.search(style):
            _refuse_content(what)


def _own_references(style: str) -> list[str]:
    """Return the names of the elements that a style draws with."""
    return [_plain_name(target.rstrip()) for target in _OWN_REFERENCE.findall(style)]


def _plain_name(name: str) -> str:
    if not _PLAIN_NAME.fullmatch(name):
        _refuse_content(f"a reference to {name[:40]!r}, a name of more than letters and digits")
    return name


def _refuse_content(what: str) -> None:
    raise ValidationError(
        f"The SVG holds {what}, which a logo must not: save it as a plain SVG without scripts, links and pictures."
    )
