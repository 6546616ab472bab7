"""What can go wrong between us and the provider, by what it means for the change that was asked for.

The portal branches on these classes and on `api_error_code`, never on the provider's message, which is for
developers and is never shown to a subscriber.
"""


class GatewayError(Exception):
    """Something went wrong between us and the provider."""


class NotSent(GatewayError):
    """The provider was not reached, or turned the request away for load or for its credentials: it changed nothing.

    `retry_after` is how many seconds the provider asked to wait, when it said so.
    """

    def __init__(self, reason: str, *, retry_after: int | None = None) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class Unreadable(NotSent):
    """The provider was asked for something and gave no usable answer: about other things it may give one."""


class Unconfirmed(GatewayError):
    """The request was sent and no usable answer came: the change may have been made (time-out, cut, 5xx, nonsense)."""


class Refused(GatewayError):
    """The provider answered that it will not do this, and changed nothing. `code` is its `api_error_code`."""

    def __init__(self, code: str, *, param: str = "") -> None:
        super().__init__(f"{code} {param}".strip())
        self.code = code
        self.param = param


class Missing(Refused):
    """The provider does not know what was asked for (404)."""


class PaymentRefused(Refused):
    """The provider could not collect the payment and refused the change."""
