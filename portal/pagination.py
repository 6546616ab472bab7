"""Pages for lists whose default answer is the whole array."""

from __future__ import annotations

from typing import Any

from rest_framework.pagination import LimitOffsetPagination
from rest_framework.response import Response


class ArrayPagination(LimitOffsetPagination):
    """`limit` and `offset` as an addition: without them the answer is the array, with them a slice of it."""

    default_limit = None
    max_limit = 100

    def get_paginated_response(self, data: Any) -> Response:
        """Answer the bare array, as the specification names it, whatever slice it is."""
        return Response(data)

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Document the bare array."""
        return schema
