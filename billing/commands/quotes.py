"""Quotes: a short digest of the figures shown, sent back with the confirmation (docs/rules.md, request-10)."""

import hashlib
import json
from collections.abc import Mapping

QUOTE_LENGTH = 32


def compute_quote(figures: Mapping[str, object]) -> str:
    """Return the quote of figures; equal figures have equal quotes."""
    text = json.dumps(figures, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:QUOTE_LENGTH]
