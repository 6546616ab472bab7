"""The artwork that ships with the portal, and the pause offer's content that names it."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from billing.models import PauseOfferContent
from billing.pdf.assets import PROJECT_ROOT, STATIC_ROOT

ARTWORK = sorted((STATIC_ROOT / "portal" / "art").rglob("*.svg"))
CONTENT = json.loads((PROJECT_ROOT / "billing" / "fixtures" / "pause_offer_content.json").read_text(encoding="utf-8"))
SVG = "{http://www.w3.org/2000/svg}"
DRAWING = {
    f"{SVG}{tag}"
    for tag in (
        *("svg", "title", "defs", "g", "path", "rect", "circle", "ellipse"),
        *("clipPath", "linearGradient", "radialGradient", "stop"),
    )
}


@pytest.mark.parametrize("drawing", ARTWORK, ids=lambda path: path.name)
def test_an_svg_is_small_and_titled_and_has_only_drawing_elements(drawing: Path) -> None:
    text = drawing.read_text(encoding="utf-8")
    root = ET.fromstring(text)  # noqa: S314  # our own files

    assert drawing.stat().st_size < 32_000
    assert (root.findtext(f"{SVG}title") or "").strip()
    assert {element.tag for element in root.iter()} <= DRAWING
    assert [name for element in root.iter() for name in element.attrib if name.startswith("on") or "href" in name] == []


def test_the_pause_offer_has_content_for_every_plan() -> None:
    assert [entry["plan_id"] for entry in CONTENT] == [
        "faith-family-plan",
        "gospel-tv-plan",
        "Minno-Plan",
        "Minno",
    ]


@pytest.mark.parametrize("entry", CONTENT, ids=lambda entry: entry["plan_id"])
def test_the_content_of_a_plan_fits_the_model_and_names_existing_files(entry: dict[str, str]) -> None:
    fields = {field.name for field in PauseOfferContent._meta.get_fields()} - {"id"}
    content = {name: entry[name] for name in fields}

    PauseOfferContent(**content).clean_fields()
    assert [
        path
        for name, path in content.items()
        if "image" in name and "text" not in name and not (STATIC_ROOT / path).is_file()
    ] == []
