"""Error responses, which all have the form `{code, message, fields, requestId}`."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, JsonResponse
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from core.errors import GENERIC_MESSAGE, InvalidInput, NotFound, PortalError, TemporarilyUnavailable
from portal.api.case import camelize_keys
from portal.api.requests import request_id_of

logger = logging.getLogger(__name__)

DATABASE_RETRY_SECONDS = 5

NOT_AUTHENTICATED_MESSAGE = "Please sign in to continue."

# Code and message for the errors that DRF raises, by HTTP status.
STATUS_ERRORS: dict[int, tuple[str, str]] = {
    400: (InvalidInput.code, InvalidInput.message),
    401: ("not_authenticated", NOT_AUTHENTICATED_MESSAGE),
    403: ("permission_denied", "You're not allowed to do that."),
    404: (NotFound.code, NotFound.message),
    405: ("method_not_allowed", "That isn't possible here."),
    406: ("not_acceptable", "This address answers in JSON only."),
    413: ("payload_too_large", "The request is too large."),
    415: ("unsupported_media_type", "Please send the request as JSON."),
    429: ("throttled", "Please wait a moment and try again."),
    500: ("internal_error", GENERIC_MESSAGE),
}


class PayloadTooLarge(PortalError):
    """The request's body is larger than the limit."""

    code, message = STATUS_ERRORS[413]
    status = 413


def error_body(request: HttpRequest | None, error: PortalError) -> dict[str, Any]:
    """Return the body of an error; its `extra` adds keys but cannot replace the standard four."""
    return {
        **error.extra,
        "code": error.code,
        "message": error.message,
        "fields": error.fields or None,
        "request_id": request_id_of(request),
    }


def error_response(request: HttpRequest, error: PortalError) -> JsonResponse:
    """Return an error's response outside DRF: in middleware and plain Django views."""
    response = JsonResponse(camelize_keys(error_body(request, error)), status=error.status)
    if error.retry_after is not None:
        response["Retry-After"] = str(error.retry_after)
    return response


def status_response(request: HttpRequest, status: int) -> JsonResponse:
    """Return the response for one of `STATUS_ERRORS`."""
    return error_response(request, _error_for_status(status))


def _error_for_status(status: int) -> PortalError:
    """Return the error of `STATUS_ERRORS` for a status; a status without one keeps its number."""
    code, message = STATUS_ERRORS.get(status, STATUS_ERRORS[500])
    error = PortalError(message)
    error.code, error.status = code, status
    return error


def _flatten_texts(detail: Any) -> list[str]:
    """Return the messages of one field, which DRF may nest in lists and objects."""
    if isinstance(detail, Mapping):
        return [text for value in detail.values() for text in _flatten_texts(value)]
    if isinstance(detail, (list, tuple)):
        return [text for value in detail for text in _flatten_texts(value)]
    return [str(detail)]


def _unique_texts(texts: list[str]) -> list[str]:
    return list(dict.fromkeys(texts))


def _translate_validation_error(error: exceptions.ValidationError) -> PortalError:
    if isinstance(error.detail, Mapping):
        return InvalidInput(
            fields={str(name): _unique_texts(_flatten_texts(value)) for name, value in error.detail.items()}
        )
    return InvalidInput(" ".join(_unique_texts(_flatten_texts(error.detail))) or None)


def _translate_drf_error(error: exceptions.APIException) -> PortalError:
    """Translate a DRF exception to the portal's code and message, keeping its status."""
    if isinstance(error, exceptions.ValidationError):
        return _translate_validation_error(error)
    translated = _error_for_status(error.status_code)
    wait = getattr(error, "wait", None)
    if wait is not None:
        translated.retry_after = math.ceil(wait)
    return translated


def translate_error(error: Exception) -> PortalError | None:
    """Return the PortalError for an expected exception, None for an unexpected one."""
    if isinstance(error, PortalError):
        return error
    if isinstance(error, Http404):
        return NotFound()
    if isinstance(error, PermissionDenied):
        return _translate_drf_error(exceptions.PermissionDenied())
    if isinstance(error, exceptions.APIException):
        return _translate_drf_error(error)
    if isinstance(error, (OperationalError, InterfaceError)):
        logger.error("The database did not answer.", exc_info=error)
        return TemporarilyUnavailable(retry_after=DATABASE_RETRY_SECONDS)
    return None


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return the response for an expected exception (DRF's hook); None passes it on to Django's 500 handler."""
    translated = translate_error(error)
    if translated is None:
        return None
    set_rollback()
    request = context.get("request")
    headers = {}
    if translated.retry_after is not None:
        headers["Retry-After"] = str(translated.retry_after)
    if translated.status == 401:
        headers["WWW-Authenticate"] = getattr(error, "auth_header", "Bearer")
    body = error_body(getattr(request, "_request", None), translated)
    return Response(body, status=translated.status, headers=headers)
