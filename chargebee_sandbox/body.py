"""The type of JSON objects in answers."""

from typing import Any

Body = dict[str, Any]
"""A resource, or a part of one, as JSON."""
