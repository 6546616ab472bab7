"""A view of an account in the OpenAPI document: left out, because it is for the app's own pages alone."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension


class AccountViewScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """The cookie of `operators.account_views`."""

    target_class = "operators.account_views.ViewAuthentication"
    name: list[str] = []

    def get_security_requirement(self, auto_schema: Any) -> list[dict[str, list[Any]]]:
        """Return no requirement: no client can obtain the cookie."""
        return []

    def get_security_definition(self, auto_schema: Any) -> list[dict[str, Any]]:
        """Return no security scheme object."""
        return []
