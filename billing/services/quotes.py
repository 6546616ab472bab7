"""Quotes: a short digest of the figures that were shown, sent back with the confirmation (contract, section 2)."""

import hashlib
import json
from collections.abc import Mapping

QUOTE_LENGTH = 32


def quote_of(figures: Mapping[str, object]) -> str:
    """Return the quote of figures: the same figures give the same quote, any other gives another."""
    text = json.dumps(figures, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:QUOTE_LENGTH]
