"""The provider's error answers."""

from __future__ import annotations

from billing.sandbox.body import Body


class ApiError(Exception):
    """An answer other than 200.

    ``keeps`` says that what was done before the error stands (a failed charge is on record); otherwise the whole
    operation is undone. ``kind`` is the provider's ``type``, by which the SDK chooses its exception.
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

    def body(self) -> Body:
        """The JSON answer, nulls left out."""
        return {name: value for name, value in self._body.items() if value is not None}


def not_found(kind: str, handle: str, param: str | None = None) -> ApiError:
    """404: there is no such thing."""
    return ApiError(404, "resource_not_found", f"{handle} not found ({kind})", param=param)


def wrong_value(param: str, message: str) -> ApiError:
    """400: a parameter that cannot be taken."""
    return ApiError(400, "param_wrong_value", f"{param} : {message}", param=param)


def duplicate(param: str, handle: str) -> ApiError:
    """400: an id that is taken."""
    return ApiError(400, "duplicate_entry", f"The value {handle} is already present.", param=param)


def invalid_state(message: str, code: str = "invalid_state_for_request") -> ApiError:
    """409: the thing exists but its state does not allow this."""
    return ApiError(409, code, message)


def declined(message: str, *, error_code: str | None = None, keeps: bool = False) -> ApiError:
    """400 (not 402): the gateway refused a charge."""
    return ApiError(
        400,
        "payment_processing_failed",
        message,
        kind="payment",
        error_code=error_code,
        error_cause_id="gateway.general.decline",
        keeps=keeps,
    )
