"""The shape of everything that is answered."""

from typing import Any

Body = dict[str, Any]
"""A resource, or a part of one, as JSON has it."""
