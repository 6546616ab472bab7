"""Django's checks of every request's host and of every response's length, with their two exceptions."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpRequest, HttpResponsePermanentRedirect
from django.http.response import HttpResponseBase
from django.middleware.common import CommonMiddleware

PROBE_PATHS = ("/healthz", "/readyz", "/metrics")


class AllowedHostMiddleware(CommonMiddleware):
    """Checks `ALLOWED_HOSTS` except for `PROBE_PATHS`, which internal probes and Prometheus request by other names.

    The responses of these do not depend on the host.
    """

    def process_request(self, request: HttpRequest) -> HttpResponsePermanentRedirect | None:
        """Pass the request on. Raises `DisallowedHost`."""
        return None if request.path_info in PROBE_PATHS else super().process_request(request)

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Set the length, but not on 304: there it would be that of the response left out (RFC 9110, 8.6)."""
        if response.status_code == HTTPStatus.NOT_MODIFIED:
            return response
        return super().process_response(request, response)
