"""Read which scripts and frames `docs/scripts.md` allows in which document."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

INVENTORY = Path(__file__).resolve().parents[2] / "docs" / "scripts.md"
PROVIDER = "https://js.chargebee.com"
# Stands for the support widget's origin, which is a setting.
WIDGET = "SUPPORT_WIDGET_URL"


@dataclass(frozen=True)
class ListedSource:
    """A row: an address pattern, its origin in the policy, and the documents it belongs to."""

    pattern: str
    origin: str
    documents: frozenset[str]

    def covers(self, address: str, *, portal: str, provider: str, widget: str = "") -> bool:
        """Return whether an address matches, given the current URLs of the portal, provider and widget."""
        pattern = self.pattern.replace(PROVIDER, provider).replace(WIDGET, widget)
        return fnmatchcase(address, pattern if "://" in pattern else portal + pattern)


def listed_sources(kind: str, document: str) -> list[ListedSource]:
    """Return the rows of a table, `script` or `frame`, that belong to a document."""
    _, table = INVENTORY.read_text().split(f"\n| {kind} |", 1)
    lines = table.split("\n\n", 1)[0].splitlines()[2:]
    rows = [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines]
    found = [ListedSource(pattern, origin, frozenset(documents.split(", "))) for pattern, origin, documents, *_ in rows]
    return [row for row in found if document in row.documents]


def allowed_origins(kind: str, document: str, *, widget: str = "") -> set[str]:
    """Return exactly the origins that a document's policy must allow; `widget` is the widget's origin, if any."""
    found = {row.origin for row in listed_sources(kind, document)}
    return {widget if origin == WIDGET else origin for origin in found if widget or origin != WIDGET}
