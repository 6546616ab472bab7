"""Errors of the gateway, by what they mean for a requested change.

The portal branches on these classes and on `api_error_code`, never on the provider's message, which is written for
developers and never shown to a subscriber.
"""


class GatewayError(Exception):
    """A request to the provider failed."""


class NotSent(GatewayError):
    """The provider was not reached, or rejected the request for load or credentials. Nothing changed.

    `retry_after` is the number of seconds the provider asked to wait, None when it did not say.
    """

    def __init__(self, reason: str, *, retry_after: int | None = None) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class NoTurn(NotSent):
    """The request did not get its turn in the pace of jobs, or of reads after webhooks."""


class Unreadable(NotSent):
    """A read got no usable answer; reads of other resources may still work."""


class Unconfirmed(GatewayError):
    """No usable answer to a change (timeout, disconnect, 5xx, invalid body): it may have been made."""


class Refused(GatewayError):
    """The provider refused the change; nothing changed. `code` is its `api_error_code`."""

    def __init__(self, code: str, *, param: str = "") -> None:
        super().__init__(f"{code} {param}".strip())
        self.code = code
        self.param = param


# What a 404 names when the resource of the request itself is missing, and not one that it refers to, such as a coupon.
SUBJECT_PARAMS = ("", "id", "customer_id", "subscription_id", "subscription[id]")


class Missing(Refused):
    """The provider does not know the resource (404)."""

    @property
    def is_subject(self) -> bool:
        """Whether what the request is about is missing: a customer or a subscription that was deleted."""
        return self.param in SUBJECT_PARAMS


class PaymentRefused(Refused):
    """The provider could not collect the payment and refused the change."""
