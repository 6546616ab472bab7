"""The base of every failure that a subscriber is told about."""

from __future__ import annotations

from collections.abc import Mapping

# Word for word from the specification, section 8.
GENERIC_MESSAGE = "Something went wrong, If you are continuing to have problems. Please contact support."


class PortalError(Exception):
    """An expected failure, with a stable code, an HTTP status and a sentence fit for a subscriber.

    `fields` names what is wrong in the input, `retry_after` is in seconds, and `extra` is merged into the error's
    body (the new figures of `quote_changed`, for one). A subclass sets `code`, `status` and `message`, and may say how
    soon it is worth trying again where nobody knows better.
    """

    code: str = "internal_error"
    status: int = 500
    message: str = GENERIC_MESSAGE
    default_retry_after: int | None = None

    def __init__(
        self,
        message: str | None = None,
        *,
        fields: dict[str, list[str]] | None = None,
        retry_after: int | None = None,
        extra: Mapping[str, object] | None = None,
    ) -> None:
        if message is not None:
            self.message = message
        self.fields = fields
        self.retry_after = retry_after or self.default_retry_after
        self.extra: dict[str, object] = dict(extra or {})
        super().__init__(self.message)


class InvalidInput(PortalError):
    """The request was understood and its content is not acceptable; `fields` says which part."""

    code = "validation_error"
    status = 400
    message = "Some of what you entered is not valid. Please check it and try again."


class TemporarilyUnavailable(PortalError):
    """Our own database cannot be reached, or a lock in it was waited for too long."""

    code = "temporarily_unavailable"
    status = 503
    message = "We cannot answer right now. Please try again in a moment."


class NotFound(PortalError):
    """There is no such thing, or it is somebody else's: the two look the same."""

    code = "not_found"
    status = 404
    message = "We could not find what you were looking for."
