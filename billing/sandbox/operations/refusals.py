"""Refusals of the engine as the API's errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from billing.sandbox.engine.collection import ChargeRefused, NothingToCharge
from billing.sandbox.models import Customer
from billing.sandbox.wire.errors import ApiError, declined


@contextmanager
def as_api_errors(consequence: str, customer: Customer) -> Iterator[None]:
    """Turn a failed collection into the provider's 400; ``consequence`` is what therefore was not done."""
    try:
        yield
    except NothingToCharge:
        message = f"{consequence} as there is no valid payment method for the customer {customer.handle}"
        raise ApiError(400, "payment_method_not_present", message) from None
    except ChargeRefused as refusal:
        message = (
            f"{consequence} as we are not able to collect from your card on file. Error message: {refusal}"
        )
        raise declined(message) from None
