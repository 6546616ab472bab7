"""What the platform asks from inside, by whatever name or number it reaches a process: its probes and Prometheus."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponsePermanentRedirect
from django.middleware.common import CommonMiddleware

PATHS = ("/healthz", "/readyz", "/metrics")


class NamedHostMiddleware(CommonMiddleware):
    """Answers under the names of `ALLOWED_HOSTS` alone, but for what says and does the same under any."""

    def process_request(self, request: HttpRequest) -> HttpResponsePermanentRedirect | None:
        """Let the request pass. Raises `DisallowedHost`."""
        return None if request.path_info in PATHS else super().process_request(request)
