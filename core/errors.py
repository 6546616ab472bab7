"""The base class of expected failures, and the errors that all apps share."""

from __future__ import annotations

from collections.abc import Mapping

# docs/specification.md, client-5
GENERIC_MESSAGE = "Something went wrong, If you are continuing to have problems. Please contact support."


class PortalError(Exception):
    """An expected failure, with a stable code, an HTTP status and a message for the subscriber.

    `fields` has messages by input field, `retry_after` is in seconds, and `extra` is merged into the response's body
    (for example the new amounts of `quote_changed`). A subclass sets `code`, `status`, `message` and, optionally,
    `default_retry_after`.
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
    """The request's content is invalid; `fields` says which part."""

    code = "validation_error"
    status = 400
    message = "Some entries aren't valid. Please check them and try again."


class TemporarilyUnavailable(PortalError):
    """The database cannot be reached, or waiting for a lock timed out."""

    code = "temporarily_unavailable"
    status = 503
    message = "We can't respond right now. Please try again in a moment."


class NotFound(PortalError):
    """The object does not exist or belongs to somebody else; the response does not tell which."""

    code = "not_found"
    status = 404
    message = "We couldn't find that."
