"""HTTP Basic authentication: the API key is the user name, the password is empty."""

from __future__ import annotations

import base64
import binascii
from hmac import compare_digest

from django.http import HttpRequest

from chargebee_sandbox import settings
from chargebee_sandbox.api.errors import ApiError

FULL_ACCESS_USER = "full_access_key_v1"
"""The ``user`` of events that an API request causes."""


def authenticate_request(request: HttpRequest) -> None:
    """Check that the request carries the site's API key.

    Raises: ApiError 401. As at the provider the body has no ``type``, so the SDK raises its plain APIError.
    """
    key = _user_name(request.headers.get("Authorization", ""))
    if key is None:
        raise _authentication_error(
            "basic_authentication_failed", "api_authentication_failed", "Basic authentication is required"
        )
    if not compare_digest(key.encode(), settings.SANDBOX_API_KEY.encode()):
        raise _authentication_error("api_authentication_failed", "api_authentication_invalid_key", "Invalid api key")


def _user_name(header: str) -> str | None:
    scheme, _, encoded = header.partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        return base64.b64decode(encoded, validate=True).decode().partition(":")[0]
    except (binascii.Error, UnicodeDecodeError):
        return None


def _authentication_error(api_error_code: str, error_code: str, reason: str) -> ApiError:
    message = f"Sorry, authentication failed. {reason}"
    return ApiError(401, api_error_code, message, kind=None, error_code=error_code)
