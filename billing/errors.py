"""Billing's error base, and the errors that several modules raise.

An error that only one module raises is a class beside the function that raises it. Codes and statuses are those of
docs/rules.md, "Error codes".
"""

from core.errors import NotFound, PortalError

RETRY_AFTER_SECONDS = 5


class BillingError(PortalError):
    """An expected failure of a billing command or query, with a sentence fit for a subscriber."""


class InvalidState(BillingError):
    """The object's state does not allow this."""

    code = "invalid_state"
    status = 409
    message = "This subscription can't be changed that way right now."


class NoLongerExists(InvalidState):
    """The provider has deleted the customer or the subscription; a repeated request cannot help."""

    code = "no_longer_exists"
    message = "This account or subscription no longer exists. If you think it should, contact Customer Service."


class NotChangeable(InvalidState):
    """The subscription is outside the catalog, or billed at other terms than monthly or yearly (rule 19)."""

    message = "This subscription can't be changed here, only canceled. To change it, contact Customer Service."


class SeveralCurrencies(InvalidState):
    """A charge of subscriptions that are billed in different currencies, whose amounts cannot be added."""

    message = "These subscriptions are billed in different currencies. Change them one at a time."


class ChangeInProgress(BillingError):
    """Another change of this account is in progress."""

    code = "change_in_progress"
    status = 409
    message = "Another change to your account is still in progress. Please try again in a moment."
    default_retry_after = RETRY_AFTER_SECONDS


class QuoteChanged(BillingError):
    """The amounts differ from the confirmed quote; `extra` has the new ones, to be rendered. Nothing was changed."""

    code = "quote_changed"
    status = 409
    message = "The amount has changed. Please check the new total and confirm again."


class PaymentProcessingFailed(BillingError):
    """The provider could not collect the payment and refused the change. Nothing was changed."""

    code = "payment_processing_failed"
    status = 402
    message = "We couldn't process your payment, so nothing was changed. Please check your payment details."


class AddressRefused(BillingError):
    """The provider does not accept the email address. Nothing was changed."""

    code = "address_refused"
    status = 409
    message = "Chargebee didn't accept this address. Nothing was changed."


class RefundDeclined(BillingError):
    """The gateway has declined a refund. Nothing was changed."""

    code = "refund_declined"
    status = 409
    message = "The payment method refused the refund. Nothing was changed. Give it as credit instead."


class RefundRefused(BillingError):
    """The provider has refused a refund or a credit: not as much can be given back any more. Nothing was changed."""

    code = "refund_refused"
    status = 409
    message = "This amount can't be given back. Nothing was changed."


class BillingPartial(BillingError):
    """Only some of several subscriptions were changed; `extra` has the current state (docs/rules.md, rule 2)."""

    code = "billing_partial"
    status = 502
    message = "We changed some of your subscriptions, but not all. Please try again to finish."


class BillingUnavailable(BillingError):
    """The provider could not be reached, or refused the request because of its load. Nothing was changed."""

    code = "billing_unavailable"
    status = 503
    message = "We can't reach our billing provider right now. Nothing was changed. Please try again in a moment."
    default_retry_after = RETRY_AFTER_SECONDS


class BillingUnconfirmed(BillingError):
    """The provider did not answer in time. The change may have been made; recovery will confirm it."""

    code = "billing_unconfirmed"
    status = 503
    message = "We're confirming your change with our billing provider. This can take a minute."
    default_retry_after = RETRY_AFTER_SECONDS


class PaymentMethodRequired(BillingError):
    """The change charges at once, and the account has no payment method."""

    code = "payment_method_required"
    status = 409
    message = "Please add a payment method first."


class CardNotEditable(BillingError):
    """The card's gateway can't change its name and address; only some gateways can."""

    code = "card_not_editable"
    status = 409
    message = "This card can't be edited. Enter its number again to replace it, or add another card."


class PaymentMethodGone(BillingError):
    """The payment method was deleted at the provider; the mirror's row is now marked as deleted too."""

    code = NotFound.code
    status = NotFound.status
    message = "This payment method is no longer on your account."


class PaymentMethodInvalid(BillingError):
    """A card token or payment intent is used, expired, another account's or not authorized. Nothing was changed."""

    code = "payment_method_invalid"
    status = 400
    message = "Your payment details have expired or were already used. Please enter them again."
