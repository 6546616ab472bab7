"""API errors for failed collections."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from chargebee_sandbox.api.errors import ApiError, payment_declined
from chargebee_sandbox.engine.payments.collection import AuthorizedTooLittle, ChargeDeclined, NoPaymentSource
from chargebee_sandbox.models import Customer, Transaction


@contextmanager
def as_api_errors(consequence: str, customer: Customer) -> Iterator[None]:
    """Turn a failed collection into the provider's 400; its message begins with ``consequence``."""
    try:
        yield
    except NoPaymentSource:
        message = f"{consequence} as there is no valid payment method for the customer {customer.handle}"
        raise ApiError(400, "payment_method_not_present", message) from None
    except ChargeDeclined as refusal:
        message = f"{consequence} as we are not able to collect from your card on file. Error message: {refusal}"
        raise payment_declined(message) from None
    except AuthorizedTooLittle:
        message = f"{consequence} as the amount of the payment intent is less than what is to be charged"
        raise ApiError(400, "payment_intent_invalid_amount", message, param="payment_intent[id]") from None


def raise_if_declined(payment: Transaction) -> None:
    """Raise the provider's 400 for a charge that was made on request and declined; it stays on record."""
    if payment["status"] == "success":
        return
    reason = f"({payment['error_code']}) {payment['error_text']}"
    raise payment_declined(f"Payment collection failed. Reason: {reason}.", error_code="charge_failed", keeps=True)
