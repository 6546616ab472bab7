"""Who is calling: HTTP Basic, the API key as user name and an empty password."""

from __future__ import annotations

import base64
import binascii
from hmac import compare_digest

from django.http import HttpRequest

from billing.sandbox import settings
from billing.sandbox.wire.errors import ApiError

FULL_ACCESS_USER = "full_access_key_v1"
"""How events name the caller."""


def authenticate(request: HttpRequest) -> None:
    """Let the request through if it carries the site's key.

    Raises: ApiError 401, in the provider's own shape: it has no ``type``, so the SDK raises its plain APIError.
    """
    key = _user_name(request.headers.get("Authorization", ""))
    if key is None:
        raise _refusal(
            "basic_authentication_failed", "api_authentication_failed", "Basic authentication is required"
        )
    if not compare_digest(key.encode(), settings.SANDBOX_API_KEY.encode()):
        raise _refusal("api_authentication_failed", "api_authentication_invalid_key", "Invalid api key")


def _user_name(header: str) -> str | None:
    scheme, _, encoded = header.partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        return base64.b64decode(encoded, validate=True).decode().partition(":")[0]
    except (binascii.Error, UnicodeDecodeError):
        return None


def _refusal(api_error_code: str, error_code: str, reason: str) -> ApiError:
    message = f"Sorry, authentication failed. {reason}"
    return ApiError(401, api_error_code, message, kind=None, error_code=error_code)
