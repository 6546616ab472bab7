"""Which Content-Security-Policy goes with which page."""

from __future__ import annotations

from csp.middleware import CSPMiddleware, PolicyParts
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

ADMIN_PREFIX = "/admin/"


class SplitPolicyMiddleware(CSPMiddleware):
    """The strict policy everywhere, the admin's own under /admin/."""

    def get_policy_parts(
        self, request: HttpRequest, response: HttpResponseBase, report_only: bool = False
    ) -> PolicyParts:
        """Return the parts of the policy for this response."""
        parts = super().get_policy_parts(request, response, report_only)
        if not report_only and parts.config is None and request.path_info.startswith(ADMIN_PREFIX):
            parts.config = settings.ADMIN_CONTENT_SECURITY_POLICY
        return parts
