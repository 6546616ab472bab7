"""Read which scripts and frames `docs/scripts.md` allows in which document."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from urllib.parse import urlsplit

INVENTORY = Path(__file__).resolve().parents[2] / "docs" / "scripts.md"
PROVIDER = "https://js.chargebee.com"
# Stand for the support widget's origin and the provider's site, which are settings.
WIDGET = "SUPPORT_WIDGET_URL"
SITE = "SITE"


@dataclass(frozen=True)
class ListedSource:
    """A row: an address pattern, its origin in the policy, and the documents it belongs to."""

    pattern: str
    origin: str
    documents: frozenset[str]

    def covers(self, address: str, *, portal: str, provider: str, widget: str = "") -> bool:
        """Return whether an address matches, given the current URLs of the portal, provider and widget."""
        pattern = _local_pattern(self.pattern, provider).replace(WIDGET, widget)
        return fnmatchcase(address, pattern if "://" in pattern else portal + pattern)


def _local_pattern(pattern: str, provider: str) -> str:
    """Return the pattern as it is with this provider; the sandbox serves *.paypal.com as *.paypal.localhost."""
    moved = pattern.replace(PROVIDER, provider)
    if provider.startswith("https:"):
        return moved
    return re.sub(r"https://([*.a-zA-Z]+)\.com/", rf"http://\1.localhost:{urlsplit(provider).port}/", moved)


def listed_sources(
    kind: str, document: str, *, paypal: str = "paypal_commerce", cards: Iterable[str] = ()
) -> list[ListedSource]:
    """Return the rows of a table, `script` or `frame`, that belong to a document of a site with these gateways."""
    _, table = INVENTORY.read_text().split(f"\n| {kind} |", 1)
    lines = table.split("\n\n", 1)[0].splitlines()[2:]
    rows = [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines]
    found = [ListedSource(pattern, origin, frozenset(documents.split(", "))) for pattern, origin, documents, *_ in rows]
    gateways = [paypal] if document == "payPal" else cards
    return [row for row in found if row.documents & {document, *(f"{document}:{gateway}" for gateway in gateways)}]


def allowed_origins(
    kind: str,
    document: str,
    *,
    site: str,
    paypal: str = "paypal_commerce",
    cards: Iterable[str] = (),
    widget: str = "",
) -> set[str]:
    """Return exactly the origins that a document's policy must allow; `widget` is the widget's origin, if any."""
    found = {row.origin.replace(SITE, site) for row in listed_sources(kind, document, paypal=paypal, cards=cards)}
    return {widget if origin == WIDGET else origin for origin in found if widget or origin != WIDGET}
