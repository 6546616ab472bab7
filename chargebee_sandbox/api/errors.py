"""Error answers in the provider's shape."""

from __future__ import annotations

from chargebee_sandbox.body import Body


class ApiError(Exception):
    """An answer other than 200.

    ``keeps`` commits what the operation wrote before the error (a failed charge stays on record); otherwise
    everything is rolled back. ``kind`` is the provider's ``type``, by which the SDK chooses its exception.
    """

    def __init__(
        self,
        status: int,
        api_error_code: str,
        message: str,
        *,
        kind: str | None = "invalid_request",
        param: str | None = None,
        error_code: str | None = None,
        error_cause_id: str | None = None,
        keeps: bool = False,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers: dict[str, str] = {}
        self.keeps = keeps
        self._body: dict[str, object | None] = {
            "message": message,
            "type": kind,
            "api_error_code": api_error_code,
            "param": param,
            "error_code": error_code or api_error_code,
            "error_msg": message,
            "error_param": param,
            "error_cause_id": error_cause_id,
            "http_status_code": status,
        }

    def as_body(self) -> Body:
        """Return the JSON body, without nulls."""
        return {name: value for name, value in self._body.items() if value is not None}


def not_found(kind: str, handle: str, param: str | None = None) -> ApiError:
    """Return the 404 for an unknown id."""
    return ApiError(404, "resource_not_found", f"{handle} not found ({kind})", param=param)


def wrong_value(param: str, message: str) -> ApiError:
    """Return the 400 for an invalid parameter value."""
    return ApiError(400, "param_wrong_value", f"{param} : {message}", param=param)


def duplicate_entry(param: str, handle: str) -> ApiError:
    """Return the 400 for an id that exists already."""
    return ApiError(400, "duplicate_entry", f"The value {handle} is already present.", param=param)


def invalid_state(message: str, code: str = "invalid_state_for_request") -> ApiError:
    """Return the 409 for a resource whose state does not allow the operation."""
    return ApiError(409, code, message)


def payment_declined(message: str, *, error_code: str | None = None, keeps: bool = False) -> ApiError:
    """Return the 400 (not 402) for a charge the gateway declined."""
    return ApiError(
        400,
        "payment_processing_failed",
        message,
        kind="payment",
        error_code=error_code,
        error_cause_id="gateway.general.decline",
        keeps=keeps,
    )
