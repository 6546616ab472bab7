"""Exempts internal probes and Prometheus, which use other host names, from `ALLOWED_HOSTS`."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponsePermanentRedirect
from django.middleware.common import CommonMiddleware

PROBE_PATHS = ("/healthz", "/readyz", "/metrics")


class AllowedHostMiddleware(CommonMiddleware):
    """Checks `ALLOWED_HOSTS` except for `PROBE_PATHS`, whose responses do not depend on the host."""

    def process_request(self, request: HttpRequest) -> HttpResponsePermanentRedirect | None:
        """Pass the request on. Raises `DisallowedHost`."""
        return None if request.path_info in PROBE_PATHS else super().process_request(request)
