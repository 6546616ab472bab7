"""Billing's error base and the errors that more than one service raises.

An error that only one service raises is a class beside the function that raises it. Codes and statuses are those of
the contract's section 2.
"""

from portal.errors import NotFound, PortalError

RETRY_AFTER_SECONDS = 5


class BillingError(PortalError):
    """An expected failure of a billing command or query, with a sentence fit for a subscriber."""


class InvalidState(BillingError):
    """The thing exists, but not in a state that allows this."""

    code = "invalid_state"
    status = 409
    message = "This can't be done in the subscription's present state."


class ChangeInProgress(BillingError):
    """Another change of this account is under way."""

    code = "change_in_progress"
    status = 409
    message = "Another change to your account is still being made. Please try again in a moment."
    default_retry_after = RETRY_AFTER_SECONDS


class QuoteChanged(BillingError):
    """The figures shown before no longer hold; `extra` carries the new ones; nothing was done."""

    code = "quote_changed"
    status = 409
    message = (
        "The amount has changed since it was shown to you. Please check the new figures and confirm again."
    )


class PaymentProcessingFailed(BillingError):
    """The provider could not collect and refused the change; nothing was changed."""

    code = "payment_processing_failed"
    status = 402
    message = "We couldn't process your payment, so nothing was changed. Please check your payment details."


class BillingPartial(BillingError):
    """Of several subscriptions some were done, some not; `extra` carries the state as it now is (contract, rule 2)."""

    code = "billing_partial"
    status = 502
    message = "Some of your subscriptions were changed and some were not. Please try again to finish."


class BillingUnavailable(BillingError):
    """The provider could not be reached or refused for load; nothing was changed."""

    code = "billing_unavailable"
    status = 503
    message = (
        "Our billing service can't be reached right now. Nothing was changed. Please try again in a moment."
    )
    default_retry_after = RETRY_AFTER_SECONDS


class BillingUnconfirmed(BillingError):
    """The provider did not answer in time: the change may have been made and is being confirmed."""

    code = "billing_unconfirmed"
    status = 503
    message = "We're confirming your change with our billing service. This can take a minute."
    default_retry_after = RETRY_AFTER_SECONDS


class PaymentMethodRequired(BillingError):
    """The change must be paid for at once, and there is nothing to pay with."""

    code = "payment_method_required"
    status = 409
    message = "Please add a payment method first."


class PaymentMethodGone(BillingError):
    """The provider does not know the payment method any more: it was removed there, and is now removed here too."""

    code = NotFound.code
    status = NotFound.status
    message = "This payment method is no longer on your account."


class PaymentMethodInvalid(BillingError):
    """A card token or payment intent is spent, expired, another's or not authorised; nothing was changed."""

    code = "payment_method_invalid"
    status = 400
    message = "Your payment details have expired or were used already. Please enter them again."
